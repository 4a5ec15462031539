/** Files of text in answers: text for MCP clients and models, the same bytes for typed clients. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { aiSdkTools, anthropicTools, openaiResponsesTools, openaiTools } from "../../src/entries/agents.ts";
import { createServer, defineTool } from "../../mod.ts";
import { content, mcp } from "../../src/entries/mcp.ts";

const CSV = "\ufeffid,name\n1,Zoë\n";
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);

function serverOf(answer: () => unknown) {
  return createServer({ tools: [defineTool("it").describe("Answer").handle(answer as () => string)], wires: [mcp()] });
}

async function blockOf(answer: () => unknown): Promise<{ resource?: object; type?: string }> {
  const server = serverOf(answer);
  const response = await server.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "it", arguments: {} } }),
    }),
  );
  const text = await response.text();
  const json = text.startsWith("{") ? text : text.split("data: ").at(-1) ?? "";
  return JSON.parse(json).result.content[0];
}

for (
  const type of [
    "text/csv",
    "text/csv; charset=utf-8",
    "application/json",
    "application/ld+json",
    "application/atom+xml",
  ]
) {
  test(`MCP: a file of ${type} is a resource with its text, and has the same bytes`, async () => {
    const files = [
      () => new File([CSV], "a.csv", { type }),
      () => content.file(new TextEncoder().encode(CSV), { type, name: "a.csv" }),
    ];
    for (const file of files) {
      const block = await blockOf(file);
      const mimeType = content.readFile(block)?.type;
      deepStrictEqual(block, { type: "resource", resource: { uri: "file:///a.csv", mimeType, text: CSV } });
      deepStrictEqual(content.readFile(block)?.bytes, new TextEncoder().encode(CSV));
    }
  });
}

test("MCP: bytes that are not UTF-8, another charset and other types stay in base64", async () => {
  for (
    const [type, bytes] of [
      ["text/csv", [0xff, 0x41]],
      ["text/csv; charset=latin1", [0x41]],
      ["application/zip", [0x41]],
    ] as const
  ) {
    const block = await blockOf(() => content.file(Uint8Array.from(bytes), { type }));
    deepStrictEqual(Object.keys(block.resource ?? {}), ["uri", "mimeType", "blob"]);
    deepStrictEqual(content.readFile(block)?.bytes, Uint8Array.from(bytes));
  }
});

test("a stream of files of text is one file, where a piece ends within a character, too", async () => {
  const bytes = new TextEncoder().encode(CSV);
  const block = await blockOf(async function* () {
    for (const part of [bytes.slice(0, 16), bytes.slice(16)]) yield new File([part], "a.csv", { type: "text/csv" });
  });
  deepStrictEqual(block.resource, { uri: "file:///a.csv", mimeType: "text/csv", text: CSV });
});

test("models get the text of a file, and one image as an image", async () => {
  const server = serverOf(() => new File(["id,name"], "a.csv", { type: "text/csv" }));
  const use = [{ type: "tool_use", id: "1", name: "it", input: {} }];
  strictEqual((await (await anthropicTools(server)).run(use))[0]?.content, "id,name");
  const call = [{ type: "function", id: "1", function: { name: "it", arguments: "{}" } }] as const;
  strictEqual((await (await openaiTools(server)).run(call))[0]?.content, "id,name");
  for (
    const image of [
      () => PNG,
      () => new File([PNG], "a.png", { type: "image/png" }),
      () => content.image(PNG, "image/png"),
    ]
  ) {
    const images = serverOf(image);
    const [result] = await (await anthropicTools(images)).run(use);
    deepStrictEqual(result?.content, [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoB" } },
    ]);
    const [output] = await (await openaiResponsesTools(images)).run([
      { type: "function_call", call_id: "1", name: "it", arguments: "{}" } as never,
    ]);
    strictEqual(JSON.stringify(output).includes('"input_image"'), true);
    const { it } = await aiSdkTools(images);
    const results = await Array.fromAsync(it?.execute({}, { toolCallId: "1" }) ?? []);
    const shown = it?.toModelOutput({ output: results.at(-1) });
    strictEqual(JSON.stringify(shown).includes('"mediaType":"image/png"'), true, JSON.stringify(shown));
  }
});
