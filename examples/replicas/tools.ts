/**
 * `count_primes`: work that takes seconds, whose answer anyone can check.
 *
 * The handler knows nothing of replicas, queues or promises. It may be run again from its start when the process that runs it
 * dies, which does no harm: it only counts.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";

const count = v.pipe(v.number(), v.integer());

/** Number of parts of the work: after each, other work has its turn, and callers get progress. */
const PARTS = 20;

/** How long each part rests, in milliseconds, so that the work takes seconds on a fast machine, too. */
const REST_MS = 150;

/** Makes the tool of one replica. */
export function createCountPrimes(replica: string) {
  return defineTool("count_primes")
    .describe("Count the prime numbers below a number")
    .input(v.object({ below: v.pipe(count, v.minValue(1), v.maxValue(1_000_000)) }))
    .output(v.object({
      primes: count,
      counted_by: v.pipe(v.string(), v.description("The replica that did the work")),
      attempt: v.pipe(count, v.description("2 or more if a replica died over it")),
    }))
    .annotate({ readOnlyHint: true, idempotentHint: true })
    .promise({ budgetMs: 500 })
    .handle(async ({ below }, ctx) => {
      let primes = 0;
      for (let part = 0; part < PARTS; part++) {
        primes += countBetween(Math.ceil(below * part / PARTS), Math.ceil(below * (part + 1) / PARTS));
        ctx.progress(part + 1, PARTS, `${primes} so far`);
        await sleep(REST_MS, undefined, { signal: ctx.signal });
      }
      return { primes, counted_by: replica, attempt: ctx.attempt };
    });
}

function countBetween(from: number, to: number): number {
  let primes = 0;
  for (let candidate = from; candidate < to; candidate++) if (isPrime(candidate)) primes++;
  return primes;
}

function isPrime(candidate: number): boolean {
  if (candidate < 4) return candidate > 1;
  if (candidate % 2 === 0) return false;
  for (let divisor = 3; divisor * divisor <= candidate; divisor += 2) if (candidate % divisor === 0) return false;
  return true;
}
