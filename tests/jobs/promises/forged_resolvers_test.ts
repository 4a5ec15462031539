/** Resolve tokens that this server has not made: forged ones, and those of servers with other keys. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, memoryEngine } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PREFIX = "res_";

/** A server, and the token of a wait that is open there. */
async function waiting(keys: string) {
  const made = Promise.withResolvers<string>();
  const tool = defineTool("approve").describe("Wait for a value").promise().output(v.string()).handle(
    async (_, ctx) => {
      made.resolve((await ctx.resolver("k")).token);
      const reply = await ctx.waitFor("k", v.string());
      return reply.action === "accept" ? reply.content : reply.action;
    },
  );
  const server = createServer({ tools: [tool], keys, engine: memoryEngine(), logger: false });
  const work = await testClient(server).approve.start();
  return { server, work, token: await made.promise };
}

test("resolve() refuses a token with any one bit changed, and the wait stays open", async () => {
  const { server, work, token } = await waiting("k1:a secret that only this server knows");
  let forged = 0;
  for (let at = PREFIX.length; at < token.length; at++) {
    const value = BASE64URL.indexOf(token[at]!);
    for (let bit = 0; bit < 6 && value >= 0; bit++) {
      const text = token.slice(0, at) + BASE64URL[value ^ (1 << bit)] + token.slice(at + 1);
      await rejects(server.resolve(text, "forged"), { code: "invalid_promise" }, text);
      forged++;
    }
  }
  deepStrictEqual(forged > 500, true, `${forged} forged tokens`);
  deepStrictEqual(await server.resolve(token, "real"), { resolved: true });
  deepStrictEqual(await work.result(), "real");
  await server.close(0);
});

test("resolve() refuses a token of a server with other keys", async () => {
  const [one, other] = await Promise.all(
    ["k1:a secret that the first server has", "k1:a secret that the second server has"].map(waiting),
  );
  await rejects(one!.server.resolve(other!.token, "foreign"), { code: "invalid_promise" });
  deepStrictEqual(await one!.server.resolve(one!.token, "real"), { resolved: true });
  await Promise.all([one!.server.close(0), other!.server.close(0)]);
});
