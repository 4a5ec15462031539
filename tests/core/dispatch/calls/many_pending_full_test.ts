import { strictEqual } from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { defineTool } from "../../../../mod.ts";
import { Bench, BlockableClock, settle } from "../harness.ts";

const never = defineTool("t").describe("T").timeout(1_000).handle(() => new Promise<never>(() => {}));
const skip = process.versions["bun"] === undefined && "late_deadlines_test.ts runs 10,000 on every runtime";

test("100,000 calls that are pending at once all end at their own deadlines", { skip }, async () => {
  const clock = new BlockableClock();
  const bench = new Bench([never], { clock });
  let ended = 0;
  for (let index = 0; index < 100_000; index++) {
    // 32 in a millisecond, all in one turn.
    clock.block(1 / 32);
    void Promise.resolve(bench.call("t")).then((result) => void (ended += result.kind === "error" ? 1 : 0));
  }
  clock.turn();
  clock.turn();
  await settle();
  strictEqual(ended, 68_000);
  clock.block(999);
  for (let turn = 0; turn < 3; turn++) clock.turn();
  await settle();
  strictEqual(ended, 99_968);
  clock.block(1);
  clock.turn();
  await settle();
  strictEqual(ended, 100_000);
});
