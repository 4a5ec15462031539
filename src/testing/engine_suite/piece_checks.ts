/** Checks of servers over an engine: the pieces of a promised stream are kept with its job, for callers of any process. */
import { keyRing } from "../../core/keys/key_ring.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { Engine } from "../../core/dispatch/engine.ts";
import { releasing } from "../../internal/clean_up.ts";
import { createCoreServer } from "../../server/server.ts";
import { testClient } from "../test_client.ts";
import { type ContractCheck, withTwo } from "./bench.ts";
import { expectEqual } from "./fixture.ts";
import { copyOf } from "./wait_checks.ts";

const KEYS = "k1:a secret that all servers of these checks know";
const COUNT = 6;
const LARGE_CHARS = 60_000;

/** Servers of two processes, of which the second does the work, with a tool that waits in the middle of its pieces. */
function openServers(one: Engine, other: Engine) {
  const half = Promise.withResolvers<void>();
  const write = defineCoreTool("write").describe("Write").promise({ retries: 0 }).handle(async function* () {
    for (let n = 0; n < COUNT; n++) {
      if (n === COUNT / 2) await half.promise;
      yield `${n};`;
    }
  });
  const flood = defineCoreTool("flood").describe("Write much").promise({ retries: 0 }).handle(async function* () {
    for (let n = 0; n < COUNT; n++) yield `${n}`.repeat(LARGE_CHARS);
  });
  const make = (engine: Engine, work: false | { concurrency: number }) =>
    createCoreServer({ tools: [write, flood], keys: keyRing(KEYS), engine: copyOf(engine), work, logger: false });
  const [front, worker] = [make(one, false), make(other, { concurrency: 2 })];
  worker.work();
  const close = () => releasing(() => front.close(0), () => worker.close(0));
  return { front, close, write: () => half.resolve() };
}

/** Checks that pieces arrive while the work runs and after it has ended, from any number on, and that they are bounded. */
export const PIECE_CHECKS: readonly ContractCheck[] = [
  withTwo(
    "a caller of another process reads the pieces while they come, and again after the end",
    async (one, other) => {
      const { front, close, write } = openServers(one, other);
      await releasing(async () => {
        const job = await testClient(front).write.start();
        const pieces: unknown[] = [];
        for await (const piece of job.stream()) {
          pieces.push(piece);
          if (pieces.length === COUNT / 2) write();
        }
        expectEqual(pieces, Array.from({ length: COUNT }, (_, n) => `${n};`), "pieces of the stream");
        expectEqual(await Array.fromAsync(job.stream({ after: 4 })), ["4;", "5;"], "pieces after the fourth");
        expectEqual(await job.result(), "0;1;2;3;4;5;", "answer");
      }, () => {
        write();
        return close();
      });
    },
  ),

  withTwo("the oldest pieces are dropped, and the caller learns how many", async (one, other) => {
    const { front, close } = openServers(one, other);
    await releasing(async () => {
      const job = await testClient(front).flood.start();
      await job.result();
      const stream = job.stream();
      const pieces = await Array.fromAsync(stream);
      expectEqual(stream.dropped + pieces.length, COUNT, "pieces that were dropped or sent");
      expectEqual(String(pieces.at(-1)).length, LARGE_CHARS, "length of the last piece");
      expectEqual(stream.dropped > 0, true, "whether pieces were dropped");
    }, close);
  }),
];
