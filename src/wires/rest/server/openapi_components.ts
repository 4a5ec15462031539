/**
 * Components of the OpenAPI document that all tools have in common: problem documents, promises, parameters and error responses.
 *
 * @module
 */
import { componentRef, schemaComponents, toComponentName } from "../../../core/json_schema/components.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import { jsonRpcErrorCodes } from "../../framing/json_rpc/reply.ts";
import { DEADLINE_HEADER, KEY_HEADER, PROBLEM_TYPE, problemType } from "../messages/problem.ts";
import { UNPROCESSABLE } from "./encode.ts";

/** A part of the OpenAPI document, as JSON. */
export type Node = Readonly<Record<string, unknown>>;

/** Schema of any text. */
export const TEXT_SCHEMA: Node = { type: "string" };

/** Schema of an object: the members in `properties` are required, those in `optional` are not. */
function objectOf(properties: Node, optional: Node = {}): Node {
  return { type: "object", properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

/** The object `content` of a body with one media type and this schema. */
export function contentOf(schema: Node, mediaType: string = "application/json"): Node {
  return { [mediaType]: { schema } };
}

/** Refers to a component that is not a schema. */
export function componentOf(kind: "parameters" | "responses" | "headers", name: string): Node {
  return { $ref: `#/components/${kind}/${name}` };
}

function problemSchema(status: Node, code: Node, added: Node = {}, type: Node = TEXT_SCHEMA): Node {
  const members = { type, title: TEXT_SCHEMA, status, detail: TEXT_SCHEMA, code };
  return objectOf({ ...members, ...added }, { instance: TEXT_SCHEMA });
}

/** Schemas of the failures that a tool declares, and of their data, by component name. */
export function failureSchemas({ name, errors }: ToolDefinition): readonly (readonly [string, Node])[] {
  return [...errors].flatMap(([code, data]) => {
    const component = failureComponent(name, code);
    const schemas = data === undefined ? [] : schemaComponents(`${component}.data`, data.jsonSchema);
    const added = data === undefined ? {} : { data: componentRef(`${component}.data`) };
    const type = { type: "string", const: problemType("failure", code) };
    const schema = problemSchema(
      { type: "integer", const: UNPROCESSABLE },
      { type: "string", const: code },
      added,
      type,
    );
    return [[component, schema] as const, ...schemas];
  });
}

/** Name of the component of a declared failure. */
export function failureComponent(tool: string, code: string): string {
  return `${toComponentName(tool)}.failure.${toComponentName(code)}`;
}

/** Error codes of a status. */
function codesOf(status: number): readonly string[] {
  const codes = Object.keys(jsonRpcErrorCodes) as (keyof typeof jsonRpcErrorCodes)[];
  return codes.filter((code) => jsonRpcErrorCodes[code].status === status);
}

/** Statuses of errors that a call may have, without those of authentication. */
export const ERROR_STATUSES: readonly number[] = [400, 404, 409, 413, 429, 500, 503, 504];

/** Statuses of errors of authentication and authorization, which all paths of a server with `auth` may have. */
export const AUTH_STATUSES: readonly number[] = [401, 403];

/** Statuses of errors that requests for a promise, or to cancel it, may have, without those of authentication. */
export const PROMISE_STATUSES: readonly number[] = [400, 410, 500, 503, 504];

const ALL_STATUSES = [...new Set([...ERROR_STATUSES, ...AUTH_STATUSES, ...PROMISE_STATUSES])];

function errorComponent(status: number): readonly [string, Node] {
  const code = { type: "string", enum: codesOf(status) };
  const added = { data: { description: "Particulars, such as the issues of invalid arguments" } };
  const schema = problemSchema({ type: "integer", const: status }, code);
  return [`Error${status}`, { ...schema, properties: { ...schema["properties"] as Node, ...added } }];
}

/** Codes of failures that the server adds to those of a tool. */
const SERVER_FAILURES: readonly string[] = [
  "cancelled",
  "not_cancellable",
  "resource_denied",
  "unanswered",
  "config_lost",
  "revision_changed",
  "replay_diverged",
  "attempts_exhausted",
  "invalid_handler",
];

const PROGRESS: Node = objectOf({ done: { type: "number" } }, { total: { type: "number" }, message: TEXT_SCHEMA });

/** Schemas of errors, failures, questions, promises, cancellations and the tool list, by name in `components`. */
export const SCHEMAS: Node = {
  ...Object.fromEntries(ALL_STATUSES.map(errorComponent)),
  Failure: problemSchema({ type: "integer", const: UNPROCESSABLE }, TEXT_SCHEMA),
  ServerFailure: problemSchema({ type: "integer", const: UNPROCESSABLE }, { type: "string", enum: SERVER_FAILURES }),
  Question: problemSchema(
    { type: "integer", const: UNPROCESSABLE },
    { type: "string", enum: ["elicitation", "request-for-more-resource"] },
    { continuation: TEXT_SCHEMA, requests: { type: "object", additionalProperties: true } },
  ),
  PromiseToken: objectOf(
    {
      promise_token: TEXT_SCHEMA,
      expires_at: TEXT_SCHEMA,
      ttl_ms: { type: "number" },
      retry_after_ms: { type: "number" },
    },
    { estimated_completion: TEXT_SCHEMA, progress: PROGRESS },
  ),
  Cancellation: objectOf({ cancelled: { type: "boolean" } }),
  ToolList: objectOf({ tools: { type: "array", items: { type: "object", additionalProperties: true } } }),
};

/** Responses of errors, by status, and of a promise. */
export const RESPONSES: Node = {
  ...Object.fromEntries(
    ALL_STATUSES.map((status) => {
      const description = codesOf(status).join(", ");
      return [`Error${status}`, { description, content: contentOf(componentRef(`Error${status}`), PROBLEM_TYPE) }];
    }),
  ),
  Promised: {
    description: "The answer is promised: GET the Location until it is there, DELETE it to cancel",
    headers: {
      location: { description: "Path of the promise", schema: TEXT_SCHEMA },
      "retry-after": { description: "Seconds until the next request", schema: { type: "integer" } },
      "preference-applied": { description: "The preferences that were applied", schema: TEXT_SCHEMA },
    },
    content: contentOf(componentRef("PromiseToken")),
  },
};

/** Request headers of calls, and the token in the path of a promise, by name in `components`. */
export const PARAMETERS: Node = {
  IdempotencyKey: {
    name: KEY_HEADER,
    in: "header",
    description: "A repeated call with the same key returns the result of the first one",
    schema: { type: "string", minLength: 1, maxLength: 256 },
  },
  Deadline: {
    name: DEADLINE_HEADER,
    in: "header",
    description: "Time limit of the call in milliseconds",
    schema: { type: "integer", minimum: 1 },
  },
  Prefer: {
    name: "prefer",
    in: "header",
    description: "respond-async: return a promise at once; wait=n: wait up to n seconds for the answer (RFC 7240)",
    schema: TEXT_SCHEMA,
  },
  Token: { name: "token", in: "path", required: true, description: "The promise token", schema: TEXT_SCHEMA },
};
