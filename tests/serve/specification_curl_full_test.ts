/** The requests of docs/spec.md A.1 to A.5, sent literally by curl. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readEvents } from "./client.ts";
import { command, findProgram, runProgram, runtimes, startProgram, testWith } from "./programs.ts";

const program = "tests/serve/specification_server.ts";

const A2 = `{ 
  "jsonrpc": "2.0", 
  "id": "call-001", 
  "method": "tools/call", 
  "params": { 
    "name": "search_documents", 
    "arguments": { 
      "query": "MCP specification", 
      "limit": 5 
    } 
  } 
} `;

const A3 = `{ 
  "jsonrpc": "2.0", 
  "id": "analysis-001", 
  "method": "tools/call", 
  "params": { 
    "name": "analyze_dataset", 
    "arguments": { 
      "dataset_id": "large_dataset_001", 
      "analysis_type": "comprehensive" 
    } 
  } 
} `;

/** The appendix's request, with a token of this server; the appendix's token is invalid here. */
const redeemOf = (token: string) =>
  `{ 
  "jsonrpc": "2.0", 
  "id": "redeem-001", 
  "method": "tools/call", 
  "params": { 
    "name": "redeem", 
    "arguments": { 
      "promise": "${token}" 
    } 
  } 
} `;

const A4 = `{ 
  "jsonrpc": "2.0", 
  "id": "stream-001", 
  "method": "tools/call", 
  "params": { 
    "name": "generate_report", 
    "arguments": {"topic": "quarterly results"} 
  } 
} `;

/** The appendix shows the answer only. */
const A5 = `{ 
  "jsonrpc": "2.0", 
  "id": "error-example", 
  "method": "tools/call", 
  "params": { 
    "name": "nonexistent_tool", 
    "arguments": {} 
  } 
} `;

/** As A.1 shows it, with what the appendix does not know: how long to wait. */
const REDEEM = {
  name: "redeem",
  "@type": "system",
  description: "Redeem a promise token to get the result of a long-running operation",
  inputSchema: {
    type: "object",
    required: ["promise"],
    properties: {
      promise: { type: "string", description: "The promise token received from a previous operation" },
      wait_ms: {
        type: "integer",
        minimum: 0,
        description:
          "How long to wait for the result, in milliseconds, before the promise is given again; at most 25000",
      },
      after: {
        type: "integer",
        minimum: 0,
        description:
          "With a stream: the number of pieces of the answer that were received; the pieces after them are sent",
      },
    },
  },
};

const SEARCH_DOCUMENTS = {
  name: "search_documents",
  "@type": "query",
  description: "Search through available documents",
  inputSchema: {
    type: "object",
    required: ["query"],
    properties: {
      query: { type: "string", description: "Search query" },
      limit: { type: "integer", default: 10, minimum: 1, maximum: 100 },
    },
  },
};

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

interface Sent {
  readonly status: number;
  readonly version: string;
  readonly type: string;
  readonly body: string;
}

/** Sends as the appendix does: a POST of JSON. */
async function send(curl: string, url: string, body: string, ...args: readonly string[]): Promise<Sent> {
  const report = "\n%{http_code} %{http_version} %{content_type}";
  const json = ["-H", "Content-Type: application/json", "--data-raw", body];
  const { code, stdout, stderr } = await runProgram([
    curl,
    "-sS",
    "-N",
    "-m",
    "20",
    "-w",
    report,
    ...json,
    ...args,
    url,
  ]);
  strictEqual(code, 0, stderr);
  const at = stdout.lastIndexOf("\n");
  const [status = "", version = "", ...type] = stdout.slice(at + 1).split(" ");
  return { status: Number(status), version, type: type.join(" "), body: stdout.slice(0, at) };
}

