/** The error of a lost connection is known by a mark: messages of servers and tools that begin with its words stay as they are. */
import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, ToolError } from "../../mod.ts";
import { skipOf, WIRES, wires } from "../wires/matrix.ts";

const MESSAGE = "Connection lost to the database";

for (const wire of WIRES) {
  test(`${wire.name}: a tool's own error about a lost connection has its words`, { skip: skipOf(wire) }, async () => {
    const query = defineTool("query").describe("Query").handle((): string => {
      throw new ToolError("unavailable", MESSAGE);
    });
    const server = createServer({ tools: [query], wires, logger: false });
    const { transport, close } = await wire.open(server);
    try {
      const client = createClient<typeof server>(transport, { retry: { attempts: 0 } });
      await rejects(client.query(), (error) => {
        strictEqual((error as ToolError).message, MESSAGE);
        return true;
      });
    } finally {
      await close();
      await server.close(0);
    }
  });
}

test("a body that ends early is a lost connection, and an error of the program that replaces fetch is not", async () => {
  const failing = (thrown: unknown) => (): Promise<Response> => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(thrown);
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } }));
  };
  for (
    const [thrown, message] of [
      [new TypeError("reset"), "Connection lost before the answer was complete"],
      [
        new ToolError("unauthenticated", "Connection lost to the identity provider"),
        "Connection lost to the identity provider",
      ],
    ] as const
  ) {
    const client = createClient("http://localhost/mcp-lite/v1", { fetch: failing(thrown), retry: { attempts: 0 } });
    await rejects(client.$.call("t"), (error) => {
      strictEqual((error as ToolError).message, message);
      return true;
    });
  }
});
