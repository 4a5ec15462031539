/** Checks of calls whose job is stored before their handler begins: their process dies while the caller still waits for the answer. */
import { keyRing } from "../../core/keys/key_ring.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import { systemClock } from "../../internal/time.ts";
import { createCoreServer } from "../../server/server.ts";
import { ReplicaLife } from "../replica.ts";
import { testClient } from "../test_client.ts";
import { type ContractCheck, withTwo } from "./bench.ts";
import { expectEqual } from "./fixture.ts";
import { copyOf } from "./wait_checks.ts";

const KEYS = "k1:a secret that all servers of these checks know";

/** A budget that does not end during a check, in milliseconds. */
const BUDGET_MS = 60_000;

function startCheck(way: string, durable: "start" | "budget", idempotencyKey?: string): ContractCheck {
  return withTwo(
    `a call ${way} whose process dies within its budget is continued by another one, with its steps`,
    async (one, other, bench) => {
      const log: string[] = [];
      const tool = defineCoreTool("order").describe("Order").promise({ budgetMs: BUDGET_MS, durable }).handle(
        async (_, ctx) => {
          await ctx.step("charge", () => log.push("charge"));
          if (log.push("run") === 2) await new Promise(() => {});
          await ctx.step("ship", () => log.push("ship"));
          return "ordered";
        },
      );
      const keys = keyRing(KEYS);
      const dying = new ReplicaLife(0, 1, 0, systemClock);
      const engine = copyOf(dying.attach(one));
      const front = createCoreServer({ tools: [tool], keys, engine, clock: dying.clock, work: false, logger: false });
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      // Its process dies, so the call gets no answer: it is given up below.
      const caller = new AbortController();
      const call = testClient(front).order({}, { ...options, signal: caller.signal }).catch(() => {});
      await bench.wait("the handler has charged", () => log.length === 2);
      dying.kill();
      caller.abort();
      await call;
      const server = createCoreServer({ tools: [tool], keys, engine: copyOf(other), work: false, logger: false });
      const running = server.work({ concurrency: 1 });
      await bench.wait("another process has shipped", () => log.includes("ship"));
      if (idempotencyKey !== undefined) expectEqual(await testClient(server).order({}, options), "ordered", "result");
      expectEqual(log, ["charge", "run", "run", "ship"], "what the handler did");
      await running.stop();
      await server.close(0);
    },
  );
}

/** Checks that what a call has done within its budget survives its process, if the call is stored at its start. */
export const START_CHECKS: readonly ContractCheck[] = [
  startCheck("that is durable from its start", "start"),
  startCheck("with an idempotency key", "budget", "order 1"),
];
