import { mistake } from "../../errors/mistake.ts";
import { digestOf } from "../../token/digest.ts";
import { checkOptions, FUNCTION, type OptionRules, wholeNumber } from "../../../internal/options.ts";
import type { StepValue } from "../../handler/steps.ts";
import type { MapOptions } from "../../handler/inner_calls.ts";
import type { CancelledWaits } from "./cancelled_waits.ts";
import type { InFlightWork } from "./in_flight.ts";
import { refuseLost } from "./json_losses.ts";
import type { KeptSteps } from "./kept_steps.ts";
import { itemKey, type ReplayCheck } from "./replay_check.ts";
import { failedStepOf, restoreStepError, toStepFailure } from "./step_failure.ts";
import { isStop } from "./stops.ts";

/** Number of items whose work runs at once. */
const CONCURRENCY = 10;

const OPTIONS: OptionRules<MapOptions> = { concurrency: wholeNumber(1), key: FUNCTION };

/** Number of characters of the digest of an item. */
const DIGEST_CHARS = 16;

/** What lists need of the steps of their run. */
interface ItemSteps {
  /** Notes the start of a list. What is returned is awaited: it does not settle if the run has stopped. */
  begin(key: string): Promise<void>;
  /** Whether the work of a new item may begin; otherwise the run stops. */
  allows(list: string, key: string): Promise<void>;
  /** The comparison with earlier runs. */
  readonly replay: Pick<ReplayCheck, "beginItem" | "endList" | "isBeside">;
  readonly cancelled: CancelledWaits;
}

/** The lists of one run that `ctx.map` works on: the result of each item is kept as that of a step, whose work may suspend the run. */
export class MappedLists {
  readonly #steps: KeptSteps;
  readonly #inFlight: InFlightWork;
  readonly #host: ItemSteps;
  /** Ends of the items whose work is running. */
  readonly #running = new Set<() => void>();
  #item: string | undefined;

  constructor(steps: KeptSteps, inFlight: InFlightWork, host: ItemSteps) {
    this.#steps = steps;
    this.#inFlight = inFlight;
    this.#host = host;
  }

  /** Key of the item whose work is running up to its first await; `undefined` after it, and outside of lists. */
  get item(): string | undefined {
    return this.#item;
  }

  /** Whether the work of an item is running. */
  get isWorking(): boolean {
    return this.#running.size > 0;
  }

  /** The results of work for each item, in the order of the items. */
  async map<Item, Value>(
    key: string,
    items: readonly Item[],
    options: MapOptions<Item>,
    work: (item: Item, index: number) => Value | Promise<Value>,
  ): Promise<StepValue<Value>[]> {
    assertList(key, items, options, work);
    const ids = idsOf(key, items, options);
    await this.#host.begin(key);
    let hasFailed = true;
    try {
      const results = await mapItems(
        items,
        options,
        (item, index) => this.#take(key, itemKey(key, ids[index]!), () => work(item, index)),
      );
      hasFailed = false;
      return results as StepValue<Value>[];
    } finally {
      this.#host.replay.endList(key, hasFailed);
    }
  }

  /** One of the items does not continue in this run, which does not wait for it. Which one is not known, nor needed: there are as many. */
  suspendOne(): void {
    const [end] = this.#running;
    if (end !== undefined) this.#running.delete(end);
    end?.();
  }

  async #take<Value>(list: string, key: string, work: () => Value | Promise<Value>): Promise<Value> {
    this.#host.replay.beginItem(`step ${key}`);
    const ended = Promise.withResolvers<void>();
    void this.#inFlight.track(ended.promise);
    this.#running.add(ended.resolve);
    try {
      return await this.#resultOf(list, key, work);
    } finally {
      // The end of this item was taken for one that was suspended, whose own end is left: without it the run would wait for ever.
      if (!this.#running.delete(ended.resolve)) this.suspendOne();
      ended.resolve();
    }
  }

