/** Records in Redis for streams of 2024-11-05 that several replicas write. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { redisSessionStore } from "../../../src/entries/redis.ts";
import { mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import { skipReason, startRedis, type TestServer } from "../../jobs/engines/programs.ts";
import { StreamReader } from "../../wires/mcp/server/client.ts";
import { KEYS } from "../../wires/mcp/server/fixture.ts";
import { eventually, newSession, PATIENT, withRedis } from "./fixture.ts";

describe("endpoints over Redis", { skip: skipReason("redis") }, () => {
  let starting: Promise<TestServer> | undefined;
  const url = async () => (await (starting ??= startRedis())).url;
  after(async () => {
    await (await starting)?.stop();
  });

  test("what a stream has told is not kept", PATIENT, async () => {
    const redis = await url();
    const name = crypto.randomUUID();
    const long = defineTool("long").describe("Give much").handle(() => Promise.resolve("x".repeat(500_000)));
    const replicas = [1, 2].map(() => {
      const store = redisSessionStore({ redis, name, timeoutMs: 60_000 });
      const wires = [mcp({ sessions: mcpSessions({ store }), ssePath: "/sse" })];
      return { store, server: createServer({ tools: [long], keys: KEYS, wires }) };
    });
    const [here, there] = replicas.map(({ server }) => server);
    ok(here !== undefined && there !== undefined);
    const stream = new StreamReader(await here.fetch(new Request("http://localhost/sse")));
    const [, path = "", id] = /data: (\/sse\/(.+))$/.exec(await stream.nextBlock() ?? "") ?? [];
    for (let n = 0; n < 12; n++) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: n, method: "tools/call", params: { name: "long" } });
      const headers = { "content-type": "application/json" };
      const sent: Response = await there.fetch(
        new Request(`http://localhost${path}`, { method: "POST", headers, body }),
      );
      deepStrictEqual([sent.status, await sent.text()], [202, ""]);
      strictEqual((await stream.nextMessage()).id, n, "all is told");
    }
    await withRedis(redis, async (client) => {
      const key = `{${name}}:mcp:session:${id}`;
      await eventually("what was told has gone", async () => await client.xlen(`${key}:stream:news`) === 1);
      const [[, [, json = ""] = []] = []] = await client.xrange(`${key}:stream:news`, "-", "+");
      const size = `${json.length}`;
      deepStrictEqual(await client.hgetall(`${key}:sizes`), { "": size, news: size });
    });
    await stream.cancel();
    for (const { server, store } of replicas) {
      await server.close(0);
      store.close();
    }
  });

  test("what is dropped is what was read, and the newest stays", PATIENT, async () => {
    const store = redisSessionStore({ redis: await url(), name: crypto.randomUUID(), timeoutMs: 60_000 });
    const { id } = newSession();
    await store.put(newSession({ id }));
    for (const n of [1, 2, 3]) await store.append(id, "s", `${n}`, false);
    await store.append(id, "t", "4", false);
    const [, second] = await store.read(id, "s", 0);
    await store.drop?.(id, "s", second?.number ?? 0);
    deepStrictEqual((await store.read(id, "s", 0)).map(({ json }) => json), ["3"]);
    await store.drop?.(id, "s", 999_999_999);
    await store.drop?.(id, "none", 999_999_999);
    deepStrictEqual((await store.read(id, "s", 0)).map(({ json }) => json), ["3"]);
    deepStrictEqual((await store.read(id, "t", 0)).map(({ json }) => json), ["4"]);
    store.close();
  });
});
