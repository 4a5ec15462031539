/** The soak: many callers, few replicas, and a process that kills these again and again. */
import { deepStrictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../mod.ts";
import { Random } from "../../src/testing/faults.ts";
import { connect, insist, type Scene } from "./connection.ts";
import { Fleet, type FleetOptions } from "./fleet.ts";
import { type Operation, OPERATIONS, type Redeemed } from "./operations.ts";
import { Tally } from "./tally.ts";

/** Options of {@link runSoak}. */
export interface SoakOptions {
  /** How long callers begin something new, in seconds. */
  readonly seconds: number;
  /** How many processes answer calls. */
  readonly replicas: number;
  /** How many processes only run jobs. */
  readonly workers: number;
  /** How many callers there are. */
  readonly users: number;
  /** The longest job, in milliseconds. */
  readonly longestJobMs: number;
  /** What chance depends on: who calls what, and who is killed. */
  readonly seed: number;
  /** How often a process is killed, on average, in milliseconds. */
  readonly killEveryMs: number;
  /** What the processes run on, in turn. */
  readonly runtimes: readonly string[];
  /** Whether the keys are changed on the way. */
  readonly changesKeys: boolean;
  /** Where jobs are. */
  readonly engine: FleetOptions["engine"];
}

/** How a soak went. */
export interface SoakReport {
  readonly tally: Tally;
  /** How many processes were killed with -9. */
  readonly kills: number;
  /** How many were ended as a deployment does. */
  readonly stops: number;
  /** What the processes have written, by line. */
  readonly logs: ReadonlyMap<string, number>;
  /** How long it took, in seconds. */
  readonly seconds: number;
}

/** An operation that takes longer than this has lost something, in milliseconds. */
const PATIENCE_MS = 120_000;

/** How many tokens are redeemed again at the end. */
const MAX_AGAIN = 300;

/** Which key signs: the old one, first the one and then the other, or the new one. */
type Era = "old" | "between" | "new";

interface Kept extends Redeemed {
  readonly begun: Era;
  readonly ended: Era;
}

const KEYS = {
  one: "k1:the first secret that all of these replicas know",
  two: "k2:the other secret that all of these replicas know",
};

/** Runs a soak to its end. */
export async function runSoak(options: SoakOptions, say: (text: string) => void): Promise<SoakReport> {
  const startMs = performance.now();
  const fleet = await Fleet.start({ ...options, keys: KEYS.one });
  const soak = new Soak(options, fleet, say);
  try {
    await soak.run();
  } finally {
    await fleet.stop();
  }
  for (const crash of fleet.crashes) soak.tally.wrong(`ended by itself: ${crash}`);
  const seconds = (performance.now() - startMs) / 1000;
  return { tally: soak.tally, kills: fleet.kills, stops: fleet.stops, logs: fleet.logs, seconds };
}

class Soak {
  readonly tally = new Tally();
  readonly #options: SoakOptions;
  readonly #fleet: Fleet;
  readonly #say: (text: string) => void;
  readonly #scene: Scene;
  readonly #kept: Kept[] = [];
  /** What is under way, and the era in which it was begun. */
  readonly #underWay = new Map<Promise<void>, Era>();
  #era: Era = "old";
  readonly #over = new AbortController();

  constructor(options: SoakOptions, fleet: Fleet, say: (text: string) => void) {
    this.#options = options;
    this.#fleet = fleet;
    this.#say = say;
    this.#scene = { url: fleet.url, tally: this.tally, webhooks: fleet.webhooks };
  }

  async run(): Promise<void> {
    const { seconds, users, changesKeys } = this.#options;
    const calling = Array.from({ length: users }, (_, user) => this.#call(user));
    const killing = this.#kill();
    await Promise.all([sleep(seconds * 1000), changesKeys ? this.#changeKeys() : undefined]);
    this.#over.abort();
    this.#say(`no new calls; ${this.#underWay.size} operations under way`);
    await killing;
    await Promise.all(calling);
    this.#say("all operations have ended");
    await this.#fleet.settle();
    await this.#redeemAgain();
  }

  /** One caller: does one thing after the other. */
  async #call(user: number): Promise<void> {
    const random = new Random(this.#options.seed * 10_007 + user);
    const kinds = Object.entries(OPERATIONS).flatMap(([kind, { weight }]) => Array<string>(weight).fill(kind));
    for (let count = 1; !this.#over.signal.aborted; count++) {
      const kind = kinds[random.below(kinds.length)] ?? "";
      const operation = this.#operate(kind, `u${user}-${count}`, new Random(random.below(2 ** 31)));
      this.#underWay.set(operation, this.#era);
      await operation;
      this.#underWay.delete(operation);
    }
  }

  async #operate(kind: string, name: string, random: Random): Promise<void> {
    const count = this.tally.kind(kind);
    count.begun++;
    const begun = this.#era;
    const keep = (redeemed: Redeemed) => void this.#kept.push({ ...redeemed, begun, ended: this.#era });
    const { run } = OPERATIONS[kind] as { readonly run: Operation };
    const late = new AbortController();
    try {
      const { longestJobMs } = this.#options;
      await Promise.race([run({ ...this.#scene, longestJobMs, name, random, keep }), tooLate(late.signal)]);
      count.ended++;
    } catch (error) {
      count.failed++;
      this.tally.wrong(`${kind} ${name}: ${describe(error)}`);
    } finally {
      late.abort();
    }
  }

  async #kill(): Promise<void> {
    const { seed, killEveryMs } = this.#options;
    const random = new Random(seed);
    const { signal } = this.#over;
    while (!signal.aborted) {
      await sleep(killEveryMs * (0.5 + random.share()), undefined, { signal }).catch(() => {});
      if (!signal.aborted) this.#fleet.killAny(random);
    }
  }

  /**
   * From the first key to the other, with none of them ever unknown to those who may meet it: all learn the new one before
   * any replica signs with it, and none drops the old one before all tokens signed with it have expired.
   */
  async #changeKeys(): Promise<void> {
    const { one, two } = KEYS;
    const random = new Random(this.#options.seed + 1);
    await sleep(this.#options.seconds * 250);
    await this.#roll([one, two], random);
    this.#era = "between";
    await this.#roll([two, one], random);
    this.#era = "new";
    const elders = [...this.#underWay].filter(([, era]) => era !== "new").map(([operation]) => operation);
    this.#say(`${elders.length} operations are under way that began with k1`);
    await Promise.all(elders);
    await this.#roll([two], random);
  }

  async #roll(keys: readonly string[], random: Random): Promise<void> {
    await this.#fleet.roll(keys.join(), random);
    this.#say(`keys: ${keys.map((key) => key.slice(0, 2)).join()}`);
  }

  /** A promise can be redeemed as often as one likes, unless its key was dropped. */
  async #redeemAgain(): Promise<void> {
    const { tally } = this;
    const random = new Random(this.#options.seed + 2);
    const hasChanged = this.#options.changesKeys;
    const good = this.#kept.filter(({ begun }) => !hasChanged || begun === "new").slice(-MAX_AGAIN);
    for (const { token, answer } of good) {
      try {
        deepStrictEqual(await this.#redeem(token, random), answer);
        tally.redeemedAgain++;
      } catch (error) {
        tally.wrong(`redeemed again: ${describe(error)}`);
      }
    }
    const revoked = hasChanged ? this.#kept.filter(({ ended }) => ended === "old").slice(-MAX_AGAIN) : [];
    for (const { token } of revoked) {
      const reported = await this.#redeem(token, random).then(() => "an answer", describe);
      if (reported.includes("invalid_promise")) tally.revoked++;
      else tally.wrong(`redeemed with a key that was dropped: ${reported}`);
    }
  }

  #redeem(token: string, random: Random): Promise<unknown> {
    return insist(this.tally, random, () => connect(this.#scene).client.$.redeem(token).result());
  }
}

function tooLate(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const late = () => reject(new Error(`Not done after ${PATIENCE_MS} ms`));
    const timer = setTimeout(late, PATIENCE_MS);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

function describe(error: unknown): string {
  if (error instanceof ToolError) return `${error.code}: ${error.message} ${JSON.stringify(error.details ?? null)}`;
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? `${error.code}: ` : "";
  return `${code}${error.message.replaceAll(/\s+/g, " ").slice(0, 500)}`;
}