  /** Runs the work of an item up to its first await with the key of the item, which is part of the names of its calls. */
  #begin<Value>(key: string, work: () => Value): Value {
    const outer = this.#item;
    this.#item = key;
    try {
      return work();
    } finally {
      this.#item = outer;
    }
  }

  /** The kept outcome of an item; without one, that of its work. */
  async #resultOf<Value>(list: string, key: string, work: () => Value | Promise<Value>): Promise<Value> {
    const stored = await this.#steps.find(key);
    if (stored !== undefined) {
      if ("value" in stored) return stored.value as Value;
      throw restoreStepError(key, stored.failure);
    }
    if (this.#host.cancelled.isDue) return await this.#host.cancelled.reject();
    this.#steps.assertRoom(key);
    await this.#host.allows(list, key);
    const isAlone = !this.#host.replay.isBeside(`map ${list}`);
    const kept = {
      isBeside: true,
      isUndo: this.#steps.isUndo,
      startedMs: this.#steps.nowMs,
      ...(isAlone && { list }),
    };
    try {
      const json = JSON.stringify(await this.#begin(key, work)) ?? "null";
      this.#steps.assertShort(key, json);
      await this.#steps.keep(key, { ...kept, outcome: { value: JSON.parse(json) } });
      return JSON.parse(json);
    } catch (thrown) {
      // The error of a step or a call is kept already.
      const isKept = failedStepOf(thrown) !== undefined;
      if (!isKept && !isStop(thrown)) {
        this.#steps.noteFailure(key, { ...kept, outcome: { failure: toStepFailure(thrown, 1) } });
      }
      throw thrown;
    }
  }
}

/**
 * Ids of the items, by which a later run finds their results: keys, or digests with the number of the equal items before.
 *
 * @throws {TypeError} If a key is not a text or comes twice, or an item without a key is not JSON.
 */
function idsOf<Item>(list: string, items: readonly Item[], { key }: MapOptions<Item>): readonly string[] {
  const counts = new Map<string, number>();
  return items.map((item, index) => {
    const id = key === undefined ? digestOfItem(list, item, index) : key(item);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    if (key === undefined) return count === 1 ? id : `${id} ${count}`;
    if (typeof id !== "string" || id === "") {
      throw mistake(new TypeError(`Cannot map "${list}": key gave no text for item ${index}`));
    }
    if (count > 1) {
      throw mistake(new TypeError(`Cannot map "${list}": the key "${id}" comes twice; give each item its own`));
    }
    return id;
  });
}

function digestOfItem(list: string, item: unknown, index: number): string {
  try {
    const json = JSON.stringify(item, refuseLost);
    if (json === undefined) throw new TypeError(`it is ${typeof item}`);
    return digestOf(list, JSON.parse(json)).slice(0, DIGEST_CHARS);
  } catch (cause) {
    const { message } = cause as Error;
    throw mistake(
      new TypeError(
        `Cannot map "${list}": item ${index} is not JSON (${message}); give each item a key, as { key: (item) => item.id }`,
      ),
    );
  }
}

/** Marks what is wrong with the arguments of `ctx.map` as a mistake, before anything runs. */
function assertList(key: string, items: unknown, options: unknown, work: unknown): void {
  try {
    if (!Array.isArray(items) || typeof work !== "function") {
      throw new TypeError("Cannot map: write ctx.map(key, items, { concurrency }, work), with an array and a function");
    }
    checkOptions(`map "${key}"`, options, OPTIONS);
  } catch (thrown) {
    throw mistake(thrown as Error);
  }
}

/**
 * Does work for each item, a bounded number at once. After the first error no further item begins; the error comes when those under way
 * are over.
 */
async function mapItems<Item, Value>(
  items: readonly Item[],
  { concurrency = CONCURRENCY }: MapOptions<Item>,
  work: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const results: Value[] = new Array(items.length);
  let next = 0;
  let failed: { readonly thrown: unknown } | undefined;
  const take = async (): Promise<void> => {
    while (next < items.length && failed === undefined) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, index);
      } catch (thrown) {
        failed ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, take));
  if (failed !== undefined) throw failed.thrown;
  return results;
}
