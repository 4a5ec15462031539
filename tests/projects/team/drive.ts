import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { after, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createClient } from "toolwire";
import type { closeMonth, createInvoice, listInvoices } from "./tools.ts";

const started: ChildProcess[] = [];
after(() => started.forEach((child) => child.kill("SIGKILL")));

const RESOURCE = "https://invoices.example";
const issuer = await startIssuer();
const env = {
  ...process.env,
  ISSUER: issuer.url,
  RESOURCE,
  KEYS: "k1:0123456789abcdef0123456789abcdef",
  PORT: "0",
};
const one = await startReplica();
const two = await startReplica();

type Tools = readonly [typeof createInvoice, typeof listInvoices, typeof closeMonth];
const client = async (url: string, id: string, tenant: string, scope = "invoices:read invoices:write") => {
  const authorization = `Bearer ${await issuer.sign(id, tenant, scope)}`;
  return createClient<Tools>(url, { headers: { authorization } });
};

test("each tenant sees its own invoices, and only what the schema has", async () => {
  const [acme, globex] = [await client(one.url, "ada", "acme"), await client(one.url, "ada", "globex")];
  deepStrictEqual(await acme.create_invoice({ id: "1", amount: 5 }), { id: "1", amount: 5, paid: false });
  deepStrictEqual(await globex.list_invoices(), []);
  strictEqual((await acme.list_invoices()).length, 1);
  await rejects(acme.create_invoice({ id: "1", amount: 5 }), { code: "conflict", message: /an invoice 1 already/ });
});

test("an MCP client without a token finds the sign-on", async () => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const refused = await fetch(`${one.url}/mcp`, { method: "POST", headers, body });
  strictEqual(refused.status, 401);
  const page = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1];
  strictEqual(page, `${RESOURCE}/.well-known/oauth-protected-resource`);
  const metadata = await (await fetch(`${one.url}${new URL(page).pathname}`)).json();
  deepStrictEqual(metadata.authorization_servers, [issuer.url]);
  deepStrictEqual(metadata.scopes_supported, ["invoices:read", "invoices:write"]);
});

test("scopes and tenants are required", async () => {
  const reader = await client(one.url, "bob", "acme", "invoices:read");
  await rejects(reader.create_invoice({ id: "2", amount: 5 }), { code: "permission_denied" });
  const response = await fetch(`${one.url}/rest/tools/list_invoices`);
  strictEqual(response.status, 401);
});

test("a month is closed though the replica that began it is killed", { timeout: 120_000 }, async () => {
  const acme = await client(one.url, "ada", "acme");
  const job = await acme.close_month.start({ month: "2026-10" });
  one.child.kill("SIGKILL");
  const later = await client(two.url, "ada", "acme");
  deepStrictEqual(await later.$.redeem(job.token).result(), {
    month: "2026-10",
    tenant: "acme",
    steps: ["collect by ada", "check by ada", "book by ada"],
  });
  const mallory = await client(two.url, "mallory", "acme");
  await rejects(async () => await mallory.$.redeem(job.token).result(), { code: "invalid_promise" });
});

test("one tenant's calls do not use up the other's", async () => {
  const [acme, globex] = [await client(two.url, "ada", "acme"), await client(two.url, "eve", "globex")];
  const calls = await Promise.allSettled(Array.from({ length: 60 }, () => acme.list_invoices()));
  strictEqual(calls.some((call) => call.status === "rejected" && call.reason.code === "rate_limited"), true);
  deepStrictEqual(await globex.list_invoices(), []);
});

test("SIGTERM ends the server", async () => {
  two.child.kill("SIGTERM");
  const [code] = await once(two.child, "exit");
  strictEqual(code, 0);
});

async function startReplica() {
  const child = start(process.execPath, ["server.ts"], env);
  return { child, url: (await readUntil(child, /listening (\S+)/))[1]! };
}

async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" };
  const http = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0, "127.0.0.1");
  await once(http, "listening");
  http.unref();
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const sign = (sub: string, tenant: string, scope: string) =>
    new SignJWT({ scope, tenant }).setProtectedHeader({ alg: "ES256", kid: "1" }).setIssuer(url)
      .setAudience(RESOURCE).setSubject(sub).setExpirationTime("10m").sign(privateKey);
  return { url, sign };
}

function start(command: string, args: string[], env = process.env) {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return child;
}

async function readUntil(child: ChildProcess, pattern: RegExp) {
  let output = "";
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const found = pattern.exec(output);
    if (found) {
      child.stdout!.resume();
      return found;
    }
  }
  throw new Error(`The program ended: ${output}`);
}
