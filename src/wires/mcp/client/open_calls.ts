import { type ErrorResult, errorResult, type QuestionsResult, type Sink } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { canonicalJson } from "../../../internal/json.ts";
import { LiveCall } from "./open_call.ts";
import type { RpcReply } from "./message_transport.ts";
import { askOutcome } from "./input_required_loop.ts";

/** More calls than these do not wait for their callers: the one that has waited longest is ended. */
const MAX_WAITING = 64;
const PREFIX = "mcp:call:";

/** One request of a call, as its caller made it. */
export interface LiveRequest {
  /** What is called, and with what. */
  readonly subject: readonly unknown[];
  /** What the caller goes on with; `undefined` if it begins. */
  readonly continuation: unknown;
  /** What it says to the questions. */
  readonly responses: unknown;
  /** What to go on with where that is known beforehand: the token of a promise. */
  readonly name?: string | undefined;
  readonly limit: ActivityMonitor;
  readonly sink: Sink | undefined;
  /** Begins it. */
  begin(live: LiveCall): Promise<RpcReply>;
}

/** Calls of the older eras that wait for their callers' answers. Only this transport can go on with them. */
export class LiveCalls {
  readonly #waiting = new Map<string, LiveCall>();
  #count = 0;

  /** Begins a call, or goes on with one; gives its end, or what is asked. */
  async run(request: LiveRequest): Promise<RpcReply | QuestionsResult | ErrorResult> {
    const { name = `${PREFIX}${++this.#count}`, limit, sink } = request;
    const resumed = this.#resume(request);
    if (resumed !== undefined && "kind" in resumed) return resumed;
    const [key, live] = resumed ?? [name, this.#begin(request)];
    const turn = await live.next(limit, sink);
    if ("reply" in turn) return turn.reply;
    this.#keep(key, live);
    return askOutcome(turn.questions, key);
  }

  /** Ends them all. */
  close(): void {
    for (const live of this.#waiting.values()) live.end();
    this.#waiting.clear();
  }

  #begin({ subject, begin }: LiveRequest): LiveCall {
    const live = new LiveCall(canonicalJson(subject));
    live.follow(begin(live));
    return live;
  }

  #resume({ continuation, responses, subject }: LiveRequest): readonly [string, LiveCall] | ErrorResult | undefined {
    if (typeof continuation !== "string") return undefined;
    const live = this.#waiting.get(continuation);
    if (live === undefined) return continuation.startsWith(PREFIX) ? UNKNOWN : undefined;
    if (live.subject !== canonicalJson(subject)) return FOREIGN;
    this.#waiting.delete(continuation);
    live.answer(responses);
    return [continuation, live];
  }

  #keep(key: string, live: LiveCall): void {
    this.#waiting.get(key)?.end();
    this.#waiting.delete(key);
    this.#waiting.set(key, live);
    const [oldest] = this.#waiting;
    if (this.#waiting.size <= MAX_WAITING || oldest === undefined) return;
    this.#waiting.delete(oldest[0]);
    oldest[1].end();
  }
}

const UNKNOWN: ErrorResult = errorResult("invalid_continuation", "The call does not wait any more: make it anew");
const FOREIGN: ErrorResult = errorResult("invalid_continuation", "This continuation belongs to another call");
