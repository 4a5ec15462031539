/** Checks of servers over an engine: handlers whose steps fail, over two processes. */
import { keyRing } from "../../core/keys/key_ring.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { Engine } from "../../core/dispatch/engine.ts";
import { createCoreServer } from "../../server/server.ts";
import { testClient } from "../test_client.ts";
import { type ContractCheck, withTwo } from "./bench.ts";
import { expectEqual } from "./fixture.ts";
import { ANY_TEXT, copyOf } from "./wait_checks.ts";

const KEYS = "k1:a secret that all servers of these checks know";

/** A delay for which a run ends, in milliseconds. */
const DELAY_MS = 1_200;

function defineTools(log: string[]) {
  const saga = defineCoreTool("saga").describe("Order").promise({ retries: 1 }).handle(async (_, ctx) => {
    await ctx.step("charge", () => log.push("charge"));
    try {
      await ctx.step("ship", () => {
        log.push("ship");
        throw new Error("The warehouse does not answer");
      }, { backoff: { minMs: DELAY_MS } });
    } catch (error) {
      await ctx.step("refund", () => log.push("refund"));
      await ctx.sleep("night", DELAY_MS);
      return (error as Error).message;
    }
    return "shipped";
  });
  const flaky = defineCoreTool("flaky").describe("Try").promise().handle(async (_, ctx) => {
    const work = ({ attempt }: { readonly attempt: number }) => {
      log.push(`try ${attempt}`);
      if (attempt === 1) throw new Error("down");
      return "up";
    };
    return await ctx.step("a", work, { backoff: { minMs: DELAY_MS } });
  });
  const approved = defineCoreTool("approved").describe("Order that is approved").promise().handle(async (_, ctx) => {
    await ctx.step("charge", () => log.push(`charge ${ctx.callId}`));
    try {
      await ctx.waitFor("approval", ANY_TEXT);
    } catch (error) {
      await ctx.step("refund", ({ signal }) => log.push(`refund ${ctx.signal.aborted} ${signal.aborted}`));
      throw error;
    } finally {
      await ctx.step("note", () => log.push("note"));
    }
  });
  return [saga, flaky, approved] as const;
}

/** Servers of two processes: the first takes calls, the second does the work. */
function openServers(one: Engine, other: Engine) {
  const log: string[] = [];
  const make = (engine: Engine, work: false | { concurrency: number }) =>
    createCoreServer({ tools: defineTools(log), keys: keyRing(KEYS), engine: copyOf(engine), work, logger: false });
  const [front, worker] = [make(one, false), make(other, { concurrency: 2 })];
  const close = async () => {
    for (const server of [front, worker]) await server.close(0);
  };
  return { client: testClient(front), worker, close, log };
}

/** Checks that a step is tried again by any process, and that one that failed finally stays failed in each later run. */
export const SAGA_CHECKS: readonly ContractCheck[] = [
  withTwo("a step that failed finally stays failed, and is undone once, over two processes", async (one, other) => {
    const { client, worker, close, log } = openServers(one, other);
    const running = worker.work();
    const work = await client.saga.start();
    expectEqual(await work.result(), "The warehouse does not answer", "result");
    expectEqual(log, ["charge", "ship", "ship", "refund"], "steps");
    await running.stop();
    await close();
  }),

  withTwo("a step is tried again by another process, which counts the tries before", async (one, other) => {
    const { client, worker, close, log } = openServers(one, other);
    const outcome = await client.flaky.outcome();
    expectEqual(outcome.kind, "promise", "kind of the outcome");
    const running = worker.work();
    const { token } = outcome as { readonly token: string };
    expectEqual(await client.$.redeem(token).result(), "up", "result");
    expectEqual(log, ["try 1", "try 2"], "tries");
    await running.stop();
    await close();
  }),

  withTwo("a cancel at a wait wakes the handler once, and what it undoes is recorded", async (one, other, { wait }) => {
    const { client, worker, close, log } = openServers(one, other);
    const running = worker.work();
    const work = await client.approved.start();
    await wait("the step has ended", () => log.length === 1);
    const id = log[0]!.slice("charge ".length);
    let job = await one.get(id);
    const look = () => void Promise.resolve(one.get(id)).then((found) => job = found);
    await wait("the run has stopped at the wait", () => (look(), job?.state === "waiting"));
    expectEqual(await work.cancel(), true, "cancelled");
    await wait("the handler has undone", () => (look(), job?.state === "cancelled" && job.undoUntilMs === undefined));
    expectEqual(log.slice(1), ["refund true false", "note"], "steps that undo");
    const ledger = await one.readLedger(id, 0, 10);
    expectEqual(ledger.map(({ name, isUndo }) => [name, isUndo === true]), [
      ["step charge", false],
      ["step refund", true],
      ["step note", true],
    ], "ledger");
    expectEqual(job?.args, null, "arguments of a job that has ended");
    await running.stop();
    await close();
  }),
];
