/** `toolwire call` against a server of the official SDK that asks over its own stream: the question names no call. */
import { deepStrictEqual, match } from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { temporaryFolder } from "../../temporary_folder.ts";
import { createOfficialV1 } from "../../wires/mcp/client/official_v1.ts";
import { runHere } from "./run_here.ts";

/** The official server over HTTP, with sessions. */
async function listen(): Promise<AsyncDisposable & { readonly url: string }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(`${request.headers["mcp-session-id"]}`);
    const transport = known ?? new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    if (known === undefined) await createOfficialV1().connect(transport as never);
    await transport.handleRequest(request, response);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a question that names no call is put to the one person of the command", async () => {
  await using folder = await temporaryFolder();
  await using official = await listen();
  const called = await runHere({ cwd: folder.path }, "call", official.url, "ask_aside", "--answer", "name=Ada");
  deepStrictEqual([called.code, called.errors], [0, ""]);
  match(called.out, /Hello, Ada/);
});
