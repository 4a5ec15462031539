/** WebSockets by the `fetch` of each runtime alone, and by the official MCP client. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { mcpDuplex } from "../../../src/entries/mcp.ts";
import { webSocket, webSocketTransport } from "../../../src/entries/websocket.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { findProgram, runProgram, startProgram, testWith } from "../../serve/programs.ts";

const PROGRAM = "tests/wires/websocket/server_program.ts";

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-08-04",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Calls a server with a socket, as programs and as pages do. */
async function check(url: string): Promise<void> {
  const asPage = webSocketTransport(url, {
    token: "secret",
    open: (to, protocols, { authorization = "" }) => {
      const token = btoa(authorization.replace("Bearer ", "")).replace(/=+$/, "");
      return new WebSocket(to, [...protocols, `mcp-lite.bearer.${token}`]) as never;
    },
  });
  for (const transport of [webSocketTransport(url, { token: "secret", headers: { "x-test": "here" } }), asPage]) {
    const { $ } = createClient(transport);
    strictEqual(await $.call("whoami"), "ada");
    match(String(await $.call("host")), /^127\.0\.0\.1|^here/);
    const pieces: unknown[] = [];
    for await (const piece of $.stream("count")) pieces.push(piece);
    deepStrictEqual(pieces, [1, 2, 3]);
    const many = await Promise.all(Array.from({ length: 20 }, () => $.call("big")));
    deepStrictEqual(new Set(many.map((text) => String(text).length)), new Set([3_000_000]));
    transport.close();
  }
  const refused = createClient(webSocketTransport(url, { token: "wrong" }), { retry: { attempts: 0 } });
  const code = await refused.$.call("whoami").then(
    () => "no error",
    (error: { readonly code?: unknown }) => error.code,
  );
  strictEqual(code, "unauthenticated");
}

for (const [name, args] of [["bun", []], ["deno", ["run", "-A", "--no-check"]]] as const) {
  testWith(`sockets are accepted by the server.fetch of a program on ${name}`, [findProgram(name)], async (path) => {
    await using program = await startProgram([path, ...args, PROGRAM]);
    await check(program.url);
  });
}

testWith(
  "sockets are accepted by the server.fetch of a Worker",
  [findProgram("esbuild"), findProgram("workerd")],
  async (esbuild, workerd) => {
    await using folder = await temporaryFolder();
    const script = join(folder.path, "worker.js");
    const options = ["--bundle", "--format=esm", `--outfile=${script}`, "--log-level=error"];
    const bundled = await runProgram([esbuild, PROGRAM, ...options]);
    strictEqual(bundled.code, 0, bundled.stderr);
    await writeFile(join(folder.path, "workerd.capnp"), CONFIG);
    const command = [workerd, "serve", "workerd.capnp", "--control-fd=1"];
    await using program = await startProgram(command, { cwd: folder.path, url: false });
    const [, port] = await program.printed(/"port":(\d+)/);
    await check(`ws://127.0.0.1:${port}`);
  },
);

testWith("the WebSocket client of the official MCP SDK calls tools", [], async () => {
  const add = defineTool("add").describe("Add").handle(({ a, b }) => Number(a) + Number(b));
  const server = createServer({ tools: [add], wires: [webSocket({ mcp: mcpDuplex() })], logger: false });
  const listening = await serve(server, { port: 0, graceMs: 0 });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new WebSocketClientTransport(new URL(`${listening.url.replace("http", "ws")}/mcp-lite/v1`)) as never,
  );
  deepStrictEqual((await client.listTools()).tools.map(({ name }) => name), ["add"]);
  const { content } = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
  deepStrictEqual(content, [{ type: "text", text: "3" }]);
  await client.close();
  await listening.close();
});
