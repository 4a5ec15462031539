/**
 * What a call asks its caller, as MCP asks it, and what callers say to that.
 *
 * @module
 */
import type { Question } from "../../../core/call/outcome.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { isJsonObject, type JsonObject, type Members } from "../../../internal/json.ts";
import type { Dialect } from "./revision.ts";
import { isLegacyVersion } from "../protocol/constants.ts";
import { type InputRequest, isModelOrRootsResult, RESOURCE_KEY_PREFIX } from "../protocol/forms.ts";

/** The questions by the keys that the client knows them by. */
export function toInputRequests(requests: Readonly<Record<string, Question>>, dialect: Dialect): Members {
  return Object.fromEntries(
    Object.entries(requests).map(([key, request]) => [inputKey(key, request), toInputRequest(request, dialect)]),
  );
}

/** The key that the client knows a question by. */
export function inputKey(key: string, { kind }: Question): string {
  return kind === "more" ? RESOURCE_KEY_PREFIX + key : key;
}

/**
 * A question that is sent as a request of its own: clients of ours read in its `_meta` under which key it is asked, and by
 * which of their requests; others pass that over.
 *
 * @throws {TypeError} If it is no form that people can be shown.
 */
export function toAloneRequest(key: string, of: RequestId, request: Question, dialect: Dialect): InputRequest {
  const { method, params } = toInputRequest(request, dialect);
  return { method, params: { ...params, _meta: { ...params["_meta"] as Members | undefined, question: { key, of } } } };
}

/**
 * One question.
 *
 * @throws {TypeError} If it is no form that people can be shown.
 */
function toInputRequest(request: Question, dialect: Dialect): InputRequest {
  const { refused, ...params } = request.params ?? {};
  const asked = askOnce({ ...request, params }, dialect);
  return typeof refused === "string" ? askedAgain(asked, refused) : asked;
}

function askOnce({ kind, message, schema, params = {} }: Question, dialect: Dialect): InputRequest {
  switch (kind) {
    case "sampling":
      return { method: "sampling/createMessage", params };
    case "roots":
      return { method: "roots/list", params: {} };
    case "more": {
      const { method, params: grant } = form(message, GRANT, dialect);
      // A form has no word for what is granted: that is for clients of ours.
      return { method, params: { ...grant, _meta: { resource: params } } };
    }
    default:
      if (schema !== undefined) return form(message, flat(schema, dialect), dialect);
      return {
        method: "elicitation/create",
        params: {
          mode: "url",
          message,
          ...params,
          // Before 2026-07-28 it had an id that could be told to be complete.
          ...(isLegacyVersion(dialect.version) && { elicitationId: crypto.randomUUID() }),
        },
      };
  }
}

/** What a client sent to questions, as dispatch reads it: `null` for what is no answer. */
export function fromInputResponses(responses: Members): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(responses).map(([key, response]) => {
      return key.startsWith(RESOURCE_KEY_PREFIX)
        ? [key.slice(RESOURCE_KEY_PREFIX.length), granted(response)]
        : [key, fromResponse(response)];
    }),
  );
}

function form(message: string, requestedSchema: Members, { hasRichForms }: Dialect): InputRequest {
  return { method: "elicitation/create", params: { ...(hasRichForms && { mode: "form" }), message, requestedSchema } };
}

/** Clients of ours read in `_meta` why a question comes again; people, in its words, where it has any. */
function askedAgain({ method, params: { message, ...params } }: InputRequest, refused: string): InputRequest {
  const words = message === undefined ? {} : { message: `${message} (${refused})` };
  return { method, params: { ...params, ...words, _meta: { ...params["_meta"] as Members | undefined, refused } } };
}

const GRANT: JsonObject = {
  type: "object",
  properties: { granted: { type: "boolean", title: "Grant it" } },
  required: ["granted"],
};

function granted(response: unknown): unknown {
  if (!isJsonObject(response) || response["action"] !== "accept") return response;
  const { content } = response;
  if (!isJsonObject(content) || typeof content["granted"] !== "boolean") return null;
  return content["granted"] ? response : { action: "decline" };
}

/** What a model or a list of folders says is not wrapped in an action. */
function fromResponse(response: unknown): unknown {
  if (!isJsonObject(response) || response["action"] !== undefined) return response;
  return isModelOrRootsResult(response) ? { action: "accept", content: response } : null;
}

const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** A schema as a form: an object of plain fields. */
function flat(schema: JsonObject, dialect: Dialect): Members {
  const { type, properties, required } = schema;
  if (type !== "object" || !isJsonObject(properties)) {
    throw new TypeError("A question over MCP is a form: its schema has to be an object of plain fields");
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const isList = isJsonObject(field) && field["type"] === "array" && dialect.hasRichForms;
    if (!isJsonObject(field) || !(isList || isPlain(field))) {
      throw new TypeError(
        `A question over MCP is a form: field "${name}" has to be text, a number, a boolean or a choice`,
      );
    }
    return [name, dialect.hasRichForms ? field : plainField(field)] as const;
  });
  return { type, properties: Object.fromEntries(fields), ...(required !== undefined && { required }) };
}

function isPlain(field: Members): boolean {
  return PRIMITIVES.has(field["type"]) || Array.isArray(field["enum"]) || Array.isArray(field["oneOf"]);
}

/** As 2025-06-18 knows it: choices have names beside them, and only booleans have defaults. */
function plainField(field: Members): Members {
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
