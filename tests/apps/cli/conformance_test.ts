/** `toolwire conformance`: reports, exit codes, wrong use. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { test } from "node:test";
import { type ConformanceResult, conformanceSuite } from "../../../src/entries/testing.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { createCheckedServer, type Fetch, fetchOf } from "../../testing/conformance/server.ts";
import { runHere } from "./run_here.ts";

const TOKEN = "a-bearer-token-of-the-user";

/** Serves a function on loopback. It needs the token, and repeats it in its errors. */
async function listen(fetch: Fetch) {
  const server = createHttpServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "GET", url = "/", headers } = request;
    if (headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    const { accept, "content-type": type } = headers;
    const sent = { ...(accept !== undefined && { accept }), ...(type !== undefined && { "content-type": type }) };
    const body = chunks.length === 0 ? {} : { body: new Uint8Array(Buffer.concat(chunks)) };
    const reply = await fetch(`http://localhost${url}`, { method, headers: sent, ...body });
    const text = (await reply.text()).replace("Tool not found", `Tool not found for ${TOKEN}`);
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(text);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((done) => void server.close(() => done()));
  };
  const address = `localhost:${(server.address() as AddressInfo).port}`;
  return { address, [Symbol.asyncDispose]: close };
}

const env = { TOKEN };

test("conformance --list prints each check below its binding, and sends nothing", async () => {
  const { code, out, errors } = await runHere({ cwd: "." }, "conformance", "--list");
  strictEqual(code, 0, errors);
  const lines = out.split("\n");
  deepStrictEqual(lines.filter((line) => line !== "" && !line.includes(" ")), [
    "http",
    "grpc",
    "websocket",
    "webtools",
  ]);
  const grpc = { grpc: "http://localhost", webSocket: "ws://localhost", webtools: "http://localhost/webtools/any" };
  const checks = conformanceSuite({ mcpLite: "http://localhost/mcp-lite/v1", ...grpc });
  deepStrictEqual(
    lines.filter((line) => / (MUST|SHOULD): /.test(line)).sort(),
    checks.map(({ id, level, title }) => `${id} ${level}: ${title}`).sort(),
  );
  match(
    (await runHere({ cwd: "." }, "conformance", "ws://localhost", "--list", "--level", "should")).out,
    /^websocket\n\S+ SHOULD: /,
  );
});

test("conformance: reports as text, JSON and JUnit have no token, and a server that complies ends with 0", async () => {
  await using folder = await temporaryFolder();
  await using server = await listen(fetchOf(createCheckedServer()));
  const cwd = folder.path;
  const command = ["conformance", server.address, "--bearer-env", "TOKEN"] as const;

  const text = await runHere({ cwd, env }, ...command, "--level", "should");
  strictEqual(text.code, 0, text.errors + text.out);
  match(text.out, /^MCP-lite 0\.042, http\n.*✓ 3\.3-meta SHOULD: [^]*\d+ passed, 0 failed, 0 not applicable\n$/s);

  const json = await runHere({ cwd, env }, ...command, "--json");
  const { counts, results }: { counts: object; results: ConformanceResult[] } = JSON.parse(json.out);
  deepStrictEqual(results.filter(({ status }) => status !== "passed").map(({ id }) => id), ["4.4-internal-error"]);
  deepStrictEqual(counts, { passed: results.length - 1, failed: 0, notApplicable: 1 });

  const junit = await runHere({ cwd, env }, ...command, "--format", "junit", "--out", "report.xml");
  strictEqual(junit.out, "");
  match(junit.errors, /^\d+ passed, 0 failed, 1 not applicable\n$/);
  const xml = readFileSync(join(cwd, "report.xml"), "utf8");
  match(xml, /<testsuite name="http" tests="\d+" failures="0" skipped="1">/);
  match(xml, /name="4.4-internal-error MUST: [^"]*"><skipped message="No tool that breaks is named: brokenTool"\/>/);

  for (const report of [text.out, json.out, xml]) {
    doesNotMatch(report, new RegExp(`${TOKEN}|"promise_token":"prom_[\\w-]{24}`));
  }
  ok(json.out.includes("[redacted"));
});

test("conformance: a rule that is not followed ends with 1, and shows what was expected, sent and received", async () => {
  await using folder = await temporaryFolder();
  const fetch = fetchOf(createCheckedServer());
  await using server = await listen(async (url, init) => {
    const reply = await fetch(url, init);
    const text = await reply.text();
    return new Response(text.replace('"jsonrpc":"2.0",', '"version":"<2>",'), reply);
  });
  const command = ["conformance", server.address, "--bearer-env", "TOKEN"] as const;
  const text = await runHere({ cwd: folder.path, env }, ...command);
  strictEqual(text.code, 1);
  match(
    text.out,
    /✕ 4\.2\.2-response MUST: [^]*?expected: jsonrpc: "2\.0"[^]*?sent: POST \/mcp-lite\/v1\/[^]*?received: 200 app/,
  );
});

test("conformance: access, addresses and flags", async () => {
  await using folder = await temporaryFolder();
  await using server = await listen(fetchOf(createCheckedServer()));
  const place = { cwd: folder.path, env };
  const { address } = server;
  const cases: readonly (readonly [args: readonly string[], code: number, words: RegExp])[] = [
    [[address], 3, /does not permit its list to this caller: 401/],
    [[`${address}/none`, "--bearer-env", "TOKEN"], 4, /No server of MCP-lite answers: POST \/none\/tools gives 404/],
    [["ws://localhost:1"], 4, /The WebSocket was not accepted/],
    [["localhost:1"], 4, /Cannot reach the server/],
    [[], 2, /The target is missing/],
    [["./server.ts"], 2, /is not a URL, ws:\/\/host:port or grpc:\/\/host:port/],
    [[address, `${address}/mcp-lite/v2`], 2, /Two targets are of the same wire/],
    [[address, "--tool", "add {1}"], 2, /the arguments of add are not a JSON object/],
    [[address, "--bearer-env", "TOKEN", "--out", "none/report.txt"], 2, /its folder does not exist/],
  ];
  for (const [args, code, words] of cases) {
    const ended = await runHere(place, "conformance", ...args);
    strictEqual(ended.code, code, `${args}: ${ended.errors}`);
    match(ended.errors, words);
  }
});
