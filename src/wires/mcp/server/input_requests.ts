/** Converts questions to requests to the client, and the client's responses to answers. */
import type { Question } from "../../../core/call/outcome.ts";
import { isJsonObject, type JsonObject, type Members } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { nameCapabilities } from "../protocol/capabilities.ts";
import { MISSING_CAPABILITY } from "../protocol/codes.ts";
import { CLIENT_CAPABILITIES, isLegacyVersion } from "../protocol/constants.ts";
import { type InputRequest, isModelOrRootsResult, RESOURCE_KEY_PREFIX } from "../protocol/messages.ts";
import { type ProtocolError, protocolError } from "./response.ts";
import type { Revision } from "./revision.ts";

/**
 * Converts questions to the member `inputRequests` of a result, by the keys that the client sees.
 *
 * @throws {TypeError} If a schema is not a form.
 */
export function toInputRequests(questions: Readonly<Record<string, Question>>, revision: Revision): Members {
  return Object.fromEntries(
    Object.entries(questions).map(([key, question]) => [inputKey(key, question), toInputRequest(question, revision)]),
  );
}

/** The error -32021 for a client that has not declared what its questions need. */
export function cannotAsk(requiredCapabilities: Members): ProtocolError {
  const message =
    `This asks the client, which has not declared the capability ${nameCapabilities(requiredCapabilities)}: ` +
    `declare it in _meta["${CLIENT_CAPABILITIES}"] and answer inputRequests, or use another client`;
  return protocolError(MISSING_CAPABILITY, message, { requiredCapabilities });
}

/** The key under which a client sees a question: with {@link RESOURCE_KEY_PREFIX} if it asks for more of a resource. */
export function inputKey(key: string, { kind }: Question): string {
  return kind === "more" ? RESOURCE_KEY_PREFIX + key : key;
}

/**
 * Converts a question to a separate request. Its `_meta` has the key of the question and the id of the client's request, for clients
 * of this SDK. Other clients ignore it.
 *
 * @throws {TypeError} If the schema is not a form.
 */
export function toSeparateRequest(key: string, of: RequestId, question: Question, revision: Revision): InputRequest {
  const { method, params } = toInputRequest(question, revision);
  return { method, params: { ...params, _meta: { ...params["_meta"] as Members | undefined, question: { key, of } } } };
}

/** @throws {TypeError} If the schema is not a form. */
function toInputRequest(question: Question, revision: Revision): InputRequest {
  const { refused, ...params } = question.params ?? {};
  const request = toFirstRequest({ ...question, params }, revision);
  return typeof refused === "string" ? withReason(request, refused) : request;
}

function toFirstRequest({ kind, message, schema, params = {} }: Question, revision: Revision): InputRequest {
  if (kind === "sampling") return { method: "sampling/createMessage", params };
  if (kind === "roots") return { method: "roots/list", params: {} };
  if (kind === "more") {
    const { method, params: grant } = form(message, GRANT, revision);
    // A form cannot describe the resource. Clients of this SDK read it from `_meta`.
    return { method, params: { ...grant, _meta: { resource: params } } };
  }
  if (schema !== undefined) return form(message, toFormSchema(schema, revision), revision);
  // Before 2026-07-28 there is an id, for the notification that the visit of the URL is complete.
  const elicitation = isLegacyVersion(revision.version) && { elicitationId: crypto.randomUUID() };
  return { method: "elicitation/create", params: { mode: "url", message, ...params, ...elicitation } };
}

/** Converts a client's responses to answers, by the keys of the questions. An object that answers no kind of question becomes `null`. */
export function fromInputResponses(responses: Members): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(responses).map(([key, response]) => {
      return key.startsWith(RESOURCE_KEY_PREFIX)
        ? [key.slice(RESOURCE_KEY_PREFIX.length), fromGrant(response)]
        : [key, fromResponse(response)];
    }),
  );
}

function form(message: string, requestedSchema: Members, { hasRichForms }: Revision): InputRequest {
  return { method: "elicitation/create", params: { ...(hasRichForms && { mode: "form" }), message, requestedSchema } };
}

/** Adds the reason why the last answer was rejected: to `_meta` for clients of this SDK, and to the message for people. */
function withReason({ method, params: { message, ...params } }: InputRequest, refused: string): InputRequest {
  const withMessage = message === undefined ? {} : { message: `${message} (${refused})` };
  return {
    method,
    params: { ...params, ...withMessage, _meta: { ...params["_meta"] as Members | undefined, refused } },
  };
}

const GRANT: JsonObject = {
  type: "object",
  properties: { granted: { type: "boolean", title: "Grant it" } },
  required: ["granted"],
};

function fromGrant(response: unknown): unknown {
  if (!isJsonObject(response) || response["action"] !== "accept") return response;
  const { content } = response;
  if (!isJsonObject(content) || typeof content["granted"] !== "boolean") return null;
  return content["granted"] ? response : { action: "decline" };
}

/** The results of sampling and of `roots/list` have no `action`. */
function fromResponse(response: unknown): unknown {
  if (!isJsonObject(response) || response["action"] !== undefined) return response;
  return isModelOrRootsResult(response) ? { action: "accept", content: response } : null;
}

const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** Converts a schema to a form: an object with fields that are not nested. */
function toFormSchema(schema: JsonObject, revision: Revision): Members {
  const { type, properties, required } = schema;
  if (type !== "object" || !isJsonObject(properties)) {
    throw new TypeError("A question over MCP is a form: its schema has to be an object of plain fields");
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const isList = isJsonObject(field) && field["type"] === "array" && revision.hasRichForms;
    if (!isJsonObject(field) || !(isList || isPlain(field))) {
      throw new TypeError(
        `A question over MCP is a form: field "${name}" has to be text, a number, a boolean or a choice`,
      );
    }
    return [name, revision.hasRichForms ? field : toPlainField(field)] as const;
  });
  return { type, properties: Object.fromEntries(fields), required };
}

function isPlain(field: Members): boolean {
  return PRIMITIVES.has(field["type"]) || Array.isArray(field["enum"]) || Array.isArray(field["oneOf"]);
}

/** Converts a field to 2025-06-18: titles of choices are in `enumNames`, and only booleans have defaults. */
function toPlainField(field: Members): Members {
  const { oneOf, default: preset, ...rest } = field;
  const kept = field["type"] === "boolean" && preset !== undefined ? { ...rest, default: preset } : rest;
  if (!Array.isArray(oneOf)) return kept;
  const choices = oneOf.filter(isJsonObject);
  return {
    ...kept,
    type: "string",
    enum: choices.map((choice) => choice["const"]),
    enumNames: choices.map(({ title, const: value }) => title ?? value),
  };
}
