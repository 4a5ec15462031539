/**
 * Texts as answers. Some hosts show a model the structured content in place of the content, others both: a text is sent once, as it is,
 * unless its tool declares an output.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { gateway, mount } from "../../../../src/entries/compose.ts";
import { mcp, mcpSessions, mcpTransport } from "../../../../src/entries/mcp.ts";
import { LEGACY_VERSIONS } from "../../../../src/wires/mcp/protocol/constants.ts";
import { skipOf, WIRES, wires } from "../../matrix.ts";
import { callModern, initialize, type Json, legacy } from "./client.ts";

const TEXTS = ["plain", "two\nlines", "", '{"a":1}', "5", "null"];

const text = defineTool("text").describe("Give a text").input(v.object({ at: v.number() }))
  .handle(({ at }) => TEXTS[at] as string);
const streamed = defineTool("streamed").describe("Stream a text").handle(async function* () {
  yield "one ";
  yield await Promise.resolve("two");
});
const later = defineTool("later").describe("Give a text later").promise({ budgetMs: 1 }).handle(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return "late";
});
const declared = defineTool("declared").describe("Give a declared text").output(v.string()).handle(() => "declared");
const value = defineTool("value").describe("Give an object").handle(() => ({ a: 1 }));
const tools = [text, streamed, later, declared, value] as const;

function createTexts() {
  return createServer({ tools, wires: [mcp({ sessions: mcpSessions() })], logger: false });
}

function shown({ content, structuredContent }: Json): unknown {
  return [(content as Json[]).map((block) => block["text"] ?? block["type"]), structuredContent];
}

test("2026-07-28: a text is content alone, a declared one is structured, too", async () => {
  const server = createTexts();
  for (const [at, one] of TEXTS.entries()) {
    deepStrictEqual(shown(await callModern(server, "text", { at })), [[one], undefined]);
  }
  deepStrictEqual(shown(await callModern(server, "streamed")), [["one two"], undefined]);
  deepStrictEqual(shown(await callModern(server, "later")), [["late"], undefined]);
  deepStrictEqual(shown(await callModern(server, "declared")), [["declared"], "declared"]);
  deepStrictEqual(shown(await callModern(server, "value")), [['{"a":1}'], { a: 1 }]);
  await server.close();
});

for (const version of LEGACY_VERSIONS) {
  test(`${version}: a text is content alone, a declared one is structured, too, where the revision has that`, async () => {
    const server = createTexts();
    const { session } = await initialize(server, version);
    const call = async (name: string, args: Json = {}) => {
      const { last } = await legacy(server, "tools/call", { name, arguments: args }, { version, session });
      return shown(last.result ?? {});
    };
    for (const [at, one] of TEXTS.entries()) deepStrictEqual(await call("text", { at }), [[one], undefined]);
    deepStrictEqual(await call("streamed"), [["one two"], undefined]);
    deepStrictEqual(await call("later"), [["late"], undefined]);
    const isStructured = version >= "2025-06-18";
    deepStrictEqual(await call("declared"), [["declared"], isStructured ? { result: "declared" } : undefined]);
    await server.close();
  });
}

for (const wire of WIRES) {
  test(`${wire.name}: a client gets texts as they were returned`, { skip: skipOf(wire, []) }, async () => {
    const server = createServer({ tools, wires, logger: false });
    const { transport, close } = await wire.open(server);
    try {
      const client = createClient<typeof server>(transport);
      for (const [at, one] of TEXTS.entries()) strictEqual(await client.text({ at }), one);
      strictEqual(await client.streamed({}), "one two");
      strictEqual(await client.declared({}), "declared");
      deepStrictEqual(await client.value({}), { a: 1 });
    } finally {
      transport.close?.();
      await server.close(0);
      await close();
    }
  });
}

for (const era of ["modern", "legacy"] as const) {
  test(`${era}: texts pass through a gateway, and through promises, as they are`, async () => {
    const inner = createTexts();
    const upstream = mcpTransport("http://inner/mcp", {
      era,
      fetch: (url, init) => inner.fetch(new Request(url, init)),
    });
    const outer = createServer({
      tools: [],
      parts: [mount(await gateway("far", upstream))],
      wires: [mcp()],
      logger: false,
    });
    const client = createClient(mcpTransport("http://outer/mcp", {
      era,
      fetch: (url, init) => outer.fetch(new Request(url, init)),
    }));
    try {
      for (const [at, one] of TEXTS.entries()) strictEqual(await client.$.call("text", { at }), one);
      strictEqual(await client.$.call("later", {}), "late");
      strictEqual(await client.$.call("declared", {}), "declared");
      deepStrictEqual(shown(await callModern(outer, "text", { at: 1 })), [["two\nlines"], undefined]);
    } finally {
      client.$.close();
      upstream.close?.();
      await outer.close(0);
      await inner.close(0);
    }
  });
}
