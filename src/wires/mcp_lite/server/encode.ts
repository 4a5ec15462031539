/**
 * Encodes the results of MCP-lite over HTTP, with their `_meta`.
 *
 * Each value is stringified once, and put in its envelope as text. `JSON.stringify` may throw for the value of a tool.
 * Source: docs/spec.md 3.3, 3.4, 4.3 and A.2-A.5.
 */
import type { AnswerOutcome, FailureOutcome, Outcome, QuestionsResult } from "../../../core/call/outcome.ts";
import { outcomeMeta, promiseToJson, questionsToJson } from "../../framing/result/encode.ts";
import type { Members } from "../../../internal/json.ts";
import { formatTimestamp } from "../../../internal/time.ts";

/** Encodes `timestamp`, `processing_time_ms` and `server_version`, which the `_meta` of every result of a server has. */
export class MetaEncoder {
  readonly #versionJson: string;
  #nowMs = NaN;
  #tookMs = NaN;
  #text = "";

  /** @param serverVersion Version of the server. */
  constructor(serverVersion: string) {
    this.#versionJson = JSON.stringify(serverVersion);
  }

  /** Encodes the common members, without braces. The text is cached, because a busy server needs it many times a millisecond. */
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

/**
 * Encodes an outcome as JSON text: the member `result` of the JSON-RPC response. Throws if a value cannot be written as JSON.
 *
 * @param common Text of {@link MetaEncoder.common}.
 */
export function encodeOutcome(outcome: Outcome, common: string): string {
  switch (outcome.kind) {
    case "answer":
      return encodeResult(outcome.kind, JSON.stringify(outcome.value), common, encodeAdded(outcome));
    case "failure": {
      const { code, message, data } = outcome;
      return encodeResult(outcome.kind, JSON.stringify({ code, message, data }), common, encodeAdded(outcome));
    }
    case "promise":
      return encodeResult(outcome.kind, undefined, common, encodeMembers(promiseToJson(outcome)));
    default:
      return encodeResult(outcome.kind, undefined, common, encodeMembers(questionsMeta(outcome)));
  }
}

function encodeResult(kind: Outcome["kind"], content: string | undefined, common: string, added: string): string {
  const meta = `"_meta":{"response_type":"${kind}",${common}${added}}}`;
  return content === undefined ? `{${meta}` : `{"content":${content},${meta}`;
}

/** Encodes members as text that continues an object; empty if there are no members. */
function encodeMembers(members: Members): string {
  const json = JSON.stringify(members);
  return json === "{}" ? "" : `,${json.slice(1, -1)}`;
}

/** Encodes the members of `_meta` that the handler added, and the caller state. */
function encodeAdded(outcome: AnswerOutcome | FailureOutcome): string {
  const meta = outcomeMeta(outcome);
  return meta === undefined ? "" : encodeMembers(meta);
}

function questionsMeta(outcome: QuestionsResult): Members {
  return { continuation: outcome.continuation, requests: questionsToJson(outcome) };
}
