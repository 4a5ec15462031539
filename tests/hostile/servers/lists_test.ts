/** Lists without an end, lists that are missing, and servers that are silent while they are listed. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, type Logger, type ToolError } from "../../../mod.ts";
import { open, quiet, serverOf, URL_OF } from "./foreign.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { RpcFailure, TOOL } from "../../wires/mcp/client/scripted.ts";
import { listing, scripted } from "../../server/compose/scripted.ts";

test("an MCP list of many pages within the limits is read as a whole", async () => {
  const server = serverOf({
    "tools/list": (cursor = "0") => ({
      tools: Array.from({ length: 50 }, (_, at) => ({ ...TOOL, name: `t${cursor}_${at}` })),
      ...(Number(cursor) < 99 && { nextCursor: `${Number(cursor) + 1}` }),
    }),
  });
  strictEqual((await createClient(open(server)).$.list()).length, 5_000);
});

test("a list of 400,000 entries over any transport ends in one error at a gateway", async () => {
  await rejects(gateway("evil", scripted(new Array(400_000).fill(listing("t")))), {
    code: "result_too_large",
    message: /"evil" is not used: one list has 400000 entries; at most 256/,
  });
});

const MISSING = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

for (const missing of MISSING) {
  test(`a gateway takes a server without ${missing}, with one warning that names both`, async () => {
    const warnings: string[] = [];
    const logger: Logger = { ...quiet, warn: (message) => void warnings.push(message) };
    const server = serverOf({
      [missing]: () => new RpcFailure(-32601, 404),
      ...(missing !== "resources/list" && { "resources/list": () => ({ resources: [{ uri: "x:1", name: "one" }] }) }),
    });
    const far = await gateway("db", open(server), { logger });
    const app = createServer({ tools: [], parts: [mount(far)] });
    strictEqual(app.tools.length, missing === "tools/list" ? 0 : 1);
    await far.refresh();
    deepStrictEqual(warnings, [`Gateway "db": the server has no ${missing}; the list is empty`]);
    await app.close(0);
  });
}

test("a gateway does not take a page for a server without a list", async () => {
  const notFound = () => new Response("<html>", { status: 404, headers: { "content-type": "text/html" } });
  for (const method of MISSING) {
    await rejects(gateway("db", open(serverOf({ [method]: notFound }))), (error: ToolError) => {
      match(error.message, /"db"/, method);
      return error.code === "unavailable";
    });
  }
});

test("a gateway gives up on a server that is silent while it is made, and names it", async () => {
  for (const silent of ["server/discover", ...MISSING]) {
    const server = serverOf({});
    const fetch = (url: string, init: RequestInit) =>
      JSON.parse(String(init.body)).method === silent
        ? new Promise<Response>((_, reject) =>
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason))
        )
        : server.fetch(url, init);
    await rejects(
      gateway("quiet", mcpTransport(URL_OF, { fetch, logger: quiet, era: "modern" }), { listTimeoutMs: 50 }),
      (error: ToolError) => {
        strictEqual(error.code, "deadline_exceeded", silent);
        strictEqual(error.message, 'Cannot list the server "quiet": Not done after 50 ms', silent);
        return true;
      },
      silent,
    );
  }
});

test("a gateway gives up on a transport that ignores its signal, and closes it", async () => {
  const remote = scripted([]);
  remote.list = () => new Promise<never>(() => {});
  await rejects(gateway("quiet", remote, { listTimeoutMs: 20 }), { code: "deadline_exceeded", message: /"quiet"/ });
  ok(remote.isClosed);
});

test("every error with which a gateway rejects names its server", async () => {
  for (const method of MISSING) {
    for (const answer of [() => new RpcFailure(-32603, 500), () => ({ odd: 1 }), () => new RpcFailure(-32000, 401)]) {
      await rejects(gateway("far", open(serverOf({ [method]: answer }))), /the server "far"/, method);
    }
  }
});

test("warnings of a client and of a gateway name the server", async () => {
  const warnings: string[] = [];
  const logger: Logger = { ...quiet, warn: (message) => void warnings.push(message) };
  const server = serverOf({ "tools/list": () => ({ tools: [{ name: "odd" }, TOOL] }) });
  const transport = mcpTransport(`${URL_OF}?key=secret`, { fetch: server.fetch, logger });
  strictEqual((await createClient(transport).$.list()).length, 1);
  match(warnings.join(), /^MCP server http:\/\/far\.example\/mcp: Tool "odd" is left out: [^,]*$/);

  const remote = scripted([listing("ping")], () => ({ kind: "error", code: "unavailable", message: "Busy" }));
  const app = createServer({ tools: [], parts: [mount(await gateway("far", remote))], logger });
  warnings.length = 0;
  await rejects(testClient(app, { retry: { attempts: 0 } }).$.call("ping"), { message: /^The server "far" / });
  deepStrictEqual(warnings, ['Server "far" is unavailable']);
});
