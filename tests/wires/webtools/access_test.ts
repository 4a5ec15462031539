/** Who calls, over Webtools: metadata shows what a caller may know of, refusals are envelopes that say what to do. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { ask } from "./weather.ts";

const plain = defineTool("plain").describe("For all").handle(() => "plain");
const scoped = defineTool("scoped").describe("For some").scopes("write").handle(() => "scoped");
const hidden = defineTool("hidden").describe("For admins").visibleTo((caller) => caller?.id === "admin")
  .handle(() => "hidden");

function createGuarded(allowAnonymous: boolean) {
  const verify = (token: string) => token === "admin" || token === "bob" ? { id: token } : undefined;
  const versions = [{ version: "1.0.0", tools: [hidden, defineTool("old").describe("Old").handle(() => "old")] }];
  return createServer({
    logger: false,
    tools: [plain, scoped, hidden],
    wires: [webtools({ name: "weather", description: "W", version: "2.0.0", versions })],
    auth: bearer(verify, { allowAnonymous }),
  });
}

const as = (token: string) => ({ authorization: `Bearer ${token}` });

test("metadata lists the actions that its caller may see, and may not be cached for others", async () => {
  const server = createGuarded(true);
  for (const [path, all] of [["", ["plain", "scoped", "hidden"]], ["/1.0.0", ["hidden", "old"]]] as const) {
    const forAdmin = await ask(server, "GET", path, undefined, as("admin"));
    const forBob = await ask(server, "GET", path, undefined, as("bob"));
    const forAnyone = await ask(server, "GET", path);
    const names = ({ json }: typeof forAdmin) => json.actions.map(({ name }: { name: string }) => name);
    deepStrictEqual(names(forAdmin), all);
    deepStrictEqual(names(forBob), all.filter((name) => name !== "hidden"));
    strictEqual(forAnyone.text, forBob.text);
    strictEqual(forAnyone.headers.get("etag") === forAdmin.headers.get("etag"), false);
    for (const { headers } of [forAdmin, forBob]) match(headers.get("cache-control") ?? "", /^private, /);
  }
});

test("what a caller may not know of is not there, in any version; what it may not use is refused", async () => {
  const server = createGuarded(true);
  for (const version of [undefined, "1.0.0"]) {
    const call = { version, action: "hidden", request: {} };
    strictEqual((await ask(server, "POST", "", call, as("admin"))).json.data, "hidden");
    const { status, json } = await ask(server, "POST", "", call, as("bob"));
    deepStrictEqual([status, json.error.code], [404, "WEBTOOL_NOT_FOUND"]);
    strictEqual(JSON.stringify(json.error.data.available_tools).includes("hidden"), false);
  }
  const call = { action: "scoped", request: {} };
  const forBob = await ask(server, "POST", "", call, as("bob"));
  deepStrictEqual([forBob.status, forBob.json.error.code], [403, "PERMISSION_DENIED"]);
  match(forBob.headers.get("www-authenticate") ?? "", /insufficient_scope/);
  const forAnyone = await ask(server, "POST", "", call);
  deepStrictEqual([forAnyone.status, forAnyone.json.error.code], [401, "UNAUTHENTICATED"]);
});

test("who is not let in at all gets the envelope and the challenge, for metadata too", async () => {
  const server = createGuarded(false);
  for (const [method, path] of [["GET", ""], ["GET", "/1.0.0"], ["POST", ""], ["GET", "/9.9.9"]] as const) {
    const { status, headers, json } = await ask(
      server,
      method,
      path,
      method === "POST" ? {} : undefined,
      as("stranger"),
    );
    deepStrictEqual([status, json.status, json.error.code], [401, "error", "UNAUTHENTICATED"]);
    match(headers.get("www-authenticate") ?? "", /^Bearer/);
  }
});
