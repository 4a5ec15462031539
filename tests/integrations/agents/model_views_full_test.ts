/**
 * What a model sees: each adapter with the loop of its vendor's package, asserted on the bodies of the requests that leave for the
 * vendor, and on what the handlers received.
 */
import { doesNotMatch } from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./frameworks.ts";
import { ADAPTERS } from "./model_views/adapters.ts";
import { CASES } from "./model_views/cases.ts";
import { runner } from "./model_views/runner.ts";
import { tableOf } from "./model_views/table.ts";
import { holdTable } from "./model_views/written_table.ts";

const page = new URL("../../../docs/agents.md", import.meta.url);
const seen = new Map<string, string>();

for (const adapter of ADAPTERS) {
  describe(adapter.name, { skip }, () => {
    for (const { name, see } of CASES) {
      test(name, async () => {
        seen.set(`${adapter.name} ${name}`, "lost");
        seen.set(`${adapter.name} ${name}`, await see(runner(adapter), adapter));
      });
    }
  });
}

describe("the documentation", { skip }, () => {
  test("has the table of this suite, and nothing is lost", () => {
    const table = tableOf(seen);
    doesNotMatch(table, /lost/);
    holdTable(page, "what a model sees", table);
  });
});
