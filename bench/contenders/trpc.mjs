// tRPC 11: `fetchRequestHandler` over one router, a mutation for each tool, and a subscription for a stream, as its documents have
// them. Asked without a batch, which is faster for a single call. A subscription's return value does not reach its caller, so
// the answer is the last piece.
import { initTRPC } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { parseEvents } from "../sse.mjs";
import { toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";
import { encode as encodeRpc, toPieces } from "./rpc.mjs";

export function encode(call) {
  const { url, headers, message } = encodeRpc(call);
  if (!call.streams) return { url, headers, message };
  const query = `?input=${encodeURIComponent(JSON.stringify(message))}`;
  return { method: "GET", url: `${url}${query}`, headers: { accept: "text/event-stream" } };
}

export function createFetch(tools) {
  const t = initTRPC.create();
  const router = t.router(Object.fromEntries(tools.map((tool) => [tool.name, toProcedure(t, tool)])));
  return (req) => fetchRequestHandler({ endpoint: "/rpc", req, router, createContext: () => ({}) });
}

function toProcedure(t, tool) {
  const { stream } = tool;
  const run = toHandler(tool);
  const procedure = t.procedure.input(tool.input(valibotKit));
  if (!stream) return procedure.mutation((call) => run(call.input));
  return procedure.subscription((call) => toPieces(stream(call.input)));
}

export function decodeCall(text, { streams }) {
  if (!streams) return { value: JSON.parse(text).result.data, partials: [] };
  const pieces = parseEvents(text).filter(({ event }) => event === "message").map(({ data }) => data);
  return { value: pieces.pop().content, partials: pieces.map(({ partial }) => partial) };
}
