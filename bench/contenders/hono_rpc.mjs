// Hono 4 as its RPC guide has it: a route for each tool, its body checked by `sValidator`, answers by `c.json` and `streamSSE`.
import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { valibotKit } from "../valibot_kit.mjs";
import { toPieces } from "./rpc.mjs";

export { decodeCall, encode } from "./rpc.mjs";

export function createFetch(tools) {
  const app = new Hono();
  for (const { name, input, run, stream } of tools) {
    app.post(`/rpc/${name}`, sValidator("json", input(valibotKit)), (context) => {
      const args = context.req.valid("json");
      return stream ? answerInPieces(context, stream(args)) : context.json(run(args));
    });
  }
  return app.fetch;
}

function answerInPieces(context, pieces) {
  return streamSSE(context, async (out) => {
    for await (const piece of toPieces(pieces)) await out.writeSSE({ data: JSON.stringify(piece) });
  });
}
