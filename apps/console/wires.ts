/** One call as a request of each wire, and what came back: exactly the text that was sent and received. */
import { VIEW_EXTENSION, VIEW_SETTINGS } from "../../src/core/call/views.ts";
import { ACTING } from "./acting_wire.ts";
import { actingAs, apiHeaders, hello, origin, token } from "./api.ts";
import { encodeToolRequest } from "./grpc_web.ts";
import type { Json } from "./json_schema.ts";
import type { CallableWire, Exchange, WireRequest } from "./exchange.ts";
import { asObject, decoded, joined, mcpAnswer, mcpLiteAnswer, type Outcome } from "./outcome.ts";
import { answersMeta, inputResponses, readAsked } from "./questions.ts";
import { readBinary, readText, type WireReader } from "./reading.ts";

const JSON_BODY = { "content-type": "application/json" };

let lastId = 0;

function pathOf(wire: string, ending: string): string | undefined {
  return hello.value?.wires.find((one) => one.wire === wire)?.paths.find((path) => path.endsWith(ending));
}

function post(
  path: string | undefined,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): WireRequest | undefined {
  if (path === undefined) return undefined;
  const authorization = token.value === "" ? {} : { authorization: `Bearer ${token.value}` };
  return {
    method: "POST",
    url: origin.value + path,
    headers: { ...JSON_BODY, ...headers, ...authorization },
    body: body instanceof Uint8Array ? body as Uint8Array<ArrayBuffer> : JSON.stringify(body),
  };
}

function acceptOf(isStreamed: boolean): string {
  return isStreamed ? "text/event-stream, application/json" : "application/json";
}

/** What the page can answer. */
export const CLIENT_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [VIEW_EXTENSION]: VIEW_SETTINGS },
};

/** A request of MCP 2026-07-28, which is complete by itself. `undefined` if the wire is not mounted. */
export function mcpRequest(
  method: string,
  name: string | undefined,
  params: Readonly<Record<string, unknown>>,
  isStreamed = false,
): WireRequest | undefined {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "toolwire-console", version: hello.value?.toolwire ?? "0" },
    "io.modelcontextprotocol/clientCapabilities": CLIENT_CAPABILITIES,
    "io.modelcontextprotocol/logLevel": "debug",
    ...(isStreamed && { progressToken: ++lastId }),
  };
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": headerText(name) }),
  };
  return post(pathOf("mcp", ""), headers, { jsonrpc: "2.0", id: ++lastId, method, params: { ...params, _meta } });
}

const MCP_2026: CallableWire = {
  id: "mcp-2026",
  title: "MCP 2026-07-28",
  request(name, args, isStreamed, answered) {
    const repeated = answered && inputResponses(answered);
    return mcpRequest("tools/call", name, { name, arguments: args, ...repeated }, isStreamed);
  },
  answer: mcpAnswer,
};

/** A message of MCP 2025-11-25. */
export function mcp2025Request(message: object): WireRequest | undefined {
  const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
  return post(pathOf("mcp", ""), headers, { jsonrpc: "2.0", ...message });
}

const MCP_2025: CallableWire = {
  id: "mcp-2025",
  title: "MCP 2025-11-25",
  hasHandshake: true,
  request(name, args, isStreamed) {
    const params = { name, arguments: args, ...(isStreamed && { _meta: { progressToken: ++lastId } }) };
    return mcp2025Request({ id: ++lastId, method: "tools/call", params });
  },
  answer: mcpAnswer,
};

const MCP_LITE: CallableWire = {
  id: "mcp-lite",
  title: "MCP-lite",
  request(name, args, isStreamed, answered) {
    const _meta = answersMeta(answered);
    const body = { jsonrpc: "2.0", id: ++lastId, method: "tools/call", params: { name, arguments: args, _meta } };
    return post(pathOf("mcp-lite", "/calltools"), { accept: acceptOf(isStreamed) }, body);
  },
  answer: mcpLiteAnswer,
};

