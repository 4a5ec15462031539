/** Over every wire, lists are made once for all callers that see the same tools, and are never those of other callers or of former tools. */
import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type Server } from "../../mod.ts";
import { errorResult } from "../../src/core/call/outcome.ts";
import { bearer } from "../../src/entries/auth.ts";
import { gateway, mount } from "../../src/entries/compose.ts";
import { isChosen, skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

/** More than the lists that a server keeps. */
const CALLERS = Array.from({ length: 18 }, (_, index) => `caller_${index}`);

const tools = CALLERS.map((id) =>
  defineTool(`of_${id}`).describe(`For ${id}`).visibleTo((who) => who?.id === id).handle(() => id)
);

/** The names that each caller lists, one after the other, with what happens before each. */
async function listInTurn(
  wire: WireRow,
  server: Server,
  callers: readonly string[],
  before?: (turn: number) => unknown,
) {
  const opened = await Promise.all(callers.map(async (id) => {
    return await wire.open(server, { headers: { authorization: `Bearer ${id}` }, principal: { id } });
  }));
  try {
    const listed: (readonly string[])[] = [];
    for (const [turn, { transport }] of opened.entries()) {
      await before?.(turn);
      listed.push((await createClient(transport).$.list()).map(({ name }) => name));
    }
    return listed;
  } finally {
    for (const { transport } of opened) transport.close?.();
    await server.close(0);
    for (const { close } of opened) await close();
  }
}

test("callers that see the same tools get the same list, which wires encode once", async () => {
  const secret = defineTool("secret").describe("For ada").visibleTo((who) => who?.id === "ada").handle(() => 1);
  const open = defineTool("open").describe("For all").handle(() => 1);
  const server = createServer({ tools: [secret, open] });
  strictEqual(server.toolsFor({ id: "bob" }), server.toolsFor({ id: "eve" }));
  strictEqual(server.toolsFor({ id: "ada" }), server.tools);
  notStrictEqual(server.toolsFor({ id: "bob" }), server.tools);
  deepStrictEqual(server.toolsFor(undefined).map(({ name }) => name), ["open"]);
  await server.close(0);
});

for (const wire of WIRES) {
  if (!isChosen(wire, 0)) continue;
  const skip = skipOf(wire, ["callers who show who they are"]);

  test(`${wire.name}: each of many callers gets its list, in turn`, { skip }, async () => {
    const server = createServer({ tools, wires, auth: bearer((id) => ({ id })), logger: false });
    const turns = [...CALLERS, ...CALLERS.slice(0, 2)];
    deepStrictEqual(await listInTurn(wire, server, turns), turns.map((id) => [`of_${id}`]));
  });

  test(`${wire.name}: a list that has changed is encoded again, whole or in part`, { skip }, async () => {
    let name = "before";
    const part = await gateway("far", {
      list: () => [{ name, inputSchema: { type: "object" } }, { name: "secret", inputSchema: { type: "object" } }],
      call: () => errorResult("internal", ""),
    }, { visibleTo: () => true });
    const hidden = defineTool("hidden").describe("For ada").visibleTo((who) => who?.id === "ada").handle(() => 1);
    const server = createServer({
      tools: [hidden],
      wires,
      parts: [mount(part)],
      auth: bearer((id) => ({ id })),
      logger: false,
    });
    const listed = await listInTurn(wire, server, ["ada", "bob", "ada", "bob"], async (turn) => {
      if (turn !== 2) return;
      name = "after";
      await part.refresh();
    });
    const expected = ["before", "after"].flatMap((far) => [["hidden", far, "secret"], [far, "secret"]]);
    deepStrictEqual(listed, expected);
  });
}
