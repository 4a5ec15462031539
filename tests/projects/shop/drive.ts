import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { after, test } from "node:test";
import { createClient } from "toolwire";
import { mcpTransport } from "toolwire/mcp";
import { restTransport } from "toolwire/rest";
import type { server } from "./shop.ts";

const started: ChildProcess[] = [];
after(() => started.forEach((child) => child.kill("SIGKILL")));
let shop = await startShop();

test("a caller without a session is refused", async () => {
  const client = createClient<typeof server>(mcpTransport(`${shop.url}/agents/mcp`));
  await rejects(client.search_products({ text: "mug" }), { code: "unauthenticated" });
});

test("what the schema does not have stays in the shop", async () => {
  const cookie = await signIn("ada");
  const client = createClient<typeof server>(mcpTransport(`${shop.url}/agents/mcp`, { headers: { cookie } }));
  deepStrictEqual(await client.search_products({ text: "mug" }), [{ id: "mug", name: "Mug", cents: 900 }]);
});

test("the session's user orders, after a question", async () => {
  const cookie = await signIn("ada");
  const client = createClient<typeof server>(mcpTransport(`${shop.url}/agents/mcp`, { headers: { cookie } }), {
    onElicitation: () => ({ action: "accept", content: { sure: true } }),
  });
  deepStrictEqual(await client.order({ product: "mug" }), { ordered: true, customer: "ada" });
  await rejects(client.order({ product: "pen" }), { code: "sold_out", message: "No pen is left" });
});

test("a file is bytes where HTTP asks for them, and a File for the client", async () => {
  const cookie = await signIn("ada");
  const response = await fetch(`${shop.url}/agents/rest/tools/invoice`, { headers: { cookie, accept: "text/csv" } });
  strictEqual(response.headers.get("content-type")?.split(";")[0], "text/csv");
  strictEqual(await response.text(), "product\nmug");
});

test("the shop's other pages are its own", async () => {
  strictEqual(await (await fetch(shop.url)).text(), "The shop");
  strictEqual(await (await fetch(`${shop.url}/elsewhere`)).text(), "No such page");
});

test("a report ends after the shop was killed, without a request in between", { timeout: 120_000 }, async () => {
  const cookie = await signIn("ada");
  const client = createClient<typeof server>(restTransport(`${shop.url}/agents/rest`, { headers: { cookie } }));
  const { token } = await client.report.start({});
  shop.child.kill("SIGKILL");
  await once(shop.child, "exit");
  shop = await startShop();
  const later = createClient<typeof server>(restTransport(`${shop.url}/agents/rest`, { headers: { cookie } }));
  deepStrictEqual(await later.$.redeem(token).result(), { orders: 1 });
});

test("who signs out is signed out for agents, too", async () => {
  const cookie = await signIn("ada");
  const client = createClient<typeof server>(mcpTransport(`${shop.url}/agents/mcp`, { headers: { cookie } }));
  strictEqual((await client.search_products({ text: "pen" })).length, 1);
  await fetch(`${shop.url}/logout`, { method: "POST", headers: { cookie } });
  await rejects(client.search_products({ text: "pen" }), { code: "unauthenticated" });
});

test("SIGTERM ends the shop", { timeout: 60_000 }, async () => {
  shop.child.kill("SIGTERM");
  const [code] = await once(shop.child, "exit");
  strictEqual(code, 0);
});

async function signIn(user: string) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${shop.url}/login`, { method: "POST", headers, body: JSON.stringify({ user }) });
  await response.text(); // the session is stored when the response has ended
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

async function startShop() {
  const env = { ...process.env, PORT: "0" };
  const child = spawn(process.execPath, ["main.ts"], { env, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  let output = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const url = /listening (\S+)/.exec(output)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error(`The shop ended: ${output}`);
}
