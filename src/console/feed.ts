/**
 * The feed of the console: observes all calls of the server, and keeps the newest events within bounds.
 *
 * A call costs two small objects while no page watches, and on a busy server only its count, unless it fails. Arguments and values are
 * copied only while a page watches, after secrets were replaced, and only as many a second as a person could read.
 */
import type { Call } from "../core/call/call.ts";
import type { CallEvent, CallResult, ErrorResult, Progress } from "../core/call/outcome.ts";
import type { BegunCall, CallObserver, ObservedRequest } from "../core/dispatch/observer.ts";
import { answerSchema } from "../core/redaction/call_schemas.ts";
import type { Redactor } from "../core/redaction/redact.ts";
import { withoutRejectedValues } from "../core/redaction/rejected_input.ts";
import { asObject } from "../internal/json.ts";
import type { Clock } from "../internal/time.ts";
import { CallStats } from "./call_stats.ts";
import type { CallRecording } from "./call_recording.ts";
import type { FeedEvent } from "./events.ts";

/** Events that are kept. */
const MAX_EVENTS = 4_096;
/** Characters of arguments and values that are kept, in all and in one field. */
const MAX_CHARS = 8_388_608;
const MAX_FIELD = 16_384;
/** Characters of one field that are read, so that a large result does not delay other calls. */
const MAX_READ = 65_536;
/** Characters of the stack of an error. */
const MAX_STACK = 4_096;
/** Characters of messages, names and codes. */
const MAX_TEXT = 1_024;
/** Events of one call that are kept, beside its begin and end. */
const MAX_EVENTS_OF_CALL = 64;
/** Arguments and values that are copied in one second. */
const MAX_BODIES = 200;
/** Calls of one second whose pieces and progress are kept. */
const MAX_FOLLOWED = 200;
/** Calls of one second that are timed and kept while no page watches, beside those that fail. The others are counted. */
const MAX_TIMED = 500;
/** Delay until new events are sent, in milliseconds, so that many events are one message. */
const BATCH_MS = 50;
/** Events of one batch. Older ones are counted as lost. */
const MAX_BATCH = 64;

/** Events with numbers above the last one that a page has read. */
export interface FeedPage {
  /** The events, in order. */
  readonly events: readonly FeedEvent[];
  /** Number of such events that are left out, because they are no longer kept or a batch was full. */
  readonly lost: number;
}

/** Options of a {@link Feed}. */
export interface FeedOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Path of the console itself, whose requests are left out. */
  readonly ownPath: string;
  /** Whether arguments and values are copied. */
  readonly hasBodies: boolean;
  /** Whether stacks of masked errors are kept. */
  readonly hasStacks: boolean;
}

/** What is known of a call while it runs. */
interface OngoingCall {
  /** Number of the call. */
  readonly call: number;
  /** Monotonic time. */
  readonly startedMs: number;
  /** Takes the result, for the recording. */
  readonly record: ((result: CallResult) => void) | undefined;
}

/** Monotonic time of an end, and time that the call took; `undefined` if it was not measured. */
interface CallTimes {
  readonly endedMs: number;
  readonly tookMs: number | undefined;
}

/** JSON text of a value, or its beginning. */
interface KeptJson {
  /** JSON text; not complete if characters were cut. */
  readonly json: string;
  /** Characters that were cut; absent for none. */
  readonly cut?: number;
}

/** Observes the calls of a server, keeps the newest events, and passes them to the open pages of the console. */
export class Feed implements CallObserver {
  /** The recording of calls, if there may be one. */
  recording: CallRecording | undefined;
  /** Counts of calls, errors and times by tool. They also include calls whose events are not kept. */
  readonly stats: CallStats = new CallStats();
  readonly #options: FeedOptions;
  readonly #events: FeedEvent[] = [];
  readonly #watchers = new Set<(part: FeedPage) => void>();
  /** Headers of requests whose error is in the feed already, as the end of a call. */
  readonly #reported = new WeakSet<object>();
  #seq = 0;
  /** Characters that the kept events hold. */
  #chars = 0;
  #sentSeq = 0;
  #isScheduled = false;
  #bodies = 0;
  #followed = 0;
  /** The second that the counts are of, since the Unix epoch. */
  #second = 0;
  /** Monotonic time of the next one. */
  #nextSecondMs = 0;
  /** Milliseconds since the Unix epoch at monotonic time 0. */
  #originMs = 0;
  /** Begins and ends of the second that were timed. */
  #timed = 0;
  /** Whether calls are only counted for the rest of the second, unless they fail. */
  #isBusy = false;
  #stopTimer = () => {};

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Number of pages that watch. */
  get watchers(): number {
    return this.#watchers.size;
  }

