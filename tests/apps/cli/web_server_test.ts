/** Addresses where no server, or a plain web server, answers; and the endpoint that `install` finds. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

async function listen(listener: RequestListener) {
  const server = createHttpServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((done) => void server.close(() => done()));
  };
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

/** A web page, and MCP of 2025-06-18 at `/mcp` that has no tools. */
function createListener(hasMcp: boolean): RequestListener {
  return (request, response) => {
    if (!hasMcp || request.url !== "/mcp" || request.method !== "POST") {
      response.writeHead(request.url === "/" ? 200 : 404, { "content-type": "text/html" }).end("<p>page</p>");
      return;
    }
    let text = "";
    request.on("data", (chunk) => (text += chunk)).on("end", () => {
      const { id, method } = JSON.parse(text);
      if (id === undefined) return void response.writeHead(202).end();
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "a", version: "1" },
        },
        "tools/list": { tools: [] },
      };
      const result = results[method];
      const body = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    });
  };
}

test("toolwire list: a plain web server is named as that", async () => {
  await using server = await listen(createListener(false));
  const { code, errors } = await runHere({ cwd: "/" }, "list", `127.0.0.1:${server.port}`);
  strictEqual(code, 4);
  const url = `http://127.0.0.1:${server.port}/`;
  ok(errors.includes(`No known protocol answers at ${url} (a web page answers with status 200)`), errors);
  ok(errors.includes(`toolwire doctor ${url}`), errors);
});

test("toolwire install completes a URL without a path, or warns that nothing answers there", async () => {
  await using folder = await temporaryFolder();
  for (const hasMcp of [true, false]) {
    await using server = await listen(createListener(hasMcp));
    const url = `http://127.0.0.1:${server.port}/`;
    const { code, out, errors } = await runHere({ cwd: folder.path }, "install", "cursor", url, "--print");
    strictEqual(code, 0, errors);
    const [entry] = Object.values<{ readonly url: string }>(JSON.parse(out).mcpServers);
    deepStrictEqual(entry?.url, hasMcp ? `${url}mcp` : url);
    if (hasMcp) strictEqual(errors.includes("Nothing answers"), false);
    else match(errors, /^Nothing answers MCP at http:.*\/ or http:.*\/mcp: start the server/);
  }
});

test("files of JSON may begin with a byte order mark", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "tools.json"), '\uFEFF{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}');
  const { code, errors } = await runHere({ cwd: folder.path }, "check", "tools.json");
  ok(!errors.includes("is not JSON"), errors);
  ok(code < 2, errors);
});
