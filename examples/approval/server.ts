/**
 * A person decides in the middle of a call: the person in charge gets a link to a page with a form, and the work waits for days, without
 * a process, until the form is sent.
 *
 * @module
 */
import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
import { mcp } from "jsr:@toolwire/toolwire/mcp";
import { resolver } from "jsr:@toolwire/toolwire/waits";
import * as v from "jsr:@toolwire/toolwire/schema";
import type { Database } from "../database/airports.ts";

const DAY_MS = 86_400_000;

const Decision = v.object({
  approved: v.pipe(v.boolean(), v.title("Make this change")),
  reason: v.optional(v.pipe(v.string(), v.title("Reason, for the person who asked"))),
});

/** Options of {@link createCorrections}. */
export interface CorrectionOptions {
  /** The tables, which are changed. */
  readonly database: Database;
  /** Where callers and browsers reach the server. */
  readonly url: string;
  /** Sends the link to the person who decides: by mail, or in a chat. */
  readonly send: (subject: string, link: string) => Promise<void>;
}

/** Creates the server. With an engine such as `sqliteEngine("jobs.db")`, the wait also survives a restart. */
export function createCorrections({ database, url, send }: CorrectionOptions) {
  const correct = defineTool("correct_airport")
    .describe("Propose another name for an airport. Someone in charge decides, which may take days")
    .input(
      v.object({ iata: v.pipe(v.string(), v.toUpperCase(), v.length(3)), name: v.pipe(v.string(), v.minLength(1)) }),
    )
    .output(v.object({ changed: v.boolean(), reason: v.optional(v.string()) }))
    .errors({ unknown_airport: null })
    .promise({ ttlMs: 7 * DAY_MS })
    .handle(async ({ iata, name }, ctx) => {
      const [row] = database.prepare("SELECT name FROM airport WHERE iata = ?").all(iata) as { name: string }[];
      if (row === undefined) throw ctx.fail("unknown_airport", `There is no airport ${iata}`);

      // First the caller's user confirms, in the same conversation.
      const change = await ctx.step("change", () => `${iata}: "${row.name}" becomes "${name}"`);
      const sure = await ctx.elicit("sure", {
        message: `Propose this? ${change}`,
        schema: v.object({ yes: v.boolean() }),
      });
      if (sure.action !== "accept" || !sure.content.yes) return { changed: false, reason: "not proposed" };

      // Then another person decides, at a page of this server. Meanwhile the caller has a promise.
      const { url: link = "" } = await ctx.resolver("decision", { timeoutMs: 3 * DAY_MS });
      await ctx.step("mail", () => send(change, link).then(() => true));
      const said = await ctx.waitFor("decision", Decision, { timeoutMs: 3 * DAY_MS });
      if (said.action !== "accept") return { changed: false, reason: said.action };
      const { approved, reason } = said.content;
      if (approved) {
        await ctx.step("apply", () => {
          database.prepare("UPDATE airport SET name = ? WHERE iata = ?").run(name, iata);
          return true;
        });
      }
      return { changed: approved, ...(reason !== undefined && { reason }) };
    });
  return createServer({
    name: "corrections",
    version: "1.0.0",
    tools: [correct],
    wires: [mcp(), mcpLite(), resolver({ url: `${url}/decide` })],
    keys: "k1:in production a secret from the environment",
  });
}