  begin(begun: BegunCall, attempt: number | undefined): OngoingCall | undefined {
    if (this.#isBusy && attempt === undefined && !this.#isRead) return undefined;
    const startedMs = this.#options.clock.elapsed();
    this.#advance(startedMs);
    const call = this.#begin(begun, startedMs, attempt);
    // To follow a call costs more than to note its begin and end.
    if (this.#watchers.size > 0 && ++this.#followed <= MAX_FOLLOWED) this.#follow(begun, call);
    return { call, startedMs, record: attempt === undefined ? this.recording?.begin(begun) : undefined };
  }

  end(began: OngoingCall | undefined, begun: BegunCall, result: CallResult): void {
    const { call: { peer }, definition: { name } } = begun;
    const isError = result.kind === "error" || result.kind === "failure";
    if (isError) this.#reported.add(peer.metadata);
    if (began === undefined && !isError && !this.#isRead) return this.stats.count(name, this.#second);
    began?.record?.(result);
    const endedMs = this.#options.clock.elapsed();
    this.#advance(endedMs);
    const tookMs = began && endedMs - began.startedMs;
    this.stats.count(name, this.#second, tookMs, isError);
    this.#end(began?.call ?? this.#begin(begun, endedMs, undefined), begun, result, { endedMs, tookMs });
  }

  refuse({ tool, peer: { wire, principal, metadata } }: Call, error: ErrorResult): void {
    const { code, message } = withoutRejectedValues(error);
    this.#reported.add(metadata);
    this.#keep({
      type: "refused",
      seq: ++this.#seq,
      atMs: this.#options.clock.now(),
      tool: tool.slice(0, 128),
      wire,
      principal: cut(principal?.id),
      tenant: cut(principal?.tenant),
      code: cut(code),
      message: this.#text(message),
    });
  }

  reply(request: ObservedRequest, status: number): void {
    // Members of a request are costly on some runtimes, so that they are read only for refusals.
    if (status < 400) return;
    const { method, path, metadata } = request;
    if (this.#reported.has(metadata) || this.#isOwn(path)) return;
    const short = path.replace(/[^/]{65,}/g, (segment) => `${segment.slice(0, 8)}…`).slice(0, 256);
    this.#keep({
      type: "refused",
      seq: ++this.#seq,
      atMs: this.#options.clock.now(),
      method: cut(method),
      path: short,
      status,
    });
  }

  /** The kept events with numbers above `after`, and how many others had such a number. */
  since(after: number): FeedPage {
    const [first] = this.#events;
    const from = first === undefined ? 0 : Math.max(0, after + 1 - first.seq);
    const events = this.#events.slice(from);
    const lost = Math.max(0, (events[0]?.seq ?? this.#seq + 1) - after - 1);
    return { events, lost };
  }

  close(): void {
    this.#stopTimer();
  }

  /** Sends new events to `watcher`, in batches. Returns a function that ends this. */
  watch(watcher: (part: FeedPage) => void): () => void {
    // The other pages get what they wait for: the number of the last sent event is that of all pages.
    this.#send();
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Counts the calls of a second. Those of a busy one are not timed from then on, unless there is a reader. */
  #advance(elapsedMs: number): void {
    const { clock } = this.#options;
    if (elapsedMs >= this.#nextSecondMs) {
      this.#originMs = clock.now() - elapsedMs;
      this.#second = Math.floor(this.#at(elapsedMs) / 1_000);
      this.#nextSecondMs = elapsedMs + 1_000 - this.#at(elapsedMs) % 1_000;
      this.#timed = this.#bodies = this.#followed = 0;
    }
    // A timer of Workers ends with its request.
    if (++this.#timed !== 2 * MAX_TIMED || clock.isPerRequest === true) return;
    this.#isBusy = true;
    this.#stopTimer = clock.after(this.#nextSecondMs - elapsedMs, () => this.#isBusy = false);
  }

  /** Milliseconds since the Unix epoch at a monotonic time. To read a clock is what costs a call most here. */
  #at(elapsedMs: number): number {
    return Math.round(this.#originMs + elapsedMs);
  }

  /** Keeps the begin of a call. Returns its number. */
  #begin(
    { call: { tool, args, peer }, definition }: BegunCall,
    startedMs: number,
    attempt: number | undefined,
  ): number {
    const seq = ++this.#seq;
    this.#keep({
      type: "begin",
      seq,
      call: seq,
      atMs: this.#at(startedMs),
      tool: cut(tool),
      wire: peer.wire,
      principal: cut(peer.principal?.id),
      tenant: cut(peer.principal?.tenant),
      attempt,
      args: this.#copy(args, definition.inputSchema),
    });
    return seq;
  }

  #end(call: number, { definition }: BegunCall, result: CallResult, { endedMs, tookMs }: CallTimes): void {
    const isAnswer = result.kind === "answer";
    const end = {
      type: "end" as const,
      seq: ++this.#seq,
      call,
      atMs: this.#at(endedMs),
      tookMs: tookMs && Math.round(tookMs * 1_000) / 1_000,
      outcome: result.kind,
      value: isAnswer ? this.#copy(result.value, answerSchema(definition)) : undefined,
    };
    // Members of another object are costly to copy, and most calls end in an answer.
    this.#keep(isAnswer ? end : { ...end, ...this.#describe(result, definition) });
  }

