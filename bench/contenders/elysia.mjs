// Elysia 1.4: a route for each tool, its body checked by `t` (TypeBox compiled, its own and its fastest), streams by a generator
// of `sse()`, as its documents have it.
import { Elysia, sse, t } from "elysia";
import { toHandler } from "../tools.mjs";
import { toPieces } from "./rpc.mjs";

export { decodeCall, encode } from "./rpc.mjs";

const elysiaKit = {
  object: t.Object,
  array: t.Array,
  choice: (names) => t.UnionEnum(names),
  string: () => t.String(),
  boolean: () => t.Boolean(),
  number: () => t.Number(),
  amount: () => t.Number({ minimum: 0 }),
  count: () => t.Integer({ minimum: 0 }),
};

export const createFetch = (tools) => createApp(tools).handle;

export function createApp(tools) {
  const app = new Elysia();
  for (const tool of tools) {
    const { name, input, stream } = tool;
    const run = toHandler(tool);
    const answer = stream
      ? async function* ({ body }) {
        for await (const piece of toPieces(stream(body))) yield sse({ data: piece });
      }
      : ({ body }) => run(body);
    app.post(`/rpc/${name}`, answer, { body: input(elysiaKit) });
  }
  return app;
}