const REST: CallableWire = {
  id: "rest",
  title: "REST",
  request(name, args, isStreamed, answered) {
    const _meta = answersMeta(answered);
    const path = pathOf("rest", "/*")?.replace(/\*$/, encodeURIComponent(name));
    const headers = { accept: acceptOf(isStreamed) };
    if (_meta === undefined) return post(path, headers, args);
    return post(path, { ...headers, "content-type": "application/vnd.toolwire+json" }, { arguments: args, _meta });
  },
  answer(body, pieces) {
    const { type, status, content, continuation } = asObject(body);
    // A failure is a problem with the tool's own code.
    const isProblem = typeof status === "number" && status >= 400 && typeof type === "string";
    if (isProblem && continuation !== undefined) return { kind: "questions", value: body, asked: readAsked(body) };
    if (isProblem) return { kind: type.includes(":failure:") ? "failure" : "error", value: body };
    return { kind: "answer", value: pieces === undefined ? body : content ?? joined(pieces) };
  },
};

function rpcPath(method: string): string | undefined {
  const paths = hello.value?.wires.flatMap(({ paths }) => paths);
  return paths?.find((path) => path.endsWith(`.MCPLite/${method}`));
}

function rpcAnswer(body: unknown, pieces: readonly unknown[] = []): Outcome {
  const { result, meta, code } = asObject(body);
  if (result === undefined && typeof code === "string") return { kind: "error", value: body };
  return decoded(asObject(meta)["responseType"], asObject(result)["content"] ?? joined(pieces), meta);
}

const CONNECT: CallableWire = {
  id: "connect",
  title: "Connect",
  request(toolName, args, _, answered) {
    const body = { name: toolName, arguments: args, meta: answersMeta(answered) };
    return post(rpcPath("CallTool"), { "connect-protocol-version": "1" }, body);
  },
  answer: (body) => rpcAnswer(body),
};

const GRPC_WEB: CallableWire = {
  id: "grpc-web",
  title: "gRPC-Web",
  request(toolName, args, isStreamed, answered) {
    const headers = { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" };
    const body = encodeToolRequest(toolName, args, answersMeta(answered) as Json | undefined);
    return post(rpcPath(isStreamed ? "CallToolStream" : "CallTool"), headers, body);
  },
  answer: rpcAnswer,
  isBinary: true,
};

/** Status of a failure that the tool has declared. */
const WEBTOOLS_FAILURE = 422;

const WEBTOOLS: CallableWire = {
  id: "webtools",
  title: "Webtools",
  request: (action, args, _, answered) =>
    post(pathOf("webtools", ""), {}, { action, request: args, _meta: answersMeta(answered) }),
  answer(body, _, status) {
    const { data, error, _meta } = asObject(body);
    if (error !== undefined) return { kind: status === WEBTOOLS_FAILURE ? "failure" : "error", value: error };
    const { response_type: type } = asObject(_meta);
    return type === undefined ? { kind: "answer", value: data } : decoded(type, data, data);
  },
};

/** All wires that a page can call, the newest first. */
const WIRES: readonly CallableWire[] = [MCP_2026, MCP_2025, MCP_LITE, REST, CONNECT, GRPC_WEB, WEBTOOLS];

/** The mounted ones of them; the one that acts as a caller, while the page does. */
export function callableWires(): readonly CallableWire[] {
  if (actingAs.value !== undefined) return [ACTING];
  return WIRES.filter((wire) => wire.request("tool", {}, false) !== undefined);
}

/** Title of a wire, whether it can be called now or not. */
export function titleOf(id: string): string {
  return [ACTING, ...WIRES].find((wire) => wire.id === id)?.title ?? id;
}

/** Header values are ASCII. Other names are sent as RFC 8941 has no place for them: as the wire encodes them. */
function headerText(name: string): string {
  return /^[\x20-\x7e]+$/.test(name)
    ? name
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}?=`;
}

/** Sends a call, and reports what has come so far. */
export async function send(
  wire: WireReader,
  request: WireRequest,
  signal: AbortSignal,
  onChange: (exchange: Exchange) => void,
): Promise<Exchange> {
  const id = ++lastId;
  const startedMs = performance.now();
  const since = () => Math.round((performance.now() - startedMs) * 10) / 10;
  const { method, body } = request;
  const headers = request.isApi ? apiHeaders() : request.headers;
  const response = await fetch(request.url, { method, headers, body, signal });
  const firstMs = since();
  const reading = (wire.isBinary ? readBinary : readText)(wire, response, since);
  const snapshot = (isDone: boolean): Exchange => ({
    id,
    wire: wire.id,
    request,
    status: response.status,
    headers: [...response.headers],
    tookMs: since(),
    firstMs,
    isDone,
    ...reading.soFar(isDone),
  });
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) {
    if (reading.take(step.value)) onChange(snapshot(false));
  }
  return snapshot(true);
}