/** Sends all of them, to every spelling of the endpoints. */
async function checkAppendix(curl: string, base: string, version: string, ...args: readonly string[]): Promise<void> {
  for (
    const [endpoint, body] of [["/tools", "{}"], ["/listtools", "{}"], ["/tools/", "{}"], ["/tools", " {} \n"]] as const
  ) {
    const sent = await send(curl, base + endpoint, body, ...args);
    deepStrictEqual([sent.status, sent.type, sent.version], [200, "application/json", version], sent.body);
    const listed = JSON.parse(sent.body);
    // Section 4.2.1 wants an array, A.1 shows an object.
    if (endpoint === "/listtools") ok(Array.isArray(listed));
    else deepStrictEqual(Object.keys(listed), ["tools"]);
    const tools = endpoint === "/listtools" ? listed : listed.tools;
    checkTools(tools);
  }
  for (const endpoint of ["/calltools", "/rpc", "/call"]) {
    const answered = await send(curl, base + endpoint, A2, ...args);
    deepStrictEqual(
      [answered.status, answered.type, answered.version],
      [200, "application/json", version],
      answered.body,
    );
    const { result, ...envelope } = JSON.parse(answered.body);
    deepStrictEqual(envelope, { jsonrpc: "2.0", id: "call-001" });
    const { _meta: meta, ...rest } = result;
    deepStrictEqual(rest, {
      content: [{
        document_id: "doc_123",
        title: "MCP Protocol Overview",
        excerpt: "The Model Context Protocol enables...",
      }],
    });
    checkMeta(meta);

    const streamed = await send(curl, base + endpoint, A4, "-H", "Accept: text/event-stream", ...args);
    deepStrictEqual(
      [streamed.status, streamed.type, streamed.version],
      [200, "text/event-stream", version],
      streamed.body,
    );
    const events = readEvents(streamed.body);
    const done = events.pop();
    deepStrictEqual(events, [
      { event: "message", data: { partial: "Quarterly Report\n\nExecutive Summary" } },
      { event: "message", data: { partial: "\n\nRevenue for Q4 increased by 15%..." } },
    ]);
    strictEqual(done?.event, "done");
    deepStrictEqual(Object.keys(done.data), ["_meta"]);
    checkMeta(done.data["_meta"]);
  }
}

/** A.1: the system tools come first. */
function checkTools(tools: readonly Readonly<Record<string, unknown>>[]): void {
  const names = ["redeem", "cancel", "search_documents", "analyze_dataset", "generate_report"];
  deepStrictEqual(tools.map(({ name }) => name), names);
  const [{ annotations, ...redeem } = {}, , searchDocuments] = tools;
  deepStrictEqual(redeem, REDEEM);
  deepStrictEqual(annotations, { readOnlyHint: true, idempotentHint: true });
  deepStrictEqual(searchDocuments, SEARCH_DOCUMENTS);
  for (const { annotations: _, _meta: meta, ...tool } of tools) {
    deepStrictEqual(Object.keys(tool), ["name", "@type", "description", "inputSchema"]);
    // The specification leaves _meta to servers: this one lists there what a tool promises.
    if (meta !== undefined) deepStrictEqual(Object.keys(Object(meta)), ["toolwire/contract"]);
  }
}

/** A.3: a promise, the same promise while the work is still running, and the answer, as often as it is asked for. */
async function checkPromise(curl: string, base: string, version: string, ...args: readonly string[]): Promise<void> {
  const post = async (endpoint: string, body: string) => {
    const sent = await send(curl, base + endpoint, body, ...args);
    deepStrictEqual([sent.status, sent.type, sent.version], [200, "application/json", version], sent.body);
    const { result, ...envelope } = JSON.parse(sent.body);
    return { result, envelope };
  };
  const first = await post("/rpc", A3);
  deepStrictEqual(first.envelope, { jsonrpc: "2.0", id: "analysis-001" });
  deepStrictEqual(Object.keys(first.result), ["_meta"]);
  const token = checkPromiseMeta(first.result._meta);
  const again = await post("/call", redeemOf(token));
  deepStrictEqual(again.envelope, { jsonrpc: "2.0", id: "redeem-001" });
  strictEqual(checkPromiseMeta(again.result._meta), token);
  const whole = redeemOf(token).replace(`"${token}" `, `"${token}", "wait_ms": 9000 `);
  for (
    const [endpoint, body] of [["/calltools", whole], ["/rpc", redeemOf(token)], ["/call", redeemOf(token)]] as const
  ) {
    const redeemed = await post(endpoint, body);
    deepStrictEqual(redeemed.envelope, { jsonrpc: "2.0", id: "redeem-001" });
    deepStrictEqual(redeemed.result.content, { dataset_id: "large_dataset_001", rows: 42 });
    checkMeta(redeemed.result._meta);
  }
  await checkForeignToken(curl, base, ...args);
}

