/**
 * Writes what MCP-lite over HTTP answers: results with their `_meta`, errors, and the events of a stream.
 *
 * Each value is stringified once and spliced into its envelope as text. Functions that stringify a tool's value throw what
 * `JSON.stringify` throws.
 * Source: MCP-lite specification, sections 3.3, 3.4, 4.3 and A.2-A.5.
 *
 * @module
 */
import type {
  AnswerOutcome,
  AskOutcome,
  AskRequest,
  CallEvent,
  FailureOutcome,
  Outcome,
  PromiseOutcome,
  Refusal,
} from "../../call/outcome.ts";
import { RESERVED_META } from "../../call/reserved_meta.ts";
import { formatTimestamp } from "../../internal/clock.ts";
import { isJsonObject } from "../../internal/json.ts";
import { httpErrorCodes } from "./codes.ts";

/** Writes the members that every `_meta` has. */
export class MetaEncoder {
  readonly #versionJson: string;
  #nowMs = Number.NaN;
  #tookMs = Number.NaN;
  #text = "";

  /** @param serverVersion Version of the server. */
  constructor(serverVersion: string) {
    this.#versionJson = JSON.stringify(serverVersion);
  }

  /** Members of a result's `_meta`, without braces. Kept while they stay the same: a busy server writes them many times a millisecond. */
  common(startedMs: number, nowMs: number): string {
    // A clock that was set back must not give a negative duration.
    const tookMs = nowMs > startedMs ? nowMs - startedMs : 0;
    if (nowMs !== this.#nowMs || tookMs !== this.#tookMs) {
      const timestamp = formatTimestamp(nowMs);
      this.#text = `"timestamp":"${timestamp}","processing_time_ms":${tookMs},"server_version":${this.#versionJson}`;
      this.#nowMs = nowMs;
      this.#tookMs = tookMs;
    }
    return this.#text;
  }
}

/** The JSON-RPC `result` of an outcome. `common` is what {@link MetaEncoder.common} wrote. */
export function encodeOutcome(outcome: Outcome, common: string): string {
  switch (outcome.kind) {
    case "answer": {
      const content = JSON.stringify(outcome.value);
      const meta = `"_meta":{"response_type":"answer",${common}${encodeAdded(outcome)}}}`;
      return content === undefined ? `{${meta}` : `{"content":${content},${meta}`;
    }
    case "failure": {
      const { code, message, data } = outcome;
      const content = JSON.stringify({ code, message, data });
      return `{"content":${content},"_meta":{"response_type":"failure",${common}${encodeAdded(outcome)}}}`;
    }
    case "promise":
      return `{"_meta":{"response_type":"promise",${common}${encodeMembers(promiseMembers(outcome))}}}`;
    default:
      return `{"_meta":{"response_type":"${outcome.kind}",${common}${encodeMembers(askMembers(outcome))}}}`;
  }
}

/** The JSON-RPC `error` of a refusal; with `common`, as the `error` event of a stream, it carries a `_meta`. */
export function encodeRefusal(refusal: Refusal, common?: string): string {
  const { number } = httpErrorCodes[refusal.code];
  const { data: details } = refusal;
  const isPlain = details === undefined || (isJsonObject(details) && !Object.hasOwn(details, "code"));
  const data = isPlain ? details : { details };
  const head = `{"code":${number},"message":${JSON.stringify(refusal.message)}`;
  const json = `${head},"data":${JSON.stringify({ ...data, code: refusal.code })}`;
  return common === undefined ? `${json}}` : `${json},"_meta":{${common}}}`;
}

/** The data of a `message` event. */
export function encodeEvent(event: CallEvent): string {
  switch (event.kind) {
    case "partial":
      return `{"partial":${JSON.stringify(event.value) ?? "null"}}`;
    case "progress":
      return `{"progress":${JSON.stringify(event.progress)}}`;
    case "deferred":
      return `{"deferred":${JSON.stringify(promiseMembers(event.promise))}}`;
  }
}

/** Members as JSON text that continues an object; empty if there are none. */
function encodeMembers(members: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(members);
  return json === "{}" ? "" : `,${json.slice(1, -1)}`;
}

/** The handler's own members, and the caller's state. Middleware may hand on what a client got, with what that wire had added. */
function encodeAdded({ meta, context }: AnswerOutcome | FailureOutcome): string {
  if (meta === undefined && context === undefined) return "";
  const added = Object.entries(meta ?? {}).filter(([name]) => !RESERVED_META.has(name));
  return encodeMembers({ ...Object.fromEntries(added), ...(context !== undefined && { context }) });
}

function promiseMembers(promise: PromiseOutcome): Readonly<Record<string, unknown>> {
  const { estimatedMs, progress } = promise;
  return {
    promise_token: promise.token,
    expires_at: formatTimestamp(promise.expiresAtMs),
    ttl_ms: promise.ttlMs,
    retry_after_ms: promise.retryAfterMs,
    ...(estimatedMs !== undefined && { estimated_completion: formatTimestamp(estimatedMs) }),
    ...(progress !== undefined && { progress }),
  };
}

function askMembers(outcome: AskOutcome): Readonly<Record<string, unknown>> {
  const requests = Object.entries(outcome.requests).map(([key, request]) => [key, encodeAsk(request)] as const);
  return { continuation: outcome.continuation, requests: Object.fromEntries(requests) };
}

function encodeAsk({ kind, message, schema, params }: AskRequest): Readonly<Record<string, unknown>> {
  return { ...params, kind, message, ...(schema !== undefined && { schema }) };
}
