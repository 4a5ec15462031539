/** Every decoder, fuzzed for as long as every day allows: `npm run fuzz` does it for minutes. See docs/testing-the-sdk.md. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { RandomChoices } from "./random.ts";
import { formatFaults, formatRow } from "./report.ts";
import { fuzz } from "./run.ts";
import type { Target } from "./target.ts";
import { TARGETS } from "./targets.ts";

const SEED = 20261121;
const CASES = 300;

for (const target of TARGETS) {
  test(`${target.name}: ${CASES} cases are answered as they should be`, {
    skip: target.skip ?? false,
    timeout: 120_000,
  }, async () => {
    const report = await fuzz(target, { seed: SEED, cases: CASES, measures: false });
    deepStrictEqual(report.faults, [], formatFaults(report, [], SEED));
    strictEqual(report.cases, CASES);
    // Most of the damage must be damage, and some must not, or this would test one path alone.
    ok(report.kinds.size > 3, formatRow(report));
  });
}

/** A target that says no to some of what it is sent, and holds the loop for others. */
const faulty: Target = {
  name: "faulty",
  open: () =>
    Promise.resolve({
      make(random) {
        const number = random.below(1_000);
        return {
          describe: () => `number ${number}`,
          send: () =>
            Promise.resolve(() => {
              ok(number < 900, "It is too large");
              return "small";
            }),
        };
      },
      isAlive: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
};

test("fuzz() tells each fault with its number, which makes the same case alone", async () => {
  const { faults, faultCount, kinds } = await fuzz(faulty, { seed: 3, cases: 200, measures: false });
  strictEqual(faultCount + (kinds.get("small") ?? 0), 200);
  ok(faultCount > 5 && faultCount < 50);
  const [first] = faults;
  const again = await fuzz(faulty, { seed: 3, cases: 200, measures: false, only: first?.number });
  deepStrictEqual([again.cases, again.faults], [1, [first]]);
});

test("RandomChoices throw the same for the same seed", () => {
  const throws = (seed: number) => Array.from({ length: 20 }, () => new RandomChoices(seed).bytes(4).join());
  deepStrictEqual(throws(1), throws(1));
  ok(throws(1).join() !== throws(2).join());
});