/** The appendix's own token is none of this server's. */
async function checkForeignToken(curl: string, base: string, ...args: readonly string[]): Promise<void> {
  const refused = await send(curl, `${base}/rpc`, redeemOf("prom_a7b9c2d4e6f8"), ...args);
  deepStrictEqual([refused.status, refused.type], [400, "application/json"], refused.body);
  deepStrictEqual(JSON.parse(refused.body), {
    jsonrpc: "2.0",
    id: "redeem-001",
    error: { code: -32602, message: "Not a promise of this server", data: { code: "invalid_promise" } },
  });
}

/** Gives the token. */
function checkPromiseMeta(meta: Readonly<Record<string, unknown>>): string {
  strictEqual(meta["response_type"], "promise");
  match(String(meta["promise_token"]), /^prom_[\w-]+$/);
  for (const name of ["timestamp", "expires_at"]) match(String(meta[name]), RFC_3339);
  if (meta["estimated_completion"] !== undefined) match(String(meta["estimated_completion"]), RFC_3339);
  ok(Number(meta["ttl_ms"]) > 0 && Number(meta["retry_after_ms"]) > 0);
  deepStrictEqual(meta["progress"], { done: 1, total: 2, message: "half" });
  return String(meta["promise_token"]);
}

/** A.5, whose server has fewer tools. */
async function checkError(curl: string, base: string, ...args: readonly string[]): Promise<void> {
  for (const [endpoint, accept] of [["/rpc", "application/json"], ["/calltools", "text/event-stream"]] as const) {
    const refused = await send(curl, base + endpoint, A5, "-H", `Accept: ${accept}`, ...args);
    deepStrictEqual([refused.status, refused.type], [404, "application/json"], refused.body);
    deepStrictEqual(JSON.parse(refused.body), {
      jsonrpc: "2.0",
      id: "error-example",
      error: {
        code: -32601,
        message: "Tool not found",
        data: {
          requested_tool: "nonexistent_tool",
          available_tools: ["redeem", "cancel", "search_documents", "analyze_dataset"],
          suggestion: "No similar tool: list the tools",
          code: "tool_not_found",
        },
      },
    });
  }
}

function checkMeta(meta: Readonly<Record<string, unknown>>): void {
  deepStrictEqual(Object.keys(meta), ["response_type", "timestamp", "processing_time_ms", "server_version"]);
  strictEqual(meta["response_type"], "answer");
  match(String(meta["timestamp"]), RFC_3339);
  ok(Number.isInteger(meta["processing_time_ms"]));
}

const curl = findProgram("curl");

for (const runtime of runtimes) {
  testWith(`curl gets the appendix's answers from ${runtime.name}`, [curl, runtime.program], async (curlPath, path) => {
    await using server = await startProgram(command(runtime, path, program, "/mcp-lite/v1"));
    await checkAppendix(curlPath, `${server.url}/mcp-lite/v1`, "1.1");
    await checkPromise(curlPath, `${server.url}/mcp-lite/v1`, "1.1");
  });

  testWith(
    `curl gets the appendix's answers from ${runtime.name}, at the root`,
    [curl, runtime.program],
    async (curlPath, path) => {
      await using server = await startProgram(command(runtime, path, program, "/"));
      await checkAppendix(curlPath, server.url, "1.1");
      await checkPromise(curlPath, server.url, "1.1");
    },
  );

  testWith(`curl gets the appendix's error from ${runtime.name}`, [curl, runtime.program], async (curlPath, path) => {
    await using server = await startProgram(command(runtime, path, program, "/", "search_documents,analyze_dataset"));
    await checkError(curlPath, server.url);
  });
}

for (const runtime of runtimes.filter(({ name }) => name === "deno")) {
  testWith("curl gets the appendix's answers over HTTP/2", [curl, runtime.program], async (curlPath, path) => {
    await using server = await startProgram(command(runtime, path, program));
    await checkAppendix(curlPath, `${server.url}/mcp-lite/v1`, "2", "--http2-prior-knowledge");
    await checkPromise(curlPath, `${server.url}/mcp-lite/v1`, "2", "--http2-prior-knowledge");
    const evil = await send(
      curlPath,
      `${server.url}/mcp-lite/v1/tools`,
      "{}",
      "--http2-prior-knowledge",
      "-H",
      "Host: evil.example",
    );
    strictEqual(evil.status, 403, "the name in :authority is checked as well");
  });
}
