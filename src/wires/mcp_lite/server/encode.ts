/**
 * Writes what MCP-lite over HTTP answers: results with their `_meta`, errors, and the events of a stream.
 *
 * Each value is stringified once and spliced into its envelope as text. Functions that stringify a tool's value throw what
 * `JSON.stringify` throws.
 * Source: docs/spec.md 3.3, 3.4, 4.3 and A.2-A.5.
 *
 * @module
 */
import type {
  AnswerOutcome,
  CallEvent,
  ErrorResult,
  FailureOutcome,
  Outcome,
  QuestionsResult,
} from "../../../core/call/outcome.ts";
import {
  addedMembers,
  eventMembers,
  promiseMembers,
  refusalData,
  requestMembers,
} from "../../framing/result/encode.ts";
import type { Members } from "../../../internal/json.ts";
import { formatTimestamp } from "../../../internal/time.ts";
import { httpErrorCodes } from "../../framing/json_rpc/codes.ts";

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
    case "answer":
      return encodeResult(outcome.kind, JSON.stringify(outcome.value), common, encodeAdded(outcome));
    case "failure": {
      const { code, message, data } = outcome;
      return encodeResult(outcome.kind, JSON.stringify({ code, message, data }), common, encodeAdded(outcome));
    }
    case "promise":
      return encodeResult(outcome.kind, undefined, common, encodeMembers(promiseMembers(outcome)));
    default:
      return encodeResult(outcome.kind, undefined, common, encodeMembers(askMembers(outcome)));
  }
}

function encodeResult(kind: Outcome["kind"], content: string | undefined, common: string, added: string): string {
  const meta = `"_meta":{"response_type":"${kind}",${common}${added}}}`;
  return content === undefined ? `{${meta}` : `{"content":${content},${meta}`;
}

/** The JSON-RPC `error` of a refusal; with `common`, as the `error` event of a stream, it carries a `_meta`. */
export function encodeRefusal(refusal: ErrorResult, common?: string): string {
  const { number } = httpErrorCodes[refusal.code];
  const head = `{"code":${number},"message":${JSON.stringify(refusal.message)}`;
  const json = `${head},"data":${JSON.stringify(refusalData(refusal))}`;
  return common === undefined ? `${json}}` : `${json},"_meta":{${common}}}`;
}

/** The data of a `message` event. */
export function encodeEvent(event: CallEvent): string {
  // Pieces may be many: they alone are written without an object in between.
  if (event.kind === "partial") return `{"partial":${JSON.stringify(event.value) ?? "null"}}`;
  return JSON.stringify(eventMembers(event));
}

/** Members as JSON text that continues an object; empty if there are none. */
function encodeMembers(members: Members): string {
  const json = JSON.stringify(members);
  return json === "{}" ? "" : `,${json.slice(1, -1)}`;
}

/** The handler's own members, and the caller's state. */
function encodeAdded(outcome: AnswerOutcome | FailureOutcome): string {
  const { meta, context } = outcome;
  if (meta === undefined && context === undefined) return "";
  return encodeMembers({ ...addedMembers(outcome), ...(context !== undefined && { context }) });
}

function askMembers(outcome: QuestionsResult): Members {
  return { continuation: outcome.continuation, requests: requestMembers(outcome) };
}
