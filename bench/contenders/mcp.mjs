// The MCP wire, as a caller sees it: what the MCP libraries are asked and have to answer. It loads none of them, so that the process
// of a contender has only its own library in its heap.
import { drain, toHandler } from "../tools.mjs";
import { parseEvents } from "../sse.mjs";

/** @returns the request for one call, or for the list when no tool is named. */
export function encode({ id, tool, args, streams }, { accept, meta, headers }) {
  const method = tool === undefined ? "tools/list" : "tools/call";
  const params = tool === undefined ? {} : { name: tool, arguments: args };
  const _meta = { ...meta, ...(streams ? { progressToken: id } : {}) };
  if (Object.keys(_meta).length > 0) params._meta = _meta;
  return {
    url: "http://127.0.0.1:8000/mcp",
    headers: { accept, ...headers?.(method, tool) },
    message: { jsonrpc: "2.0", id, method, params },
  };
}

const newestVersion = "2026-07-28";

/** {@link encode} for the newest revision. */
export const encodeModern = (call) =>
  encode(call, {
    accept: "application/json, text/event-stream",
    meta: {
      "io.modelcontextprotocol/protocolVersion": newestVersion,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
    headers: (method, tool) => ({
      "mcp-protocol-version": newestVersion,
      "mcp-method": method,
      ...(tool === undefined ? {} : { "mcp-name": tool }),
    }),
  });

/** {@link encode} for the newest revision with a handshake. */
export const encodeLegacy = (call) =>
  encode(call, {
    accept: "application/json, text/event-stream",
    headers: () => ({ "mcp-protocol-version": "2025-11-25" }),
  });

export const decodeList = (text, call) => decodeResult(text, call).result.tools;

export function decodeCall(text, call) {
  const { result, partials } = decodeResult(text, call);
  return { value: result.structuredContent, partials };
}

/** The whole result of a call, and what came before it. */
export function decodeResult(text, { id }) {
  const messages = decodeMessages(text);
  const last = messages.pop();
  if (last.id !== id) throw new Error(`Answer belongs to call ${last.id}, not to ${id}`);
  return { result: last.result, partials: messages.map(({ params }) => params.message) };
}

function decodeMessages(text) {
  return text.startsWith("{") ? [JSON.parse(text)] : parseEvents(text).map(({ data }) => data);
}

/**
 * A shared handler the way an MCP handler is: partials go out as progress, and the answer is given twice, as MCP asks of a
 * structured result (a text block for older callers).
 *
 * @param sendProgress Sends a partial, with the library's second argument of the handler.
 */
export function toMcpHandler(tool, sendProgress) {
  if (!tool.stream) return toHandler(tool, toResult);
  return async (args, ctx) => {
    let progress = 0;
    const push = (message) => sendProgress({ progress: ++progress, message }, ctx);
    return toResult(await drain(tool.stream(args), push));
  };
}

function toResult(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}
