/** A program with two copies of the package: the handler of one serves the server of the other. */
import { strictEqual } from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { copyPackage } from "./copy_of_package.ts";

test("a caller whom the program does not know is left to auth, also by a handler of another copy", async () => {
  await using copy = await copyPackage();
  const { toNodeHandler } = await copy.load<typeof import("../../src/runtime/node_handler.ts")>(
    "src/runtime/node_handler.ts",
  );
  const server = createServer({
    tools: [defineTool("whoami").describe("Name the caller").handle((_, ctx) => ctx.principal?.id ?? "nameless")],
    auth: bearer((token) => token === "right" ? { id: "ada" } : undefined),
    logger: false,
  });
  const http = createHttpServer(toNodeHandler(server, { principal: () => undefined }));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = http.address() as AddressInfo;
    const call = async (token: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/mcp-lite/v1/calltools`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}',
      });
      return [response.status, (await response.json()).result?.content].join();
    };
    strictEqual(await call("right"), "200,ada");
    strictEqual(await call("wrong"), "401,");
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await server.close(0);
  }
});
