/** Costs of a tool for the type checker, within docs/spec.md "Numbers": in instantiations, the same on every machine. */
import { ok } from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as scale from "./scale.mjs";

interface Row {
  readonly tools: number;
  readonly ours: number;
}
const { measureTypes, marginalCost } = scale as {
  readonly measureTypes: (sizes: readonly number[]) => readonly Row[];
  readonly marginalCost: (rows: readonly Row[]) => number;
};

const MAX_PER_TOOL = 250;
const rows: Row[] = [];

// One test a size: each runs the compiler twice.
for (const tools of [50, 200, 400]) {
  // On a busy machine the compiler takes longer than the five seconds that Bun allows a test.
  test(`a server and a client of ${tools} tools compile`, { timeout: 300_000 }, () => {
    rows.push(...measureTypes([tools]));
  });
}

test("a further tool costs at most 250 instantiations, and as many at 400 tools as at 50", () => {
  const [small, middle, large] = rows;
  ok(small !== undefined && middle !== undefined && large !== undefined);
  const early = marginalCost([small, middle]);
  const late = marginalCost([middle, large]);
  ok(late <= MAX_PER_TOOL, `${late} instantiations a tool`);
  ok(late <= early * 1.1, `${early} a tool from 50 to 200, ${late} from 200 to 400`);
});
