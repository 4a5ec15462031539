/** Runs the cases of an adapter. */
import { createClient, memoryTransport } from "../../../../mod.ts";
import type { CaseSetting, RunCase } from "./cases.ts";
import { createManyViewed, createViewedServer } from "./tools.ts";
import type { ViewedAdapter } from "./viewed_adapter.ts";

/** Each run has its own server. */
export function runner({ run, api }: ViewedAdapter): RunCase {
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
