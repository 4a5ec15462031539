/** How a caller answers a question over REST: the body to send, for problem documents and for answers in the wrong place. */
import { type ErrorResult, errorResult, type QuestionsResult } from "../../../core/call/outcome.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import { ENVELOPE_TYPE } from "../messages/problem.ts";

/** Maximum length of the example of an answer, in UTF-16 code units. A longer one has no content. */
const MAX_EXAMPLE = 2_000;

/** What a caller sends to answer these questions, as a sentence. */
export function describeAnswer({ requests }: QuestionsResult): string {
  const exampleOf = (withContent: boolean): string => {
    const responses = Object.entries(requests).map(([key, { schema }]) => {
      const content = withContent && schema !== undefined ? `, "content": ${JSON.stringify(contentOf(schema))}` : "";
      return `${JSON.stringify(key)}: {"action": "accept"${content}}`;
    });
    return describeBody(`{${responses.join(", ")}}`);
  };
  const example = exampleOf(true);
  return `Repeat the call with ${example.length > MAX_EXAMPLE ? exampleOf(false) : example}`;
}

function describeBody(responses: string): string {
  return `Content-Type: ${ENVELOPE_TYPE} and the body {"arguments": <as before>, "_meta": {"continuation": <that of the question>, "responses": ${responses}}}; an action is "accept", "decline" or "cancel"`;
}

/** Content that a form of this schema may have, as an example: a value for each property. */
function contentOf(schema: Members): Members {
  const properties = Object.entries(asObject(schema["properties"]));
  return Object.fromEntries(properties.map(([name, property]) => [name, valueOf(asObject(property))]));
}

function valueOf({ type, const: only, enum: values, default: preset, minimum = 0 }: Members): unknown {
  if (only !== undefined) return only;
  if (preset !== undefined) return preset;
  if (Array.isArray(values)) return values[0];
  const [first] = [type].flat();
  switch (first) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return minimum;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "…";
  }
}

/** Name of the member of plain arguments that is an answer to a question; `undefined` if they have no such member. */
export function misplacedMember(args: unknown): "continuation" | "_meta" | undefined {
  if (!isJsonObject(args)) return undefined;
  if (isAnswer(args)) return "continuation";
  return isAnswer(asObject(args["_meta"])) ? "_meta" : undefined;
}

/** Members of `_meta` that are an answer. */
function isAnswer({ continuation, responses }: Members): boolean {
  return typeof continuation === "string" && (continuation.startsWith("cont_") || isJsonObject(responses));
}

/** The error for an answer to a question among the arguments, where it would be dropped as an unknown argument. */
export function misplacedAnswer(name: string): ErrorResult {
  const body = describeBody('{"<key>": {"action": "accept", "content": {…}}}');
  return errorResult("invalid_request", `"${name}" is not an argument of the tool. To answer a question send ${body}`);
}
