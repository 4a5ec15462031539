/** Servers of MCP-lite over HTTP that are wrong in one point each: by the check that has to find them. */
import { asObject, type Members } from "../../../src/internal/json.ts";
import {
  type Mutant,
  onCall,
  onError,
  onEvents,
  onMeta,
  onReply,
  onRequest,
  onTool,
  onTools,
  succeed,
  toolOf,
} from "./mutate.ts";

const without = (name: string) => ({ [name]: _, ...rest }: Members): Members => rest;

let tokens = 0;

/** A token of a counter, as a server would issue that counts its promises. */
const countTokens: Mutant = onMeta("analyze_dataset", (meta) => {
  return { ...meta, promise_token: `prom_${String(++tokens).padStart(8, "0")}` };
});

/** Answers calls of a path with GET by the same as with POST. */
const withGet = (headers: Readonly<Record<string, string>>): Mutant => (fetch) => (url, init) => {
  const isCall = init.method === "GET" && url.endsWith("/calltools");
  return isCall ? Promise.resolve(new Response("{}", { status: 200, headers })) : fetch(url, init);
};

/** The mutants of sections 3.1 and 3.9. */
const DISCOVERY: Readonly<Record<string, Mutant>> = {
  "3.1-list": onReply((
    { path },
  ) => (/tools$/.test(path) && !path.endsWith("/calltools") ? { text: '{"items":[]}' } : undefined)),
  "3.1-unique-names": onTools((tools) => [...tools, ...tools.slice(-1)]),
  "3.1-redeem-listed": onTools((tools) => tools.filter(({ name }) => name !== "redeem")),
  "3.9-name": onTool("write", (tool) => ({ ...tool, name: "" })),
  "3.9-type": onTool("write", (tool) => ({ ...tool, "@type": 1 })),
  "3.9-description": onTool("write", without("description")),
  "3.9-input-schema": onTool("write", (tool) => ({ ...tool, inputSchema: { type: "string" } })),
  "4.2.1-array": onReply((
    { path },
    { text },
  ) => (path.endsWith("/listtools") ? { text: `{"tools":${text}}` } : undefined)),
  "A.1-tools": onReply(({ path }) => (path.endsWith("/v1/tools") ? { text: '{"tools":[]}' } : undefined)),
};

/** The mutants of sections 3.2 to 3.6. */
const CALLS: Readonly<Record<string, Mutant>> = {
  "3.2-valid-arguments": onReply((seen) => {
    const error = { code: -32602, message: "Invalid", data: {} };
    return toolOf(seen) === "search_documents"
      ? { text: JSON.stringify({ jsonrpc: "2.0", id: null, error }) }
      : undefined;
  }),
  "3.2-invalid-arguments": onReply((seen, { status }) => {
    return status === 400 && toolOf(seen) === "search_documents" ? succeed(seen) : undefined;
  }),
  "3.3-meta": onMeta("search_documents", () => undefined),
  "3.3-response-type": onMeta("search_documents", (meta) => ({ ...meta, response_type: "done" })),
  "3.4-question": onCall(
    ({ result: _, ...rest }) => ({ ...rest, error: { code: -32000, message: "Which size?" } }),
    "order",
  ),
  "3.4-failure": onCall(({ result: _, ...rest }) => ({ ...rest, error: { code: -32000, message: "Sold out" } }), "buy"),
  "3.5-token": onMeta("analyze_dataset", without("promise_token")),
  "3.5-unique-token": onMeta("analyze_dataset", (meta) => ({ ...meta, promise_token: "prom_a7b9c2d4e6f8" })),
  "3.5-unguessable-token": countTokens,
  "3.5-guessed-token": onReply((
    seen,
    { status },
  ) => (toolOf(seen) === "redeem" && status === 400 ? succeed(seen) : undefined)),
  "3.5-expiry": onMeta(
    "analyze_dataset",
    ({ ttl_ms: _, ...meta }) => ({ ...meta, expires_at: "2020-01-01T00:00:00Z" }),
  ),
  "3.6-type": onTool("redeem", without("@type")),
  "3.6-parameter": onTool("redeem", (tool) => ({ ...tool, inputSchema: { type: "object" } })),
  "3.6-missing-parameter": onReply((
    seen,
    { status },
  ) => (toolOf(seen) === "redeem" && status === 400 ? succeed(seen) : undefined)),
  "3.6-redemption": onCall(
    ({ result: _, ...rest }) => ({ ...rest, error: { code: -32603, message: "Lost" } }),
    "redeem",
  ),
  "A.2-content": onCall(
    (message) => ({ ...message, result: without("content")(asObject(message["result"])) }),
    "search_documents",
  ),
  "A.2-timestamp": onMeta("search_documents", (meta) => ({ ...meta, timestamp: 1_704_110_400_000 })),
};

