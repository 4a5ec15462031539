// oRPC 1.16: `RPCHandler` of its fetch adapter over one router, as its documents start; a stream is an event iterator.
import { os } from "@orpc/server";
import { RPCHandler } from "@orpc/server/fetch";
import { parseEvents } from "../sse.mjs";
import { toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";
import { encode as encodeRpc } from "./rpc.mjs";

export const encode = (call) => encodeRpc(call, { wrap: (json) => ({ json }) });

export function createFetch(tools) {
  const handler = new RPCHandler(Object.fromEntries(tools.map((tool) => [tool.name, toProcedure(tool)])));
  return async (request) => (await handler.handle(request, { prefix: "/rpc", context: {} })).response;
}

function toProcedure(tool) {
  const { stream } = tool;
  const run = toHandler(tool);
  const procedure = os.input(tool.input(valibotKit));
  return procedure.handler(({ input }) => stream ? stream(input) : run(input));
}

export function decodeCall(text, { streams }) {
  if (!streams) return { value: JSON.parse(text).json, partials: [] };
  const pieces = parseEvents(text).map(({ data }) => data.json);
  return { value: pieces.pop(), partials: pieces };
}