  /** Whether a page watches, or calls are recorded: then each call is kept. */
  get #isRead(): boolean {
    return this.#watchers.size > 0 || this.recording?.isOn === true;
  }

  #follow(begun: BegunCall, call: number): void {
    let left = MAX_EVENTS_OF_CALL;
    begun.onEvent((event) => {
      if (--left < 0) return;
      this.#keep({
        type: "event",
        seq: ++this.#seq,
        call,
        atMs: this.#options.clock.now(),
        ...this.#describeEvent(event, begun.definition),
      });
    });
  }

  #describeEvent(event: CallEvent, { partial }: BegunCall["definition"]) {
    const { kind } = event;
    if (event.kind === "progress") return { kind, progress: this.#progress(event.progress) };
    if (event.kind !== "partial") return { kind };
    // A secret can begin in one piece of a text and end in the next one.
    const isText = typeof event.value === "string";
    if (isText) return { kind, value: this.#copy(`(${event.value.length} characters)`) };
    return { kind, value: this.#copy(event.value, partial?.jsonSchema) };
  }

  #progress({ message, ...counts }: Progress): Progress {
    return message === undefined || !this.#options.hasBodies ? counts : { ...counts, message: this.#text(message) };
  }

  #describe(result: CallResult, { errors }: BegunCall["definition"]) {
    if (result.kind !== "failure" && result.kind !== "error") return {};
    const { code, message, data } = withoutRejectedValues(result);
    const { correlation_id: id } = asObject(data);
    return {
      code: cut(code),
      message: this.#text(message),
      ...(typeof id === "string" && { correlationId: cut(id), stack: this.#stack(result) }),
      ...(data !== undefined && { value: this.#copy(data, errors?.get(code)?.jsonSchema) }),
    };
  }

  /** The stack of a masked error, which only its server knows. */
  #stack(result: CallResult): string | undefined {
    const { cause } = result as ErrorResult;
    const { hasStacks, redactor } = this.#options;
    if (!hasStacks || !(cause instanceof Error)) return undefined;
    return (redactor.value(cause.stack ?? String(cause)) as string).slice(0, MAX_STACK);
  }

  #isOwn(path: string): boolean {
    const { ownPath } = this.#options;
    return path === ownPath || path.startsWith(`${ownPath}/`);
  }

  /** The beginning of a text, without secrets. */
  #text(text: string): string {
    return this.#options.redactor.value(cut(text)) as string;
  }

  /** Copies a value as JSON text, without secrets. `undefined` while no page watches, or if there are too many. */
  #copy(value: unknown, schema?: unknown): KeptJson | undefined {
    if (this.#watchers.size === 0 || value === undefined || !this.#options.hasBodies) return undefined;
    if (++this.#bodies > MAX_BODIES) return undefined;
    try {
      const budget = { left: MAX_READ, cut: 0 };
      const json = JSON.stringify(this.#options.redactor.value(value, schema, budget)) ?? "null";
      const missing = budget.cut + Math.max(0, json.length - MAX_FIELD);
      return missing === 0 ? { json } : { json: json.slice(0, MAX_FIELD), cut: missing };
    } catch {
      // A result that is not JSON is refused by the wire.
      return undefined;
    }
  }

  #keep(event: FeedEvent): void {
    this.#events.push(event);
    this.#chars += charsOf(event);
    // Removed in parts, because each removal moves all other events.
    if (this.#events.length > MAX_EVENTS * 1.25) this.#drop(this.#events.length - MAX_EVENTS);
    while (this.#chars > MAX_CHARS && this.#events.length > 1) this.#drop(Math.ceil(this.#events.length / 8));
    if (this.#watchers.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.clock.after(BATCH_MS, () => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #drop(count: number): void {
    for (const event of this.#events.splice(0, count)) this.#chars -= charsOf(event);
  }

  /** Sends the events that were not sent yet. */
  #send(): void {
    if (this.#sentSeq === this.#seq) return;
    const { events, lost } = this.since(this.#sentSeq);
    this.#sentSeq = this.#seq;
    const sent = events.slice(-MAX_BATCH);
    const part = { events: sent, lost: lost + events.length - sent.length };
    for (const watcher of this.#watchers) watcher(part);
  }
}

/** Characters of an event whose number its caller or its tool chooses. */
function charsOf(event: FeedEvent): number {
  const { args, value, message, progress, tool, principal, code, stack } = event as KeptTexts;
  return lengthOf(args?.json) + lengthOf(value?.json) + lengthOf(message) + lengthOf(progress?.message) +
    lengthOf(tool) + lengthOf(principal) + lengthOf(code) + lengthOf(stack);
}

/** Members of events that hold text. */
interface KeptTexts {
  readonly args?: KeptJson;
  readonly value?: KeptJson;
  readonly message?: string;
  readonly stack?: string;
  readonly progress?: Progress;
  readonly tool?: string;
  readonly principal?: string;
  readonly code?: string;
}

function lengthOf(text: string | undefined): number {
  return text === undefined ? 0 : text.length;
}

/** The beginning of a text. It ends at a space, if there is one, because half of a secret does not look like one. */
function cut<Text extends string | undefined>(text: Text): Text;
function cut(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= MAX_TEXT) return text;
  const end = text.lastIndexOf(" ", MAX_TEXT);
  return `${text.slice(0, end > 0 ? end : MAX_TEXT)}…`;
}
