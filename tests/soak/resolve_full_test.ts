/** A webhook that is sent fifty times at once to three replicas behind nginx resolves a wait once; forged tokens resolve nothing. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { missingPrograms } from "../../examples/replicas/programs.ts";
import { REPLICA_HEADER } from "../../examples/replicas/nginx.ts";
import { createClient } from "../../mod.ts";
import { type Found, testWith } from "../serve/programs.ts";
import { Fleet } from "./fleet.ts";
import type { SoakServer } from "./tools.ts";

const missing = missingPrograms({ "redis-server": "redis-server", nginx: "nginx" });
const servers: Found = missing === undefined ? { path: "" } : { missing };
const KEYS = "k1:the first secret that all of these replicas know";
const TOKEN_BYTES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The token with one bit of one of its characters changed. */
function flipped(token: string, at: number): string {
  const value = TOKEN_BYTES.indexOf(token[at] ?? "");
  return token.slice(0, at) + TOKEN_BYTES[value ^ (1 << (at % 6))] + token.slice(at + 1);
}

testWith(
  "50 duplicates at once at three replicas behind nginx: one 202, 49 x 200, and one continuation",
  [servers],
  async () => {
    const fleet = await Fleet.start({ replicas: 3, workers: 0, runtimes: ["bun"], keys: KEYS, engine: "redis" });
    try {
      const asked = Promise.withResolvers<string>();
      const client = createClient<SoakServer>(`${fleet.url}/mcp-lite/v1`, {
        onElicitation: ({ message }) => {
          asked.resolve(message);
          return { action: "accept", content: {} };
        },
      });
      const work = await client.travel.start({ ms: 1_100 });
      const result = work.result();
      const [token = "", ticket] = (await asked.promise).split(" ");
      const post = async (to: string, value: unknown) => {
        const response = await fetch(`${fleet.url}/resolve/${to}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(value),
        });
        await response.text();
        return { status: response.status, replica: response.headers.get(REPLICA_HEADER)?.split(", ").at(-1) };
      };
      const positions = Array.from({ length: token.length - 4 }, (_, index) => index + 4);
      const forged = await Promise.all(positions.map((at) => post(flipped(token, at), { word: "forged" })));
      deepStrictEqual(new Set(forged.map(({ status }) => status)), new Set([404]));
      strictEqual((await post(work.token, { word: "foreign" })).status, 404, "a promise token is no resolver");
      const sent = await Promise.all(Array.from({ length: 50 }, () => post(token, { word: "real" })));
      deepStrictEqual(sent.map(({ status }) => status).sort(), [...Array<number>(49).fill(200), 202]);
      strictEqual(new Set(sent.map(({ replica }) => replica)).size, 3, "each replica has got some of them");
      const { word, tickets, callId } = await result;
      deepStrictEqual([word, tickets[0]], ["real", ticket]);
      await fleet.webhooks.untilEnded(callId);
      strictEqual(fleet.webhooks.ids.get(callId)?.size, 1);
      deepStrictEqual([(await post(token, { word: "other" })).status, (await post(token, { word: "real" })).status], [
        200,
        200,
      ]);
      ok(fleet.crashes.length === 0, fleet.crashes.join());
    } finally {
      await fleet.stop();
    }
  },
  120_000,
);
