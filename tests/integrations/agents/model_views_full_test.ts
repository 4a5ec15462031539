/**
 * What a model sees: each adapter with the loop of its vendor's package, asserted on the bodies of the requests that leave for the
 * vendor, and on what the handlers received.
 */
import { doesNotMatch } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, memoryTransport } from "../../../mod.ts";
import { skip } from "./frameworks.ts";
import { ADAPTERS } from "./model_views/adapters.ts";
import { CASES, type CaseSetting, type RunCase } from "./model_views/cases.ts";
import { tableOf } from "./model_views/table.ts";
import { createManyViewed, createViewedServer } from "./model_views/tools.ts";
import { holdTable } from "./model_views/written_table.ts";
import type { ViewedAdapter } from "./model_views/viewed_adapter.ts";

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

/** Each run has its own server. */
function runner({ run, api }: ViewedAdapter): RunCase {
  return async (script, { options = {}, hasMany = false, answers = false }: CaseSetting = {}) => {
    const { server, received } = hasMany ? createManyViewed() : createViewedServer();
    const source = answers
      ? createClient(memoryTransport(server), { onElicitation: () => ({ action: "accept", content: {} }) })
      : server;
    try {
      const bodies = await run(source, script, options);
      return { bodies, received, result: api.result(bodies.at(-1) ?? {}) };
    } finally {
      await server.close();
    }
  };
}

describe("the documentation", { skip }, () => {
  test("has the table of this suite, and nothing is lost", () => {
    const table = tableOf(seen);
    doesNotMatch(table, /lost/);
    holdTable(page, "what a model sees", table);
  });
});
