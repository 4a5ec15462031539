import { mistake } from "../../errors/mistake.ts";
import { checkOptions, type OptionRules, wholeNumber } from "../../../internal/options.ts";
import type { StepValue } from "../../handler/steps.ts";
import type { MapOptions } from "../../handler/inner_calls.ts";
import type { CancelledWaits } from "./cancelled_waits.ts";
import type { InFlightWork } from "./in_flight.ts";
import type { KeptSteps } from "./kept_steps.ts";

/** Number of items whose work runs at once. */
const CONCURRENCY = 10;

const OPTIONS: OptionRules<MapOptions> = { concurrency: wholeNumber(1) };

/** What lists need of the steps of their run. */
interface ItemSteps {
  /** Notes the start of an item. What is returned is awaited: it does not settle if the run has stopped. */
  begin(key: string): Promise<void>;
  /** Notes the end of an item. */
  end(): void;
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
  map<Item, Value>(
    key: string,
    items: readonly Item[],
    options: MapOptions,
    work: (item: Item, index: number) => Value | Promise<Value>,
  ): Promise<StepValue<Value>[]> {
    assertList(key, items, options, work);
    return mapItems(items, options, (item, index) => this.#take(`${key}[${index}]`, () => work(item, index)));
  }

  /** One of the items does not continue in this run, which does not wait for it. Which one is not known, nor needed: there are as many. */
  suspendOne(): void {
    const [end] = this.#running;
    if (end !== undefined) this.#running.delete(end);
    end?.();
  }

  async #take<Value>(key: string, work: () => Value | Promise<Value>): Promise<StepValue<Value>> {
    await this.#host.begin(key);
    const ended = Promise.withResolvers<void>();
    void this.#inFlight.track(ended.promise);
    this.#running.add(ended.resolve);
    try {
      const value = await this.#resultOf(key, work);
      this.#host.end();
      return value;
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

  /** The kept result of an item; without one, that of its work. */
  async #resultOf<Value>(key: string, work: () => Value | Promise<Value>): Promise<StepValue<Value>> {
    const stored = await this.#steps.find(key);
    if (stored !== undefined && "value" in stored) return stored.value as StepValue<Value>;
    if (this.#host.cancelled.isDue) return await this.#host.cancelled.reject();
    this.#steps.assertRoom(key);
    const kept = { isBeside: true, isUndo: this.#steps.isUndo, startedMs: this.#steps.nowMs };
    const json = JSON.stringify(await this.#begin(key, work)) ?? "null";
    this.#steps.assertShort(key, json);
    await this.#steps.keep(key, { ...kept, outcome: { value: JSON.parse(json) } });
    return JSON.parse(json);
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
  { concurrency = CONCURRENCY }: MapOptions,
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
