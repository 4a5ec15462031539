/** Values that the MCP client returns for results of foreign servers, and for single blocks of ours. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool, mcpLite } from "../../../../mod.ts";
import { openaiTools } from "../../../../src/entries/agents.ts";
import { gateway, mount } from "../../../../src/entries/compose.ts";
import { content, mcp, mcpTransport } from "../../../../src/entries/mcp.ts";
import { legacy, modern, TOOL } from "./scripted.ts";

const PICTURE = { type: "image", data: "aGk=", mimeType: "image/png" };
const WITH_PICTURE = { content: [PICTURE], structuredContent: { content: [PICTURE] } };

for (const [era, script] of Object.entries({ modern, legacy })) {
  const complete = (result: object) => ({ ...(era === "modern" && { resultType: "complete" }), ...result });
  const answering = (result: object, tool: object = TOOL) =>
    script({ "tools/call": () => complete(result), "tools/list": () => ({ tools: [tool] }) });

  describe(`${era} server`, () => {
    test("content with a picture goes before structured content", async () => {
      deepStrictEqual(await answering(WITH_PICTURE).client().$.call("t"), [PICTURE]);
      const link = { type: "resource_link", uri: "file:///a", name: "a" };
      deepStrictEqual(await answering({ content: [link], structuredContent: { a: 1 } }).client().$.call("t"), [link]);
      const texts = { content: [{ type: "text", text: "1" }], structuredContent: { a: 1 } };
      deepStrictEqual(await answering(texts).client().$.call("t"), { a: 1 });
    });

    test("through a gateway the picture stays a picture, and programs keep the structured content", async () => {
      const outputSchema = { type: "object", properties: { content: { type: "array" } }, required: ["content"] };
      const remote = await gateway("far", answering(WITH_PICTURE, { ...TOOL, outputSchema }).transport(), {
        validate: true,
      });
      const app = createServer({ tools: [], parts: [mount(remote)], wires: [mcp(), mcpLite()] });
      const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } });
      const reply = await app.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
      const { result } = await reply.json() as { result: Record<string, unknown> };
      deepStrictEqual([result["content"], result["structuredContent"]], [[PICTURE], { content: [PICTURE] }]);
      deepStrictEqual(await createClient(app).$.call("t"), [PICTURE]);
      await app.close(0);
    });

    test("a model gets a few words in place of the characters of a picture", async () => {
      const data = "A".repeat(92_723);
      const big = { content: [{ ...PICTURE, data }], structuredContent: { content: [{ ...PICTURE, data }] } };
      const { run } = await openaiTools(answering(big).transport());
      const [answer] = await run([{ type: "function", id: "1", function: { name: "t", arguments: "{}" } }]);
      ok(answer!.content.length < 200);
      match(answer!.content, /image\/png, \d+ bytes/);
    });

    test("a wrapped value of FastMCP arrives as the value", async () => {
      const result = { content: [{ type: "text", text: "hi" }], structuredContent: { result: "hi" } };
      const marked = { ...result, _meta: { fastmcp: { wrap_result: true } } };
      strictEqual(await answering(marked).client().$.call("t"), "hi");
      const outputSchema = {
        type: "object",
        properties: { result: { type: "string" } },
        required: ["result"],
        "x-fastmcp-wrap-result": true,
      };
      const listed = answering(result, { ...TOOL, outputSchema }).client();
      const [tool] = await listed.$.list();
      deepStrictEqual(tool?.outputSchema, { type: "string" });
      strictEqual(await listed.$.call("t"), "hi");
      deepStrictEqual(await answering(result).client().$.call("t"), { result: "hi" });
    });
  });

  test(`a value that the official SDK for Python wraps arrives as the value, and passes a gateway that validates, over ${era} MCP`, async () => {
    const result = { content: [{ type: "text", text: "hi" }], structuredContent: { result: "hi" } };
    const outputSchema = {
      type: "object",
      title: "tOutput",
      properties: { result: { title: "Result", type: "string" } },
      required: ["result"],
    };
    strictEqual(await answering(result, { ...TOOL, outputSchema }).client().$.call("t"), "hi");
    const far = await gateway("far", answering(result, { ...TOOL, outputSchema }).transport(), { validate: true });
    const app = createServer({ tools: [], parts: [mount(far)], wires: [mcp(), mcpLite()], logger: false });
    strictEqual(await createClient(app).$.call("t"), "hi");
    await app.close(0);
    // A class of the application, whose only member has the same name.
    const ofClass = { ...TOOL, outputSchema: { ...outputSchema, title: "TOutput" } };
    deepStrictEqual(await answering(result, ofClass).client().$.call("t"), { result: "hi" });
  });

  test(`one block of text alone is the text, over ${era} MCP`, async () => {
    const open = (content: readonly unknown[]) => answering({ content }).client();
    strictEqual(await open([{ type: "text", text: "[1]" }]).$.call("t"), "[1]");
    const others = [
      [{ type: "text", text: "a", annotations: { audience: ["user"] } }],
      [{ type: "text", text: "a" }, { type: "text", text: "b" }],
      [{ type: "resource_link", uri: "file:///a", name: "a" }],
    ];
    for (const content of others) deepStrictEqual(await open(content).$.call("t"), content);
    strictEqual(await open([{ type: "text", text: "" }]).$.call("t"), undefined);
  });

  test(`one block of ours arrives as one, several as several, over ${era} MCP`, async () => {
    const server = createServer({
      wires: [mcp()],
      tools: [
        defineTool("one").describe("One").handle(() => content.text("a")),
        defineTool("list").describe("List").handle(() => [content.text("a")]),
        defineTool("rendered").describe("Render").render(() => [{ ...content.image("aGk=", "image/png") }]).handle(
          () => ({ n: 1 }),
        ),
      ],
    });
    const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
    const transport = mcpTransport("http://localhost/mcp", { era: era as "modern", fetch });
    const { $ } = createClient(transport);
    deepStrictEqual(await $.call("one"), content.text("a"));
    deepStrictEqual(await $.call("list"), [content.text("a")]);
    deepStrictEqual(await $.call("rendered"), { n: 1 });
    $.close();
  });
}

test('mcp({ path: "/" }) answers its path alone', async () => {
  const server = createServer({
    tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
    wires: [mcp({ path: "/" })],
  });
  const post = async (path: string) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping"}}';
    const headers = { "content-type": "application/json" };
    return (await server.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }))).status;
  };
  deepStrictEqual(await Promise.all(["/", "/calltools", "/a/b"].map(post)), [200, 404, 404]);
});

for (
  const result of [
    { resultType: "complete", content: [{ type: "text", text: "[1]" }] },
    { content: [{ type: "text", text: "[1]" }], structuredContent: [1] },
    { content: [{ type: "text", text: "no" }], isError: true },
    { content: [{ type: "text", text: "[1]" }] },
  ]
) {
  test(`the MCP-lite client refuses ${JSON.stringify(result)}`, async () => {
    for (const isStream of [false, true]) {
      const fetch = (_: string, init: RequestInit) => {
        const { id } = JSON.parse(String(init.body));
        const message = JSON.stringify({ jsonrpc: "2.0", id, result });
        const type = isStream ? "text/event-stream" : "application/json";
        const body = isStream ? `event: message\ndata: ${message}\n\n` : message;
        return Promise.resolve(new Response(body, { headers: { "content-type": type } }));
      };
      const client = createClient("http://localhost/", { fetch });
      await rejects(client.$.call("t"), { code: "invalid_request", message: /in MCP.*mcpTransport\(url\)/ });
    }
  });
}

test("a tool that can ask only in the older era fails with the option to pass", async () => {
  const said = [
    "Error calling tool 'ask': elicitation via server-initiated requests is unavailable on 2026-07-28 connections.",
    "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
  ];
  for (const text of said) {
    const failed = { resultType: "complete", isError: true, content: [{ type: "text", text }] };
    const client = modern({ "tools/call": () => failed }).client();
    await rejects(client.$.call("t"), {
      message:
        `${text.slice(0, -1)}; this tool can ask only in the older era: pass era: "legacy" to the transport, or ` +
        "--era legacy to the command line",
    });
  }
  const other = { resultType: "complete", isError: true, content: [{ type: "text", text: "Not today." }] };
  await rejects(modern({ "tools/call": () => other }).client().$.call("t"), { message: "Not today." });
});

test("members of _meta that a handler adds are not read as those of the wire", async () => {
  const tool = defineTool("tagged").describe("Tag").handle((_, ctx) => {
    ctx.meta({ wrapped: true, shape: "text", rendered: true, single: true });
    return { result: 3 };
  });
  const reserved = defineTool("reserved").describe("Take a reserved name").handle((_, ctx) => {
    ctx.meta({ "toolwire/wrapped": true });
    return 1;
  });
  const server = createServer({ tools: [tool, reserved], wires: [mcp()], logger: false });
  const fetch = async (url: string, init: RequestInit) => await server.fetch(new Request(url, init));
  const { $ } = createClient(mcpTransport("http://localhost/mcp", { fetch }));
  deepStrictEqual(await $.call("tagged", {}), { result: 3 });
  await rejects($.call("reserved", {}), { code: "internal" });
  $.close();
  await server.close();
});
