/** Sends the calls of a recording to a server again, and compares the results. */
import type { CallEvent, CallResult, PromiseOutcome, UnknownOutcome } from "../../core/call/outcome.ts";
import type { ActivityMonitor, Transport } from "../../core/call/transport.ts";
import { asObject, isJsonObject, type Members, omitUndefined } from "../../internal/json.ts";
import { delay } from "../../internal/time.ts";
import { compareJson, type JsonDifference } from "./compare_json.ts";
import { createRedactor } from "../../core/redaction/redact.ts";
import type { RecordedCall, Recording } from "./recording.ts";
import { MARK } from "../../core/redaction/secrets.ts";

/** What became of one recorded call. */
export interface ReplayedCall {
  readonly n: number;
  readonly tool: string;
  /** `skipped`: the call cannot be sent again; `reason` says why. */
  readonly status: "same" | "different" | "skipped";
  readonly reason?: string;
  readonly differences: readonly JsonDifference[];
  /** Number of places that are not compared, because the recording has no secret. */
  readonly redacted: number;
}

/** Options of {@link replayCalls}. */
export interface ReplayOptions {
  // JSON pointers of places that are not compared. A `*` stands for any one member: `/value/*/id`.
  readonly ignore: readonly string[];
  /** Runs a request within its time limit. */
  limited<Value>(work: (limit: ActivityMonitor) => Promise<Value>): Promise<Value>;
}

/** Maximum number of requests for the result of one promise. */
const MAX_REDEEMS = 1_000;

const { value: redact } = createRedactor();

/** Sends the calls one after the other, in recorded order. Tokens of the recording are replaced by those that the server gave meanwhile. */
export async function* replayCalls(
  { calls }: Recording,
  transport: Transport,
  options: ReplayOptions,
): AsyncGenerator<ReplayedCall> {
  const tokens = new Map<string, string>();
  for (const call of calls) {
    const { n, tool, settled } = call;
    const sent = { args: withTokens(call.args, tokens), meta: withTokens(call.meta, tokens) };
    const reason = whySkipped(call, sent);
    if (reason !== undefined || settled === undefined) {
      yield {
        n,
        tool,
        status: "skipped",
        reason: reason ?? "the recording has no result",
        differences: [],
        redacted: 0,
      };
      continue;
    }
    const repeated = await repeatCall(call, sent, transport, options);
    learnTokens(settled, repeated.settled, tokens);
    const compared = compareJson(
      comparable(settled, call.events),
      redact(comparable(repeated.settled, repeated.events)),
      options.ignore,
    );
    yield { n, tool, status: compared.differences.length === 0 ? "same" : "different", ...compared };
  }
}

interface Sent {
  readonly args: unknown;
  readonly meta: unknown;
}

function whySkipped({ tool, settled }: RecordedCall, sent: Sent): string | undefined {
  if (settled === undefined) return "the recording ended before its result";
  if (tool === "redeem" && settled.kind === "promise") return "the work was still running";
  if (settled.kind === "error" && settled.code === "cancelled") return "its caller cancelled it";
  return MARK.test(JSON.stringify(sent)) ? "its secrets are not in the recording" : undefined;
}

interface Repeated {
  readonly settled: CallResult | UnknownOutcome;
  readonly events: readonly CallEvent[];
}

/** Repeats a redeem until the work has ended, as the recorded caller did. */
async function repeatCall(
  call: RecordedCall,
  sent: Sent,
  transport: Transport,
  options: ReplayOptions,
): Promise<Repeated> {
  const events: CallEvent[] = [];
  const sink = call.events.some(({ kind }) => kind === "partial")
    ? { push: (event: CallEvent) => void events.push(event) }
    : undefined;
  const meta = asObject(sent.meta);
  const request = { tool: call.tool, args: sent.args, meta: Object.keys(meta).length === 0 ? undefined : meta };
  for (let attempt = 1;; attempt++) {
    const settled = await options.limited(async (limit) => await transport.call({ ...request, limit }, sink));
    const isRunning = call.tool === "redeem" && settled.kind === "promise" && attempt < MAX_REDEEMS;
    if (!isRunning) return { settled, events };
    await delay((settled as PromiseOutcome).retryAfterMs, new AbortController().signal);
  }
}

/** What has to be equal: not tokens, times and metadata. An internal error has another correlation id each time. */
function comparable(settled: CallResult | UnknownOutcome, events: readonly CallEvent[]): Members {
  const pieces = events.flatMap((event) => (event.kind === "partial" ? [event.value] : []));
  const joined = pieces.every((piece) => typeof piece === "string") ? pieces.join("") : pieces;
  const streamed = pieces.length === 0 ? {} : { pieces: joined };
  switch (settled.kind) {
    case "answer":
      return omitUndefined({ kind: settled.kind, value: settled.value, ...streamed });
    case "failure":
      return omitUndefined({
        kind: settled.kind,
        code: settled.code,
        message: settled.message,
        data: settled.data,
        ...streamed,
      });
    case "error": {
      const { kind, code, message, data } = settled;
      return code === "internal" ? { kind, code } : omitUndefined({ kind, code, message, data, ...streamed });
    }
    case "promise":
      return { kind: settled.kind };
    case "unknown":
      return { kind: settled.kind, responseType: settled.responseType };
    default:
      return { kind: settled.kind, requests: settled.requests };
  }
}

/** Remembers which token the server gave where the recording has the mark of one. */
function learnTokens(recorded: CallResult, given: CallResult | UnknownOutcome, tokens: Map<string, string>): void {
  const [old, now] = [asObject(recorded), asObject(given)];
  for (const name of ["token", "continuation", "context"]) {
    const [mark, token] = [old[name], now[name]];
    if (typeof mark === "string" && typeof token === "string") tokens.set(mark, token);
  }
}

function withTokens(value: unknown, tokens: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return tokens.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withTokens(item, tokens));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTokens(member, tokens)]));
}
