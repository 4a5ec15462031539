/** Servers of FastMCP and of the official SDK for Python: values arrive as their tools returned them, and questions say which era they need. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient, createServer } from "../../../../mod.ts";
import type { Transport } from "../../../../src/core/call/transport.ts";
import { gateway, mount } from "../../../../src/entries/compose.ts";
import { mcp, mcpTransport } from "../../../../src/entries/mcp.ts";
import { stdioTransport } from "../../../../src/entries/stdio.ts";
import { rest, restTransport } from "../../../../src/entries/rest.ts";
import { root, startProgram, testWith } from "../../../serve/programs.ts";

const PYTHON = join(root, ".cache/generators/fastmcp/bin/python");
const needs = [
  existsSync(PYTHON)
    ? { path: PYTHON }
    : { missing: "FastMCP is not installed: run node scripts/install_generators.mjs" },
];
const FASTMCP = join(root, "tests/apps/cli/fastmcp_server.py");
const OFFICIAL = join(root, "tests/wires/mcp/client/python_server.py");
const ERAS = ["auto", "legacy"] as const;

/** That the tools `page` and `untyped` answer with text over a transport. */
async function checkTexts(transport: Transport): Promise<void> {
  const client = createClient(transport);
  strictEqual(await client.$.call("page", { number: 7 }), "7 int");
  strictEqual(await client.$.call("untyped", { name: "Ada" }), "Hello, Ada");
}

for (const [name, program] of [["FastMCP", FASTMCP], ["the official SDK", OFFICIAL]] as const) {
  for (const era of ERAS) {
    testWith(`text of ${name} is text, directly and behind a gateway, in era ${era}`, needs, async (python) => {
      const transport = stdioTransport(python, [program], { era, stderr: "ignore" });
      try {
        await checkTexts(transport);
        const page = (await createClient(transport).$.list()).find((tool) => tool.name === "page");
        strictEqual(page?.outputSchema?.["type"], "string");
        const parts = [mount(await gateway("remote", transport, { validate: true }))];
        const app = createServer({ tools: [], parts, wires: [mcp(), rest()], logger: false });
        const fetch = (url: string, init: RequestInit) => app.fetch(new Request(url, init));
        await checkTexts(mcpTransport("http://localhost/mcp", { fetch, era }));
        const client = createClient(restTransport("http://localhost/rest", { fetch }));
        strictEqual(await client.$.call("untyped", { name: "Ada" }), "Hello, Ada");
        await app.close(0);
      } finally {
        transport.close?.();
      }
    });
  }
}

testWith(
  "of the official SDK, lists are lists, and objects with the member result are objects",
  needs,
  async (python) => {
    const transport = stdioTransport(python, [OFFICIAL], { stderr: "ignore" });
    const client = createClient(transport);
    try {
      deepStrictEqual(await client.$.call("numbers"), [1, 2]);
      deepStrictEqual(await client.$.call("find"), { result: "found" });
    } finally {
      client.$.close();
    }
  },
);

/** That a question fails with the option that mends it, and works with the option. */
async function checkQuestion(open: (era: "auto" | "legacy") => Transport): Promise<void> {
  const onElicitation = () => ({ action: "accept", content: { value: "Ada" } }) as const;
  const usual = createClient(open("auto"), { onElicitation });
  const older = createClient(open("legacy"), { onElicitation });
  const deaf = createClient(open("legacy"));
  try {
    await rejects(usual.$.call("ask"), { message: /unavailable on 2026-07-28.*pass era: "legacy" to the transport/ });
    strictEqual(await older.$.call("ask"), "Hello, Ada");
    await rejects(deaf.$.call("ask"), { code: "invalid_request", message: /onElicitation/ });
  } finally {
    for (const { $ } of [usual, older, deaf]) $.close();
  }
}

testWith("a question of FastMCP over its pipes: the default names the era, which works", needs, async (python) => {
  await checkQuestion((era) => stdioTransport(python, [FASTMCP], { era, stderr: "ignore" }));
});

testWith("a question of FastMCP over HTTP: the default names the era, which works", needs, async (python) => {
  await using program = await startProgram([python, FASTMCP, "http"], { url: /(?<=running on )http:\/\/[\d.]+:\d+/ });
  await checkQuestion((era) => mcpTransport(`${program.url}/mcp`, { era }));
});
