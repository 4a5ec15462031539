/** Sends recorded calls to a server again, with the tokens that the server gives in place of the recorded ones. */
import type { CallEvent, CallResult, UnknownOutcome } from "../../core/call/outcome.ts";
import type { ActivityMonitor, Transport } from "../../core/call/transport.ts";
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import { delay } from "../../internal/time.ts";
import type { RecordedCall } from "./recording.ts";
import { MARK } from "../../core/redaction/secrets.ts";

/** Result of a repeated call, with its events; these are collected only if the recorded call has some. */
export interface RepeatedCall {
  readonly settled: CallResult | UnknownOutcome;
  readonly events: readonly CallEvent[];
}

/** Maximum number of requests for the result of one promise. */
const MAX_REDEEMS = 1_000;

/** Maximum time that a server may wait before it answers a redeem, in milliseconds. */
const WAIT_MS = 20_000;

/** Sends the calls of one recording again, with tokens of the server in place of the recorded ones. */
export class CallRepeater {
  readonly #transport: Pick<Transport, "call">;
  readonly #limited: <Value>(work: (limit: ActivityMonitor) => Promise<Value>) => Promise<Value>;
  /** Tokens of the server, by the marks of recorded ones. */
  readonly #tokens = new Map<string, string>();
  /** Results of calls that the server answered where the recording has a promise, by the mark of the promise. */
  readonly #early = new Map<string, RepeatedCall>();

  /** @param limited Runs a request within its time limit. */
  constructor(
    transport: Pick<Transport, "call">,
    limited: <Value>(work: (limit: ActivityMonitor) => Promise<Value>) => Promise<Value>,
  ) {
    this.#transport = transport;
    this.#limited = limited;
  }

  /** Returns why a call cannot be repeated. `undefined` if it can. */
  whySkipped({ tool, args, meta, settled }: RecordedCall): string | undefined {
    if (settled === undefined) return "the recording ended before its result";
    if (tool === "redeem" && settled.kind === "promise") return "the work was still running";
    if (settled.kind === "error" && settled.code === "cancelled") return "its caller cancelled it";
    if (this.#early.has(promiseOf(args))) return undefined;
    const sent = JSON.stringify(withTokens([args, meta], this.#tokens));
    return MARK.test(sent) ? "its secrets are not in the recording" : undefined;
  }

  /** Repeats a call. Where the recorded one has a final result, promises are redeemed until they have one. */
  async repeat(call: RecordedCall): Promise<RepeatedCall> {
    const early = this.#early.get(promiseOf(call.args));
    if (early !== undefined && call.tool === "redeem") return early;
    const repeated = await this.#send(call);
    this.#learn(call, repeated);
    const { settled, events } = repeated;
    if (settled.kind !== "promise" || call.settled?.kind === "promise") return repeated;
    return { settled: await this.#follow(settled.token, settled.retryAfterMs), events };
  }

  async #send({ tool, args, meta, events: recorded }: RecordedCall): Promise<RepeatedCall> {
    const events: CallEvent[] = [];
    const sink = recorded.length === 0 ? undefined : { push: (event: CallEvent) => void events.push(event) };
    const members = asObject(withTokens(meta, this.#tokens));
    const request = {
      tool,
      args: withTokens(args, this.#tokens),
      meta: Object.keys(members).length === 0 ? undefined : members,
    };
    const settled = await this.#limited(async (limit) => await this.#transport.call({ ...request, limit }, sink));
    return { settled, events };
  }

  async #follow(promise: string, retryAfterMs: number): Promise<CallResult | UnknownOutcome> {
    const request = { tool: "redeem", args: { promise, wait_ms: WAIT_MS }, meta: undefined };
    let waitMs = retryAfterMs;
    for (let attempt = 1;; attempt++) {
      await delay(waitMs, new AbortController().signal);
      const settled = await this.#limited(async (limit) => await this.#transport.call({ ...request, limit }));
      if (settled.kind !== "promise" || attempt >= MAX_REDEEMS) return settled;
      waitMs = settled.retryAfterMs;
    }
  }

  /** Remembers which tokens the server gave where the recording has their marks. */
  #learn({ settled, events }: RecordedCall, repeated: RepeatedCall): void {
    const [old, now] = [asObject(settled), asObject(repeated.settled)];
    for (const name of ["continuation", "context"]) {
      const [mark, token] = [old[name], now[name]];
      if (typeof mark === "string" && typeof token === "string") this.#tokens.set(mark, token);
    }
    const mark = settled && tokenOf(settled, events);
    if (mark === undefined) return;
    const token = tokenOf(repeated.settled, repeated.events);
    if (token !== undefined) this.#tokens.set(mark, token);
    else this.#early.set(mark, { settled: repeated.settled, events: [] });
  }
}

/** Token of the promise that a call ended in, or that it announced. */
function tokenOf(settled: CallResult | UnknownOutcome, events: readonly CallEvent[]): string | undefined {
  if (settled.kind === "promise") return settled.token;
  return events.map((event) => (event.kind === "deferred" ? event.promise.token : undefined)).find(Boolean);
}

/** Argument of a redeem. */
function promiseOf(args: unknown): string {
  const promise = (args as Members | undefined)?.["promise"];
  return typeof promise === "string" ? promise : "";
}

function withTokens(value: unknown, tokens: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return tokens.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withTokens(item, tokens));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTokens(member, tokens)]));
}
