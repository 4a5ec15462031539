/** A server behind the `fetch` of a runtime alone: `Bun.serve`, `Deno.serve`, or a Worker. */
import { createServer, defineTool } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { bunWebSocket, webSocket } from "../../../src/entries/websocket.ts";

const server = createServer({
  tools: [
    defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id),
    defineTool("host").describe("Return a header").handle((_, ctx) =>
      ctx.metadata.get("host") ?? ctx.metadata.get("x-test")
    ),
    defineTool("count").describe("Count").handle(async function* () {
      for (let at = 1; at <= 3; at++) {
        await Promise.resolve();
        yield at;
      }
    }),
    defineTool("big").describe("Return a lot").handle(() => "x".repeat(3_000_000)),
  ],
  wires: [webSocket()],
  auth: bearer((token) => token === "secret" ? { id: "ada" } : undefined),
});

const { Bun, Deno } = globalThis as {
  readonly Bun?: { serve(options: object): { readonly url: URL } };
  readonly Deno?: { serve(options: object, handler: unknown): { readonly addr: { readonly port: number } } };
};
const address = { hostname: "127.0.0.1", port: 0 };
if (Bun !== undefined) {
  console.log(`Listening on ${Bun.serve({ ...address, fetch: server.fetch, websocket: bunWebSocket }).url}`);
} else if (Deno !== undefined) {
  const { addr } = Deno.serve({ ...address, onListen() {} }, server.fetch);
  console.log(`Listening on http://127.0.0.1:${addr.port}`);
}

export default { fetch: server.fetch };
