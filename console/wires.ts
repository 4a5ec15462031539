/** One call as a request of each wire, and what came back: exactly the text that was sent and received. */
import { createParser } from "eventsource-parser";
import { hello, origin, token } from "./api.ts";
import type { Json } from "./json_schema.ts";
import { type Answered, answersMeta, type Asked, inputResponses, readAsked, readInputRequests } from "./questions.ts";

/** A wire that a page can call. */
export interface CallableWire {
  readonly id: string;
  readonly title: string;
  /** The request of a call, with answers to its questions. `undefined` if the wire is not mounted. */
  request(tool: string, args: Json, isStreamed: boolean, answered?: Answered): WireRequest | undefined;
  /** The answer in a JSON body; of a stream, in the data of the last event and in the pieces before it. */
  answer(body: unknown, pieces?: readonly unknown[]): Outcome;
}

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
  /** Text of the body, as far as it came. */
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
/** Longest text that is shown, in characters. */
const MAX_TEXT = 262_144;

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
    body: JSON.stringify(body),
  };
}

function acceptOf(isStreamed: boolean): string {
  return isStreamed ? "text/event-stream, application/json" : "application/json";
}

function mcpAnswer(body: unknown): Outcome {
  const { result, error } = asObject(body);
  if (error !== undefined) return { kind: "error", value: error };
  const { isError, structuredContent, content, resultType, inputRequests } = asObject(result);
  if (inputRequests !== undefined) {
    return { kind: "questions", value: inputRequests, asked: readInputRequests(asObject(result)) };
  }
  if (resultType === "task" || asObject(result)["task"] !== undefined) return { kind: "promise", value: result };
  const texts = Array.isArray(content) ? content.map((block) => asObject(block)["text"]) : [];
  const value = structuredContent ?? (texts.length === 1 && typeof texts[0] === "string" ? texts[0] : content);
  return { kind: isError === true ? "failure" : "answer", value };
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

/** JSON text with sorted members, to compare values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => one < other ? -1 : 1));
  }) ?? "";
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

const CONNECT: CallableWire = {
  id: "connect",
  title: "Connect",
  request(toolName, args, _, answered) {
    const path = hello.value?.wires.flatMap(({ paths }) => paths).find((one) => /MCPLite\/CallTool$/.test(one));
    return post(path, { "connect-protocol-version": "1" }, {
      name: toolName,
      arguments: args,
      meta: answersMeta(answered),
    });
  },
  answer(body) {
    const { result, meta, code } = asObject(body);
    if (result === undefined && typeof code === "string") return { kind: "error", value: body };
    return decoded(asObject(meta)["responseType"], asObject(result)["content"], meta);
  },
};

/** All wires that a page can call, the newest first. */
const WIRES: readonly CallableWire[] = [MCP_2026, MCP_2025, MCP_LITE, REST, CONNECT];

/** The mounted ones of them. */
export function callableWires(): readonly CallableWire[] {
  return WIRES.filter((wire) => wire.request("tool", {}, false) !== undefined);
}

/** Header values are ASCII. Other names are sent as RFC 8941 has no place for them: as the wire encodes them. */
function headerText(name: string): string {
  return /^[\x20-\x7e]+$/.test(name)
    ? name
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}?=`;
}

/** Sends a call, and reports what has come so far. */
export async function send(
  wire: CallableWire,
  request: WireRequest,
  signal: AbortSignal,
  onChange: (exchange: Exchange) => void,
): Promise<Exchange> {
  const id = ++lastId;
  const startedMs = performance.now();
  const since = () => Math.round((performance.now() - startedMs) * 10) / 10;
  const { method, headers, body } = request;
  const response = await fetch(request.url, { method, headers, body, signal });
  const firstMs = since();
  const events: { atMs: number; data: unknown }[] = [];
  let last: unknown;
  const parser = createParser({
    onEvent: ({ data }) => {
      last = parse(data);
      if (events.length < 1_000) events.push({ atMs: since(), data: last });
    },
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let text = "";
  const snapshot = (isDone: boolean): Exchange => ({
    id,
    wire: wire.id,
    request,
    status: response.status,
    headers: [...response.headers],
    text,
    tookMs: since(),
    firstMs,
    outcome: isStream ? wire.answer(last, piecesOf(events)) : wire.answer(parse(text)),
    events: isStream ? events.slice(0, -1) : [],
    isDone,
  });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) {
    const chunk = decoder.decode(step.value, { stream: true });
    text += chunk;
    if (!isStream) continue;
    parser.feed(chunk);
    onChange(snapshot(false));
  }
  return snapshot(true);
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
