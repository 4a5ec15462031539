/** `serve(server, { banner: true })`. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import { healthPage } from "../../src/entries/health.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { mcp } from "../../src/entries/mcp.ts";

const tools = ["add", "ping"].map((name) => defineTool(name).describe("T").handle(() => 1));

async function printedBy(options: { readonly banner?: boolean }): Promise<{ url: string; lines: unknown[] }> {
  const lines: unknown[] = [];
  const { log } = console;
  console.log = (line: unknown) => void lines.push(line);
  try {
    const wires = [mcp(), mcpLite(), grpc(), healthPage()];
    const server = createServer({ name: "math\u001b[2J", version: "1.2.3", tools, wires });
    const listening = await serve(server, { port: 0, ...options });
    await listening.close();
    return { url: listening.url, lines };
  } finally {
    console.log = log;
  }
}

test("serve() prints a banner if it is asked to: the URL of each wire, and the tools", async () => {
  const { url, lines } = await printedBy({ banner: true });
  deepStrictEqual(lines, [[
    "math\\u001b[2J 1.2.3",
    `  mcp       ${url}/mcp`,
    `  mcp-lite  ${url}/mcp-lite/v1`,
    `  connect   ${url}`,
    `  health    ${url}/healthz, /readyz`,
    "  tools     add, ping",
  ].join("\n")]);
});

test("serve() prints nothing by itself, and refuses a banner that is no boolean", async () => {
  deepStrictEqual((await printedBy({})).lines, []);
  await rejects(
    serve(createServer({ tools: [] }), { banner: "yes" as never }),
    /banner must be true or false, not "yes"/,
  );
});
