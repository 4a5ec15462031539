/** Access to the gateway of `toolwire inspect`: only the page that opened the link may call. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryTransport, type Server } from "../../../mod.ts";
import { createInspector } from "../../../apps/cli/inspect/inspector.ts";
import { runHere } from "./run_here.ts";

const BASE = "http://127.0.0.1:9";

async function open(target = "./server.ts"): Promise<{ readonly server: Server; readonly once: string }> {
  const add = defineTool("add").describe("Add").handle(() => 3);
  const transport = memoryTransport(createServer({ tools: [add] }));
  const { server, fragment } = await createInspector(
    {
      label: "a test",
      wire: "memory",
      url: undefined,
      transport,
      tools: () => Promise.resolve([]),
      mcp: () => Promise.resolve(undefined),
      close: () => Promise.resolve(),
    },
    target,
    () => {},
  );
  return { server, once: fragment.replace("#once=", "") };
}

type Headers = Readonly<Record<string, string>>;

async function post(server: Server, path: string, body: unknown, headers: Headers) {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const response = await server.fetch(new Request(BASE + path, { ...init, body: JSON.stringify(body) }));
  return { status: response.status, body: await response.json() };
}

const PAGE = { "x-toolwire-console": "1" };
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: {} } };

test("the token of the link is exchanged once; the new one opens the console and the wires", async () => {
  const { server, once } = await open();
  const first = await post(server, "/console/api/session", { token: once }, PAGE);
  strictEqual(first.status, 200);
  const authorization = `Bearer ${first.body.token}`;
  strictEqual((await post(server, "/console/api/hello", {}, { ...PAGE, authorization })).body.name, "a test");
  strictEqual((await post(server, "/mcp-lite/v1/calltools", CALL, { authorization })).body.result.content, 3);
  const second = await post(server, "/console/api/session", { token: once }, PAGE);
  deepStrictEqual([second.status, second.body.token], [410, undefined]);
  await server.close(0);
});

test("the page gets the target without the user of its URL", async () => {
  for (
    const [target, shown] of [["https://u:se@cret@host.example/mcp", "https://host.example/mcp"], [
      "./a@b.ts",
      "./a@b.ts",
    ]]
  ) {
    const { server, once } = await open(target);
    const { body } = await post(server, "/console/api/session", { token: once }, PAGE);
    const hello = await post(server, "/console/api/hello", {}, { ...PAGE, authorization: `Bearer ${body.token}` });
    strictEqual(hello.body.target, shown);
    await server.close(0);
  }
});

test("without the token nothing is answered, and other pages cannot exchange it", async () => {
  const { server, once } = await open();
  const refused = [
    await post(server, "/console/api/session", { token: "wrong" }, PAGE),
    await post(server, "/console/api/session", { token: once }, {}),
    await post(server, "/console/api/session", { token: once }, { ...PAGE, origin: "http://localhost:9" }),
    await post(server, "/console/api/session", { token: once }, { ...PAGE, "sec-fetch-site": "same-site" }),
    await post(server, "/console/api/session", null, PAGE),
    await post(server, "/console/api/hello", {}, { ...PAGE, authorization: `Bearer ${once}` }),
    await post(server, "/console/api/hello", {}, PAGE),
    ...await Promise.all(
      ["/mcp", "/mcp-lite/v1/calltools", "/rest/tools/add"].map((path) => post(server, path, CALL, {})),
    ),
  ];
  deepStrictEqual(refused.map(({ status }) => status), [403, 403, 403, 403, 403, 401, 401, 401, 401, 401]);
  strictEqual((await post(server, "/console/api/session", { token: once }, PAGE)).status, 200, "it was not used up");
  await server.close(0);
});

test("inspect: wrong targets give the errors of every command", async () => {
  const missing = await runHere({ cwd: "/" }, "inspect");
  strictEqual(missing.code, 2);
  match(missing.errors, /The target is missing/);
  const scheme = await runHere({ cwd: "/" }, "inspect", "ftp://x");
  strictEqual(scheme.code, 2);
  match(scheme.errors, /not a URL that begins with http/);
  const module = await runHere({ cwd: "/" }, "inspect", "./no_such_server.ts");
  strictEqual(module.code, 2);
  match(module.errors, /Cannot load/);
  const away = await runHere({ cwd: "/" }, "inspect", "http://127.0.0.1:1/mcp");
  strictEqual(away.code, 4);
  match(away.errors, /Cannot reach the server/);
});
