/** Detection of the era from the server's reply to the first request. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../../runtime/runtime.ts";
import { type Answer, DISCOVERED, INITIALIZED, legacy, modern, RpcFailure, Scripted, text, TOOL } from "./scripted.ts";

const PLAIN = { "tools/list": () => ({ tools: [TOOL] }), "tools/call": () => text("done") };
const LEGACY = { ...PLAIN, initialize: () => INITIALIZED, "notifications/initialized": () => undefined };

const LEGACY_EVIDENCE: Readonly<Record<string, Answer>> = {
  "404 of JSON-RPC": () => new RpcFailure(-32601, 404),
  "an error with status 200": () => new RpcFailure(-32601),
  "400 because there is no session": () => new RpcFailure(-32000, 400),
  "404 that is no JSON": () => new Response("Not here", { status: 404 }),
  "405": () => new Response(null, { status: 405 }),
  "406": () => new RpcFailure(-32000, 406),
  "a mismatch of headers, which an older server would say of anything": () => new RpcFailure(-32020, 400),
  "-32022 with older revisions alone": () => new RpcFailure(-32022, 400, { supported: ["2025-11-25"], requested: "x" }),
  "a list of older revisions": () => ({ ...DISCOVERED, supportedVersions: ["2025-06-18"] }),
};

for (const [name, answer] of Object.entries(LEGACY_EVIDENCE)) {
  test(`the older era is spoken after ${name}`, async () => {
    const server = new Scripted({ ...LEGACY, "server/discover": answer });
    const transport = server.transport();
    strictEqual((await transport.server()).revision, "2025-11-25");
    deepStrictEqual(server.methods, ["server/discover", "initialize", "notifications/initialized"]);
    strictEqual(server.by("notifications/initialized")[0]?.headers.get("mcp-protocol-version"), "2025-11-25");
  });
}

const NO_EVIDENCE: Readonly<Record<string, readonly [Answer, string]>> = {
  "401": [() => new Response("Who?", { status: 401 }), "unauthenticated"],
  "403": [() => new Response("No", { status: 403 }), "permission_denied"],
  "429": [() => new RpcFailure(-32000, 429), "rate_limited"],
  "500": [() => new Response("Oops", { status: 500 }), "internal"],
  "503": [() => new Response("Later", { status: 503 }), "unavailable"],
  "a network that fails": [() => Promise.reject(new TypeError("no route")), "unavailable"],
  "a redirect": [() => Response.redirect("http://elsewhere/mcp", 307), "invalid_request"],
  "newer revisions alone": [
    () => new RpcFailure(-32022, 400, { supported: ["2027-01-01"], requested: "2026-07-28" }),
    "invalid_request",
  ],
};

for (const [name, [answer, code]] of Object.entries(NO_EVIDENCE)) {
  test(`no era is spoken after ${name}, and the server is asked again`, async () => {
    const server = new Scripted({ ...LEGACY, "server/discover": answer });
    const client = server.client();
    await rejects(client.$.list(), { name: "ToolError", code });
    await rejects(client.$.list(), { name: "ToolError", code });
    deepStrictEqual(server.methods, ["server/discover", "server/discover"]);
  });
}

test("a server that knows the revision after all is asked once more", async () => {
  let discovers = 0;
  const server = modern({
    ...PLAIN,
    "server/discover": () => {
      return ++discovers === 1
        ? new RpcFailure(-32022, 400, { supported: ["2026-07-28"], requested: "?" })
        : DISCOVERED;
    },
  });
  strictEqual((await server.transport().server()).info?.name, "scripted");
  strictEqual(discovers, 2);
});

const waitsAlone = runtime === "workerd" && "what one request of a Worker waits for, another cannot";

test("the verdict is found out once, however many calls wait for it", { skip: waitsAlone }, async () => {
  for (const server of [modern(PLAIN), legacy(PLAIN)]) {
    const client = server.client();
    await Promise.all([client.$.call("t"), client.$.call("t"), client.$.list()]);
    await client.$.call("t");
    strictEqual(server.by("server/discover").length, 1);
    ok(server.by("initialize").length <= 1);
  }
});

test("an era that is asked for is not found out", async () => {
  const server = legacy(PLAIN);
  await server.client({ era: "legacy" }).$.call("t");
  deepStrictEqual(server.methods, ["initialize", "notifications/initialized", "tools/call"]);
  const newer = modern(PLAIN);
  await rejects(newer.client({ era: "legacy" }).$.call("t"), { code: "method_not_found" });
  const older = legacy(PLAIN);
  await rejects(older.client({ era: "modern" }).$.call("t"), { code: "invalid_request" });
});

test("an unknown revision is not used", async () => {
  const server = legacy({ initialize: () => ({ ...INITIALIZED, protocolVersion: "1999-12-31" }) });
  await rejects(server.client().$.list(), { name: "ToolError", code: "invalid_request", message: /1999-12-31/ });
});

test("the greeting says who greets, and what can be asked back", async () => {
  const server = legacy(PLAIN);
  const transport = server.transport({ clientInfo: { name: "me", version: "7" } });
  transport.onRoots(() => []);
  await transport.server();
  deepStrictEqual(server.by("initialize")[0]?.params, {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: { form: {}, url: {} }, roots: {} },
    clientInfo: { name: "me", version: "7" },
  });
  strictEqual(server.by("initialize")[0]?.headers.has("mcp-protocol-version"), false);
});
