/** Explores all orders of the real transitions of jobs within small scopes. docs/how-it-works/explorer.md explains it. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { explore } from "./explore.ts";
import { SCOPES } from "./scopes.ts";

const skip = runtime !== "bun" && "the transitions have no part for a runtime: once, under bun, is enough";

for (const scope of SCOPES) {
  test(`all orders of ${scope.name} keep what jobs promise`, { skip, timeout: 600_000 }, async () => {
    const { states, transitions, fault } = await explore(scope);
    console.log(`${scope.name}: ${states} states, ${transitions} transitions`);
    deepStrictEqual(fault, undefined);
    ok(states > 100, "a scope has many orders");
  });
}
