/** Fuzzes one target: each case is made from its number, so that any case can be repeated alone. */
import { RandomChoices } from "./random.ts";
import { EventLoopLagMeter } from "./event_loop_lag.ts";
import type { Case, Judge, OpenTarget, Target } from "./target.ts";

/** How a target is fuzzed. */
export interface FuzzOptions {
  readonly seed: number;
  /** How many cases are made. */
  readonly cases: number;
  /** When it ends before that, in milliseconds of `performance.now()`. */
  readonly untilMs?: number;
  /** Whether it is measured how long the event loop is held and what the heap holds. Default: `true`. */
  readonly measures?: boolean;
  /** The only case to make. */
  readonly only?: number | undefined;
}

/** A case that went wrong. */
export interface Fault {
  readonly number: number;
  readonly why: string;
  readonly what: string;
}

/** How it went. */
export interface FuzzReport {
  readonly target: string;
  readonly cases: number;
  readonly faults: readonly Fault[];
  /** Number of faults, listed or not. */
  readonly faultCount: number;
  /** How often each kind of answer came. */
  readonly kinds: ReadonlyMap<string, number>;
  /** The longest that a case held the event loop, each time that it was sent, in milliseconds; and its number. */
  readonly longestHold: { readonly ms: number; readonly number: number };
  /** Growth of the heap since the first cases, in bytes; `undefined` where the runtime does not provide it. */
  readonly heapGrowth: number | undefined;
  readonly seconds: number;
}

/** Faults that are listed; more are only counted. */
const MAX_TOLD = 8;
/** How long an answer may take. It is for what never comes: a busy machine has time enough. */
const PATIENCE_MS = 60_000;
/** Cases that held the longest are sent again, and so often: a pause of the machine does not come each time. */
const HELD_AGAIN = 8;
const TIMES_AGAIN = 7;
/** Which part of the cases comes before the heap is first measured. */
const WARM_UP = 0.25;
/** How often it is looked whether the target lives. */
const ALIVE_EVERY = 1_000;

/** Fuzzes a target. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const opened = await target.open();
  try {
    return await new Run(target.name, opened, options).run();
  } finally {
    await opened.close();
  }
}

class Run {
  readonly #name: string;
  readonly #target: OpenTarget;
  readonly #options: FuzzOptions;
  readonly #faults: Fault[] = [];
  #faultCount = 0;
  readonly #kinds = new Map<string, number>();
  readonly #meter = new EventLoopLagMeter();
  #longest: { readonly number: number; readonly ms: number }[] = [];
  #cases = 0;

  constructor(name: string, target: OpenTarget, options: FuzzOptions) {
    this.#name = name;
    this.#target = target;
    this.#options = options;
  }

  async run(): Promise<FuzzReport> {
    const startedMs = performance.now();
    const { only, cases, untilMs = Number.POSITIVE_INFINITY, measures = true } = this.#options;
    let heldBytes: number | undefined;
    if (only !== undefined) await this.#one(only);
    for (let number = 0; only === undefined && number < cases && performance.now() < untilMs; number++) {
      if (measures && number === Math.floor(cases * WARM_UP)) heldBytes = await heapBytes();
      await this.#one(number);
      if (number % ALIVE_EVERY === ALIVE_EVERY - 1) await this.#alive(number);
    }
    await this.#alive(this.#cases);
    const heldAtLast = measures ? await heapBytes() : undefined;
    const longestHold = measures ? await this.#holdAgain() : { ms: 0, number: 0 };
    return {
      target: this.#name,
      cases: this.#cases,
      faults: this.#faults,
      faultCount: this.#faultCount,
      kinds: this.#kinds,
      longestHold,
      heapGrowth: heldBytes === undefined || heldAtLast === undefined ? undefined : heldAtLast - heldBytes,
      seconds: (performance.now() - startedMs) / 1000,
    };
  }

  #make(number: number): Case {
    return this.#target.make(new RandomChoices(Math.imul(this.#options.seed, 1_000_003) + number));
  }

  async #one(number: number): Promise<void> {
    this.#cases++;
    const made = this.#make(number);
    try {
      const kind = (await this.#send(number, made))();
      this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    } catch (thrown) {
      this.#fault(number, thrown, made.describe());
    }
  }

  async #send(number: number, made: Case): Promise<Judge> {
    if (this.#options.measures === false) return await answered(made.send());
    this.#meter.start();
    return await answered(made.send()).finally(() => this.#note(number, this.#meter.stop()));
  }

  async #alive(number: number): Promise<void> {
    try {
      await answered(this.#target.isAlive());
    } catch (thrown) {
      this.#fault(number, thrown, "It does not answer any more");
    }
  }

  #fault(number: number, thrown: unknown, what: string): void {
    this.#faultCount++;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    if (this.#faults.length < MAX_TOLD) this.#faults.push({ number, why, what });
  }

  #note(number: number, ms: number): void {
    if (this.#longest.length === HELD_AGAIN && ms <= (this.#longest.at(-1)?.ms ?? 0)) return;
    this.#longest = [...this.#longest, { number, ms }].sort((one, two) => two.ms - one.ms).slice(0, HELD_AGAIN);
  }

  /** What held once may have been the machine: what holds each time is the case. */
  async #holdAgain(): Promise<{ readonly ms: number; readonly number: number }> {
    let longest = { ms: 0, number: 0 };
    for (const { number, ms } of this.#longest) {
      let least = ms;
      for (let times = 0; times < TIMES_AGAIN && least > longest.ms; times++) {
        const made = this.#make(number);
        this.#meter.start();
        await made.send().catch(() => {});
        least = Math.min(least, this.#meter.stop());
      }
      if (least > longest.ms) longest = { ms: least, number };
    }
    return longest;
  }
}

/** The same, or an error where it never comes. */
async function answered<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`There is no answer after ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Size of the heap after garbage collection, where the runtime lets tests start it. Measured more than once: what the last calls
 * have left on the stack may hold a megabyte for a while.
 */
async function heapBytes(): Promise<number | undefined> {
  const runtime = globalThis as {
    readonly Bun?: { gc(force: boolean): void };
    readonly gc?: () => void;
    readonly process?: { memoryUsage?(): { readonly heapUsed: number } };
  };
  if (runtime.Bun === undefined && runtime.gc === undefined) return undefined;
  let least: number | undefined;
  for (let times = 0; times < 4; times++) {
    await new Promise((resolve) => setTimeout(resolve));
    runtime.Bun?.gc(true);
    runtime.gc?.();
    const held = runtime.process?.memoryUsage?.().heapUsed;
    if (held !== undefined) least = Math.min(held, least ?? held);
  }
  return least;
}
