/** Texts for a model when a call fails: the error, its code, and advice. */
import type { FailureOutcome, PromiseOutcome, Question, QuestionsResult } from "../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../core/errors/code.ts";
import { asObject, isJsonObject } from "../../internal/json.ts";
import { shorten } from "../../internal/text.ts";

/** Advice by error code, for a model that knows only its tools. */
const ADVICE: Readonly<Record<ToolErrorCode, string>> = {
  parse_error: "Write the arguments as one JSON object and call again.",
  invalid_request: "Do not repeat this call; try another way, or tell the user.",
  method_not_found: "Do not repeat this call; the server does not offer it.",
  tool_not_found: "Call one of the tools that there are.",
  resource_not_found: "Check the name of the resource and call again.",
  prompt_not_found: "Check the name of the prompt and call again.",
  invalid_input: "Mend the arguments and call again.",
  invalid_config: "Arguments cannot mend this; tell the user that the tool is not set up as it should be.",
  invalid_promise: "Use a token exactly as it was given, or begin the work again.",
  expired_promise: "The result is no longer kept; begin the work again.",
  invalid_continuation: "Begin again: call with the same arguments.",
  promise_lost: "The work is lost; begin it again.",
  conflict: "Do not repeat this call with other arguments.",
  deadline_exceeded: "It took too long. Ask for less at once, or try again later.",
  cancelled: "The work was cancelled; do not begin it again unless the user asks for it.",
  unauthenticated: "Only the user can mend this: the server wants to know who calls.",
  permission_denied: "This is not allowed; do not repeat the call, tell the user.",
  rate_limited: "Wait before you call again.",
  unavailable: "The server cannot be reached now. Try again later, or go on without it.",
  payload_too_large: "Send less at once.",
  result_too_large: "Ask for less at once.",
  internal: "The tool broke; this is no fault of the arguments. Try once more at most, then tell the user.",
};

/**
 * Explains an error to a model: its code and message, its details as JSON, and advice for the code. What the message states is not
 * stated again by the details.
 */
export function explainErrorToModel(code: ToolErrorCode, message: string, details: unknown): string {
  const head = `The call failed (${code})`;
  if (code === "tool_not_found") return lines(`${head}: ${nameUnknown(message, details)}`, adviseOnUnknown(details));
  const issues = code === "invalid_input" ? readIssues(details) : [];
  if (issues.length > 0) return lines(`${head}:`, ...issues.map((issue) => `- ${issue}`), ADVICE[code]);
  const further = furtherDetails(message, details);
  return lines(`${head}: ${message}`, further === undefined ? "" : `Details: ${toText(further)}`, ADVICE[code]);
}

/** The message about a tool that does not exist, with its name. */
function nameUnknown(message: string, details: unknown): string {
  const { requested_tool: requested } = asObject(details);
  return typeof requested !== "string" || message.includes(requested)
    ? message
    : `${message}: ${shorten(requested, 64)}`;
}

/** What to call in place of a tool that does not exist: the close one, a search for it, or one of the names. A model cannot list tools again. */
function adviseOnUnknown(details: unknown): string {
  const { suggestion, available_tools: names } = asObject(details);
  if (typeof suggestion === "string" && !suggestion.endsWith("list the tools")) return suggestion;
  return Array.isArray(names) && names.length > 0 ? `Call one of these: ${names.join(", ")}` : ADVICE.tool_not_found;
}

/** The issues of invalid arguments, a line each. Their messages have what was expected and received. */
function readIssues(details: unknown): readonly string[] {
  const issues = isJsonObject(details) && Array.isArray(details["issues"])
    ? details["issues"].filter(isJsonObject)
    : [];
  return issues.map(({ path, message }) => {
    const where = Array.isArray(path) && path.length > 0 ? `${path.join(".")}: ` : "";
    return `${where}${String(message)}`;
  });
}

/** Details without those that are in the message, such as its correlation id; `undefined` if none is left. */
function furtherDetails(message: string, details: unknown): unknown {
  if (!isJsonObject(details)) return details;
  const further = Object.entries(details).filter(([, value]) => typeof value !== "string" || !message.includes(value));
  return further.length === 0 ? undefined : Object.fromEntries(further);
}

/** Explains a `Failure`, which a tool has answered with, to a model: the same call would fail again. */
export function explainFailure({ code, message, data }: Pick<FailureOutcome, "code" | "message" | "data">): string {
  const advice = "The same call fails again: act on the reason, or tell the user.";
  return lines(`The tool says no (${code}): ${message}`, data === undefined ? "" : `Data: ${toText(data)}`, advice);
}

/** Explains to a model that a tool asks a question, and that the application has no answer to it. */
export function explainQuestion({ kind, requests }: Pick<QuestionsResult, "kind" | "requests">): string {
  return lines(
    `The tool has to know more before it goes on (${kind}), and no answer is available:`,
    ...Object.entries(requests).map(describeRequest),
    "Tell the user what is asked. The same call would ask again.",
  );
}

function describeRequest([key, { message, schema, params }]: readonly [string, Question]): string {
  const fits = schema === undefined ? "" : ` The answer has to fit ${toText(schema)}.`;
  return `- ${key}: ${message}${params === undefined ? "" : ` ${toText(params)}`}${fits}`;
}

/** Explains a promise token to a model that has the tools `redeem` and `cancel`. */
export function explainPromise({ token, retryAfterMs, progress }: PromiseOutcome): string {
  return lines(
    `The work goes on. This promise stands for its result: ${token}`,
    progress === undefined ? "" : `Progress: ${toText(progress)}`,
    `Call the tool redeem with it for the result, after ${retryAfterMs} ms or more, or the tool cancel to end the work.`,
  );
}

/** Whether the details of an error are the question that a call ended with. */
export function isQuestion(details: unknown): details is QuestionsResult {
  return isJsonObject(details) && isJsonObject(details["requests"]) &&
    (details["kind"] === "elicitation" || details["kind"] === "request-for-more-resource");
}

/** Formats a value for a model: text unchanged, other values as JSON. Never empty, since some APIs refuse empty text. */
export function toText(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  return JSON.stringify(value) ?? "Done. The tool returned nothing.";
}

function lines(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
