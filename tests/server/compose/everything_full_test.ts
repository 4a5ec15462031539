/** The reference server `@modelcontextprotocol/server-everything` behind a gateway: its questions reach the caller, and roots are the gateway's. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, createServer } from "../../../mod.ts";
import { gateway, group } from "../../../src/entries/compose.ts";
import { mcp, mcpSessions, type McpTransport, mcpTransport } from "../../../src/entries/mcp.ts";
import { stdioTransport } from "../../../src/entries/stdio.ts";
import { root, startProgram } from "../../serve/programs.ts";

const BUN = join(root, "node_modules/.bin/bun");
const PROGRAM = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
/** A loaded machine takes long to start the program. */
const PATIENCE_MS = 60_000;
const ROOTS = [{ uri: "file:///work", name: "The work" }];

interface Opened extends AsyncDisposable {
  readonly transport: McpTransport;
}

function overStdio(): Promise<Opened> {
  const transport = stdioTransport(BUN, [PROGRAM, "stdio"], { stderr: "ignore" });
  // Else a failed check would leave the program behind, and this process would wait for it.
  const close = () => Promise.resolve(transport.close());
  return Promise.resolve({ transport, [Symbol.asyncDispose]: close });
}

async function freePort(): Promise<number> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function overHttp(): Promise<Opened> {
  const port = await freePort();
  const program = await startProgram([BUN, PROGRAM, "streamableHttp"], { url: false, env: { PORT: String(port) } });
  await program.printed(/listening on port/);
  const transport = mcpTransport(`http://127.0.0.1:${port}/mcp`);
  return { transport, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

/** Text of a result. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text).join("\n");
}

for (const [how, open] of Object.entries({ stdio: overStdio, HTTP: overHttp })) {
  for (const era of ["modern", "legacy"] as const) {
    test(`questions of server-everything over ${how} pass through a gateway to a ${era} caller`, async () => {
      await using opened = await open();
      const remote = await gateway("everything", opened.transport, { listTimeoutMs: PATIENCE_MS, roots: ROOTS });
      const app = createServer({
        tools: [],
        parts: [group("far", remote)],
        wires: [mcp({ sessions: mcpSessions() })],
        keys: "k1:a secret that this test has and no other",
      });
      const transport = mcpTransport("http://localhost/mcp", {
        era,
        fetch: (url, init) => app.fetch(new Request(url, init)),
      });
      try {
        const asked: string[] = [];
        transport.onElicitation(({ url }) => {
          asked.push(url ?? "form");
          return { action: "accept", ...(url === undefined && { content: { name: "Ada" } }) };
        });
        transport.onSampling(({ messages, maxTokens }) => {
          asked.push(`sampling ${maxTokens} ${JSON.stringify(messages).includes("Say hello")}`);
          return { role: "assistant", content: { type: "text", text: "Hello from the model" }, model: "test-model" };
        });
        transport.onRoots(() => {
          asked.push("roots");
          return [{ uri: "file:///etc", name: "Of a caller" }];
        });
        const { $ } = createClient(transport, { retry: { attempts: 0 } });
        const names = (await $.list()).map(({ name }) => name);
        for (const name of ["get-roots-list", "trigger-sampling-request", "trigger-elicitation-request"]) {
          ok(names.includes(`far_${name}`), `${name} of ${names}`);
        }
        strictEqual(textOf(await $.call("far_echo", { message: "Hi" })), "Echo: Hi");
        match(textOf(await $.call("far_trigger-elicitation-request")), /Name: Ada/);
        const sampled = textOf(await $.call("far_trigger-sampling-request", { prompt: "Say hello", maxTokens: 50 }));
        match(sampled, /Hello from the model/);
        match(textOf(await $.call("far_get-roots-list")), /The work\s+URI: file:\/\/\/work/);
        const url = "https://login.example/";
        match(textOf(await $.call("far_trigger-url-elicitation", { url })), /accept/i);
        // The server also asks for roots by itself, some time after it starts.
        deepStrictEqual(asked, ["form", "sampling 50 true", url]);
      } finally {
        transport.close();
        await app.close(0);
      }
    });
  }
}