/** The mutants of streams: sections 3.7 and 4.3. */
const STREAMS: Readonly<Record<string, Mutant>> = {
  "3.7-partial-messages": onEvents((text) => text.replace(/event: ?message\n.*\n\n/g, "")),
  "3.7-final-meta": onEvents((text) => text.replace(/"_meta":\{.*\}\}/, '"meta":{}}')),
  "3.7-termination": onEvents((text) => `${text}event: message\ndata: {"partial":"late"}\n\n`),
  "3.7-client-leaves": (fetch) => {
    let streams = 0;
    return async (url, init) => {
      const response = await fetch(url, init);
      if (response.headers.get("content-type")?.startsWith("text/event-stream")) streams++;
      // The stream that is left is the second of the same tool.
      else if (streams > 1) return new Response(null, { status: 500 });
      return response;
    };
  },
  "4.3-accept": onRequest(({ headers }, init) => {
    return headers.has("accept") ? { ...init, headers: { "content-type": "application/json" } } : undefined;
  }),
  "4.3-json": onRequest((seen, init) => {
    if (toolOf(seen) !== "generate_report") return undefined;
    return { ...init, headers: { "content-type": "application/json", accept: "text/event-stream" } };
  }),
  "4.3-event-types": onEvents((text) => text.replace(/event: ?message/, "event: chunk")),
  "4.3-event-data": onEvents((text) => text.replace(/data: .*/, "data: Quarterly Report")),
  "4.3-error": onReply((seen, { status }) => {
    if (status !== 404 || !seen.headers.has("accept")) return undefined;
    const headers = new Headers({ "content-type": "text/event-stream" });
    return { status: 200, headers, text: 'event: done\ndata: {"_meta":{"response_type":"answer"}}\n\n' };
  }),
  "4.3-no-get": withGet({ "content-type": "text/event-stream" }),
  "A.4-partial": onEvents((text) => text.replaceAll('{"partial":', '{"text":')),
};

/** The mutants of requests and responses: sections 3.8, 4.1, 4.2.2 and 8.1. */
const HTTP: Readonly<Record<string, Mutant>> = {
  "3.8-no-session": onReply((_, { headers }) => (headers.set("mcp-session-id", "1"), { headers })),
  "4.1-post-only": withGet({ "content-type": "application/json" }),
  "4.1-response-type": onReply((_, { headers }) => (headers.set("content-type", "text/plain"), { headers })),
  "4.1-request-type": onRequest((_, init) => ({ ...init, headers: { "content-type": "application/json" } })),
  "4.1-utf-8": onCall((message) => ({ ...message, id: String(message["id"]).replace(/[^\x20-\x7e]/g, "?") })),
  "4.1-invalid-utf-8": onRequest((_, init) => {
    return typeof init.body === "string"
      ? undefined
      : { ...init, body: new TextDecoder().decode(init.body as Uint8Array) };
  }),
  "4.1-base-url": (fetch) => (url, init) => fetch(url.replace("/api", "/mcp-lite/v1"), init),
  "4.2.2-response": onCall(without("jsonrpc"), "search_documents"),
  "4.2.2-id-text": onCall((message) => ({ ...message, id: 1 })),
  "4.2.2-id-number": onCall((message) => ({ ...message, id: String(message["id"]) })),
  "4.2.2-meta": onCall((message) => ({ ...message, _meta: asObject(message["result"])["_meta"] })),
  "8.1-prompts": onReply(({ path }) => (path.endsWith("/prompts") ? { text: '{"prompts":["review"]}' } : undefined)),
};

/** The mutants of errors: sections 4.4 and A.5. */
const ERRORS: Readonly<Record<string, Mutant>> = {
  "4.4-parse-error": onError((error) => (error["code"] === -32700 ? { ...error, code: -32603 } : error)),
  "4.4-invalid-request": onError((error) => (error["code"] === -32600 ? { ...error, code: -32602 } : error)),
  "4.4-method-not-found": onError((error) => ({
    ...error,
    code: String(error["message"]).startsWith("Method") ? -32602 : error["code"],
  })),
  "4.4-invalid-params": onError((error) => (error["code"] === -32602 ? { ...error, code: -32600 } : error)),
  "4.4-internal-error": onError(
    (error) => ({ ...error, message: "Error\n    at handler (/home/ada/server.ts:12:7)" }),
    "broken",
  ),
  "4.4-error-object": onError((error) => ({ ...error, code: "not_found" })),
  "A.5-unknown-tool": onError((error) => ({ ...error, code: -32000 }), "conformance_unknown_tool"),
  "A.5-requested-tool": onError((error) => ({ ...error, data: without("requested_tool")(asObject(error["data"])) })),
  "A.5-available-tools": onError((error) => ({ ...error, data: without("available_tools")(asObject(error["data"])) })),
  "A.5-suggestion": onError((error) => ({ ...error, data: without("suggestion")(asObject(error["data"])) })),
};

/** Mutants by the id of the check that finds them. */
export const HTTP_MUTANTS: Readonly<Record<string, Mutant>> = {
  ...DISCOVERY,
  ...CALLS,
  ...STREAMS,
  ...HTTP,
  ...ERRORS,
};
