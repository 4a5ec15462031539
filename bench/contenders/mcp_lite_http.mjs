// The MCP-lite wire over HTTP, as a caller sees it: what `floor` and `toolwire` are asked and have to answer.
import { parseEvents } from "../sse.mjs";

const base = "http://127.0.0.1:8000/mcp-lite/v1";

/** @returns the request for one call, or for the list when no tool is named. */
export function encode({ id, tool, args, streams }) {
  if (tool === undefined) return { url: `${base}/tools`, headers: {}, message: {} };
  return {
    url: `${base}/calltools`,
    headers: { accept: streams ? "text/event-stream" : "application/json" },
    message: { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: args } },
  };
}

export const decodeList = (text) => JSON.parse(text).tools;

export function decodeCall(text, { id, streams }) {
  if (!streams) {
    const message = JSON.parse(text);
    if (message.id !== id) throw new Error(`Answer belongs to call ${message.id}, not to ${id}`);
    return { value: message.result.content, partials: [] };
  }
  const events = parseEvents(text);
  const last = events.pop();
  if (last.event !== "done") throw new Error(`Stream ended with ${last.event}`);
  return { value: last.data.content, partials: events.map(({ data }) => data.partial) };
}
