/** One call as a request of each wire, and what came back: exactly the text that was sent and received. */
import { createParser } from "eventsource-parser";
import { ACTING } from "./acting_wire.ts";
import { apiHeaders, hello, origin, token } from "./api.ts";
import { decodeGrpcWeb, decodeText, encodeToolRequest, hexDump, joinBytes } from "./grpc_web.ts";
import type { Json } from "./json_schema.ts";
import { type Answered, answersMeta, type Asked, inputResponses, readAsked, readInputRequests } from "./questions.ts";

/** A wire that a page can call. */
export interface CallableWire {
  readonly id: string;
  readonly title: string;
  /** The request of a call, with answers to its questions. `undefined` if the wire is not mounted. */
  request(tool: string, args: Json, isStreamed: boolean, answered?: Answered): WireRequest | undefined;
  /** The answer in a JSON body; of a stream, in the data of the last event and in the pieces before it. */
  answer(body: unknown, pieces?: readonly unknown[], status?: number): Outcome;
  /** Whether its bodies are frames of gRPC-Web, in place of text. */
  readonly isBinary?: boolean;
}

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or bytes. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Whether it is a request to the API of the console. */
  readonly isApi?: true;
}

/** How a call ended. */
export interface Outcome {
  readonly kind: "answer" | "failure" | "error" | "promise" | "questions";
  readonly value: unknown;
  /** The questions, if it ended with some that the page can answer. */
  readonly asked?: Asked | undefined;
}

/** What was sent and received. */
export interface Exchange {
  /** Unlike that of any other exchange. */
  readonly id: number;
  readonly wire: string;
  readonly request: WireRequest;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Text of the body, as far as it came; bytes in hexadecimal. */
  readonly text: string;
  readonly tookMs: number;
  /** Milliseconds until the headers of the response were there. */
  readonly firstMs: number;
  readonly outcome: Outcome;
  /** Pieces and progress of a stream. */
  readonly events: readonly { readonly atMs: number; readonly data: unknown }[];
  readonly isDone: boolean;
}

const JSON_BODY = { "content-type": "application/json" };
/** Events of a stream that are kept. */
const MAX_EVENTS = 1_000;
/** Longest text that is shown, in characters. */
const MAX_TEXT = 262_144;
/** Bytes that are shown of a body that is not text. */
const MAX_BYTES = 32_768;

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

export function mcpAnswer(body: unknown): Outcome {
  const { result, error } = asObject(body);
  if (error !== undefined) return { kind: "error", value: error };
  const { isError, structuredContent, content, resultType, inputRequests, _meta } = asObject(result);
  if (inputRequests !== undefined) {
    return { kind: "questions", value: inputRequests, asked: readInputRequests(asObject(result)) };
  }
  if (resultType === "task" || asObject(result)["task"] !== undefined) return { kind: "promise", value: result };
  const texts = Array.isArray(content) ? content.map((block) => asObject(block)["text"]) : [];
  const value = structuredContent ?? (texts.length === 1 && typeof texts[0] === "string" ? texts[0] : content);
  if (isError !== true) return { kind: "answer", value };
  const { code, data } = asObject(_meta);
  return { kind: "failure", value: code === undefined ? value : { code, message: value, data } };
}

function mcpLiteAnswer(body: unknown, pieces: readonly unknown[] = []): Outcome {
  const { result, error } = asObject(body);
  if (error !== undefined) return { kind: "error", value: error };
  // The last event of a stream is the result itself.
  const { content = joined(pieces), _meta } = asObject(result ?? body);
  return decoded(asObject(_meta)["response_type"], content, _meta);
}

/** The answer that was sent in pieces: one text, or a list. */
function joined(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : pieces;
}

/** An outcome by the type that MCP-lite and its gRPC binding give each response. */
function decoded(type: unknown, content: unknown, meta: unknown): Outcome {
  switch (String(type ?? "answer").toLowerCase()) {
    case "answer":
      return { kind: "answer", value: content };
    case "failure":
      return { kind: "failure", value: content };
    case "promise":
      return { kind: "promise", value: meta };
    default:
      return { kind: "questions", value: meta, asked: readAsked(meta) };
  }
}

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
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
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

