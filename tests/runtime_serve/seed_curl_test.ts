/** The requests of the specification's appendix A, sent literally by curl: A.1, A.2, A.4 and A.5. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readEvents } from "./client.ts";
import { command, findProgram, runProgram, runtimes, startProgram, testWith } from "./programs.ts";

const program = "tests/runtime_serve/seed_server.ts";

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
    "10",
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
    deepStrictEqual(tools[0], SEARCH_DOCUMENTS);
    for (const tool of tools) deepStrictEqual(Object.keys(tool), ["name", "@type", "description", "inputSchema"]);
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
          available_tools: ["search_documents", "analyze_dataset"],
          suggestion: "Did you mean 'search_documents'?",
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
  });

  testWith(
    `curl gets the appendix's answers from ${runtime.name}, at the root`,
    [curl, runtime.program],
    async (curlPath, path) => {
      await using server = await startProgram(command(runtime, path, program, "/"));
      await checkAppendix(curlPath, server.url, "1.1");
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
