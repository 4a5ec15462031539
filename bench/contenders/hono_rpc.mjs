// Hono 4 as its RPC guide has it: a route for each tool, its body checked by `sValidator`, answers by `c.json` and `streamSSE`.
import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { valibotKit } from "../valibot_kit.mjs";
import { toPieces } from "./rpc.mjs";

export { decodeCall, encode } from "./rpc.mjs";

export function createFetch(tools) {
  const app = new Hono();
  for (const tool of tools) {
    app.post(`/rpc/${tool.name}`, sValidator("json", tool.input(valibotKit)), createRoute(tool));
  }
  return app.fetch;
}

function createRoute({ run, stream, isAsync }) {
  const read = (context) => context.req.valid("json");
  if (stream) return (context) => answerInPieces(context, stream(read(context)));
  // deno-lint-ignore require-await -- the promise is what is measured
  return isAsync ? async (context) => context.json(run(read(context))) : (context) => context.json(run(read(context)));
}

function answerInPieces(context, pieces) {
  return streamSSE(context, async (out) => {
    for await (const piece of toPieces(pieces)) await out.writeSSE({ data: JSON.stringify(piece) });
  });
}