const MCP_2025: CallableWire = {
  id: "mcp-2025",
  title: "MCP 2025-11-25",
  request(name, args, isStreamed) {
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
    const params = { name, arguments: args, ...(isStreamed && { _meta: { progressToken: ++lastId } }) };
    return post(pathOf("mcp", ""), headers, { jsonrpc: "2.0", id: ++lastId, method: "tools/call", params });
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

/** The mounted ones of them. */
export function callableWires(): readonly CallableWire[] {
  return [ACTING, ...WIRES].filter((wire) => wire.request("tool", {}, false) !== undefined);
}

/** Header values are ASCII. Other names are sent as RFC 8941 has no place for them: as the wire encodes them. */
function headerText(name: string): string {
  return /^[\x20-\x7e]+$/.test(name)
    ? name
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}?=`;
}

/** What reads the responses of a wire. */
export type WireReader = Pick<CallableWire, "id" | "answer" | "isBinary">;

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
    ...reading.soFar(),
  });
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) {
    if (reading.take(step.value)) onChange(snapshot(false));
  }
  return snapshot(true);
}

/** Takes a body part by part. */
interface Reading {
  /** @returns Whether there may be something to show. */
  take(chunk: Uint8Array): boolean;
  soFar(): Pick<Exchange, "text" | "outcome" | "events">;
}

type Since = () => number;

function readText(wire: WireReader, { headers, status }: Response, since: Since): Reading {
  const events: { atMs: number; data: unknown }[] = [];
  let last: unknown;
  let text = "";
  const parser = createParser({
    onEvent: ({ data }) => {
      last = parse(data);
      if (events.length < MAX_EVENTS) events.push({ atMs: since(), data: last });
    },
  });
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const decoder = new TextDecoder();
  return {
    take(chunk) {
      const part = decoder.decode(chunk, { stream: true });
      text += part;
      if (isStream) parser.feed(part);
      return isStream;
    },
    soFar: () => ({
      text,
      outcome: isStream ? wire.answer(last, piecesOf(events)) : wire.answer(parse(text), undefined, status),
      events: isStream ? events.slice(0, -1) : [],
    }),
  };
}

function readBinary(wire: WireReader, { headers }: Response, since: Since): Reading {
  const events: { atMs: number; data: unknown }[] = [];
  let last: unknown;
  /** The beginning of the body, to show; the part that is not yet a whole frame; and the number of bytes. */
  let head = new Uint8Array();
  let rest = new Uint8Array();
  let length = 0;
  return {
    take(chunk) {
      length += chunk.length;
      if (head.length < MAX_BYTES) head = joinBytes(head, chunk.subarray(0, MAX_BYTES - head.length));
      const body = decodeGrpcWeb(joinBytes(rest, chunk));
      rest = body.rest;
      for (const { result, meta, ...others } of body.messages) {
        if (meta !== undefined) last = { result, meta, ...others };
        else if (events.length < MAX_EVENTS) events.push({ atMs: since(), data: result });
      }
      const { "grpc-status": status = "0", "grpc-message": message = "" } = body.trailers ?? {};
      if (status !== "0") last = { code: `status ${status}`, message };
      return true;
    },
    soFar() {
      const status = headers.get("grpc-status");
      const refused = { code: `status ${status}`, message: decodeText(headers.get("grpc-message") ?? "") };
      const outcome = wire.answer(status === null || status === "0" ? last : refused, piecesOf(events));
      return { text: hexDump(head, length), outcome, events: [...events] };
    },
  };
}

function piecesOf(events: Exchange["events"]): readonly unknown[] {
  return events.map(({ data }) => asObject(data)["partial"]).filter((piece) => piece !== undefined);
}

/** A text for the screen: cut, with what is left out. */
export function shorten(text: string): { readonly shown: string; readonly left: number } {
  return { shown: text.slice(0, MAX_TEXT), left: Math.max(0, text.length - MAX_TEXT) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
