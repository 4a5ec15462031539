// The floor: what the work costs with no library at all. Parse, check with valibot, run, stringify; nothing else of a
// server (no routing, no limits, no error answers).
import { toJsonSchema } from "@valibot/to-json-schema";
import { safeParse } from "valibot";
import { drain, toHandler } from "../tools.mjs";
import { valibotKit } from "../valibot_kit.mjs";

export { decodeCall, decodeList, encode } from "./mcp_lite_http.mjs";

const jsonInit = { headers: { "content-type": "application/json" } };
const eventsInit = { headers: { "content-type": "text/event-stream" } };
const encoder = new TextEncoder();

export function createFetch(tools) {
  const table = new Map(
    tools.map((tool) => [tool.name, { ...tool, run: toHandler(tool), schema: tool.input(valibotKit) }]),
  );
  const listed = [...table.values()].map(({ name, description, schema }) => {
    const { $schema: _, ...inputSchema } = toJsonSchema(schema);
    return { name, description, inputSchema };
  });

  return async (request) => {
    const { id, params } = JSON.parse(await request.text());
    if (params === undefined) return new Response(JSON.stringify({ tools: listed }), jsonInit);
    const tool = table.get(params.name);
    const input = safeParse(tool.schema, params.arguments);
    if (!input.success) throw new Error("Invalid arguments");
    if (tool.stream) return new Response(streamAnswer(tool.stream(input.output)), eventsInit);
    const answered = tool.run(input.output);
    const content = answered instanceof Promise ? await answered : answered;
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: { content } }), jsonInit);
  };
}

function streamAnswer(pieces) {
  return new ReadableStream({
    async start(controller) {
      const send = (event, data) =>
        controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      const content = await drain(pieces, (partial) => send("message", { partial }));
      send("done", { content });
      controller.close();
    },
  });
}
