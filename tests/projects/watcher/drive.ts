import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { after, test } from "node:test";
import { Miniflare } from "miniflare";
import { createClient } from "toolwire";
import { mcpTransport } from "toolwire/mcp";
import { webSocketTransport } from "toolwire/websocket";
import type { Server } from "./worker.ts";

const worker = new Miniflare({
  host: "127.0.0.1",
  port: 0,
  modules: true,
  scriptPath: "build/worker.js",
  compatibilityDate: "2026-04-20",
  durableObjects: { JOBS: { className: "Jobs", useSQLite: true } },
  kvNamespaces: ["SITES"],
  bindings: { KEYS: "k1:0123456789abcdef0123456789abcdef", CALLERS: { "key-of-ada": "ada", "key-of-bob": "bob" } },
});
const { origin, host } = await worker.ready;
const clients: { $: { close(): void } }[] = [];
after(async () => {
  for (const client of clients) client.$.close();
  await worker.dispose();
});

function connect(key: string) {
  const client = createClient<Server>(mcpTransport(`${origin}/mcp`, { headers: { "x-api-key": key } }));
  clients.push(client);
  return client;
}

test("sites are in KV, with who added them", async () => {
  const ada = connect("key-of-ada");
  deepStrictEqual(await ada.add_site({ name: "docs", url: "https://docs.example" }), { name: "docs", by: "ada" });
  await rejects(ada.add_site({ name: "docs", url: "https://docs.example" }), { code: "conflict" });
  await ada.add_site({ name: "shop", url: "https://shop.example/down" });
});

test("a key is required, and the Worker's own pages remain", async () => {
  await rejects(connect("key-of-eve").watch(), { code: "unauthenticated" });
  strictEqual(await (await fetch(origin)).text(), "watcher");
});

test("work continues in an object, with the bindings", async () => {
  const ada = connect("key-of-ada");
  const progress: number[] = [];
  const job = await ada.check_all.start();
  const found = await job.result({ onProgress: ({ done }) => progress.push(done) });
  deepStrictEqual(found, [{ name: "docs", status: 200 }, { name: "shop", status: 503 }]);
  // In order and without a value twice. What changes between two requests for the job is not seen.
  deepStrictEqual(progress, [...new Set(progress)].toSorted((a, b) => a - b));
  const bob = connect("key-of-bob");
  await rejects(async () => await bob.$.redeem(job.token).result(), { code: "invalid_promise" });
});

test("a stream has its pieces", async () => {
  const pieces = [];
  for await (const piece of connect("key-of-ada").watch.stream()) pieces.push(piece.status);
  deepStrictEqual(pieces, [200, 503]);
});

test("a question over a socket, which is closed then", async () => {
  const asked: string[] = [];
  const ada = createClient<Server>(
    webSocketTransport(`ws://${host}/mcp-lite/v1`, { headers: { "x-api-key": "key-of-ada" } }),
    {
      onElicitation: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { yes: true } };
      },
    },
  );
  strictEqual(await ada.remove_site({ name: "shop" }), "removed");
  deepStrictEqual(asked, ["Remove shop?"]);
  ada.$.close();

  const socket = new WebSocket(
    `ws://${host}/mcp-lite/v1`,
    { headers: { "x-api-key": "key-of-ada" }, protocols: ["mcp-lite.v1"] } as never,
  );
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
});

test("schedules run once a Worker has been deployed, without a call", { timeout: 60_000 }, async () => {
  const { scheduled } = await worker.getWorker();
  await scheduled({ cron: "* * * * *" });
  const sites = await worker.getKVNamespace("SITES");
  while (Number(await sites.get("beats")) < 2) await new Promise((resolve) => setTimeout(resolve, 100));
  ok(true);
});
