// The tools of the servers here, and what they run on.
import { valibotKit } from "../valibot_kit.mjs";
import { createServer, defineTool } from "./package.mjs";

const input = valibotKit.object({ a: valibotKit.number(), b: valibotKit.number() });
const sum = ({ a, b }) => ({ sum: a + b });
const secret = "k1:a-secret-of-the-benchmarks-and-of-nothing-else";

/**
 * @param engine Keeps the jobs.
 * @param concurrency How many of them run at once; 0 for none.
 * @param gate What the tool `held` waits for.
 */
export function createPromising({ engine, concurrency, gate }) {
  const add = defineTool("add").describe("Add two numbers").input(input).promise({ budgetMs: 20_000 }).handle(sum);
  const held = defineTool("held").describe("Add two numbers, once it may").input(input).promise({ budgetMs: 1 })
    .handle(async (args) => {
      await gate.pass();
      return sum(args);
    });
  const work = concurrency > 0 ? { concurrency } : false;
  return createServer({ name: "bench", version: "1.0.0", tools: [add, held], engine, work, keys: secret });
}

/** Holds up who comes to it, until it is opened. */
export class Gate {
  /** How many have come. */
  waiting = 0;
  #opened = Promise.withResolvers();

  async pass() {
    this.waiting++;
    await this.#opened.promise;
  }

  open() {
    this.#opened.resolve();
  }
}
