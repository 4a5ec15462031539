/** Over every wire, `visibleTo` and `scopes` of a group, a gateway and an OpenAPI document hold in addition to those of each tool. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport, type Principal } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { toolsFromOpenApi } from "../../src/entries/openapi.ts";
import { gateway, group, mount } from "../../src/entries/compose.ts";
import { discover } from "../../src/entries/discovery.ts";
import { testClient } from "../../src/entries/testing.ts";
import { definePrompt, defineResource, mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

const isStaff = (who: Principal | undefined) => who?.id !== "guest";
const document = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1.0.0" },
  paths: {
    "/pets": { get: { operationId: "pets", summary: "List pets", responses: { 200: { description: "Pets" } } } },
  },
};
const pets = toolsFromOpenApi(document, {
  baseUrl: "https://pets.example",
  fetch: () => Promise.resolve(Response.json(["Rex"])),
  visibleTo: isStaff,
  scopes: ["pets"],
});

async function serverOfParts() {
  const boss = defineTool("boss").describe("Run the company").visibleTo((who) => who?.id === "boss").handle(() =>
    "done"
  );
  const note = defineTool("note").describe("Keep a note").scopes("write").handle(() => "kept");
  const inner = createServer({ tools: [boss, note] });
  const open = defineTool("open").describe("Open a door").handle(() => "opened");
  const remote = await gateway("remote", memoryTransport(createServer({ tools: [open] })), {
    visibleTo: isStaff,
    scopes: ["remote"],
  });
  return createServer({
    tools: pets,
    parts: [group("in", inner, { visibleTo: isStaff, scopes: ["in"] }), mount(remote)],
    wires,
    auth: bearer((id) => ({ id, scopes: id === "boss" ? ["in", "pets", "remote", "write"] : ["write"] })),
    logger: false,
  });
}

const STAFF = ["in_note", "open", "pets"];

async function check(wire: WireRow): Promise<void> {
  const server = await serverOfParts();
  const open = async (id: string) => {
    const scopes = id === "boss" ? ["in", "pets", "remote", "write"] : ["write"];
    const { transport, close } = await wire.open(server, {
      headers: { authorization: `Bearer ${id}` },
      principal: { id, scopes },
    });
    return { $: createClient(transport, { retry: { attempts: 0 } }).$, transport, close };
  };
  const [guest, clerk, boss] = [await open("guest"), await open("clerk"), await open("boss")];
  try {
    const names = async ({ $ }: typeof guest) =>
      (await $.list()).map(({ name }) => name).filter((name) => !["redeem", "cancel"].includes(name)).sort();
    deepStrictEqual([await names(guest), await names(clerk), await names(boss)], [[], STAFF, ["in_boss", ...STAFF]]);
    for (const name of ["in_boss", ...STAFF]) {
      await rejects(guest.$.call(name, {}), { code: "tool_not_found" });
      const code = name === "in_boss" ? "tool_not_found" : "permission_denied";
      await rejects(clerk.$.call(name, {}), { code });
      ok(await boss.$.call(name, {}) !== undefined);
    }
  } finally {
    for (const { transport, close } of [guest, clerk, boss]) {
      transport.close?.();
      await close();
    }
    await server.close(0);
  }
}

for (const wire of WIRES) {
  const skip = skipOf(wire, ["callers who show who they are"]);
  test(`access of groups, gateways and documents: ${wire.name}`, { skip }, () => check(wire));
}

test("a search finds nothing of a group that the caller may not see", async () => {
  const inner = createServer({ tools: [defineTool("note").describe("Keep a note").handle(() => "kept")] });
  const server = createServer({
    tools: [],
    parts: [group("in", inner, { visibleTo: isStaff })],
    discovery: discover({ when: "always" }),
  });
  const found = async (id: string) =>
    JSON.stringify(await testClient(server, { principal: { id } }).$.call("search_tools", { query: "note" }));
  ok((await found("clerk")).includes("in_note"));
  ok(!(await found("guest")).includes("in_note"));
});

test("resources and prompts of a part are only for its callers, and need its scopes", async () => {
  const inner = createServer({
    tools: [],
    resources: [defineResource("note://one").name("one").read(() => "a note")],
    prompts: [definePrompt("greet").describe("Greet").handle(() => "Hello")],
  });
  const options = { visibleTo: isStaff, scopes: ["in"] };
  const server = createServer({
    tools: [],
    parts: [mount(createServer({ tools: [], parts: [group("in", inner, options)] }))],
    wires: [mcp()],
  });
  const as = (id: string, scopes: readonly string[] = []) =>
    mcpTransport("http://localhost/mcp", {
      fetch: (url, init) => server.fetch(new Request(url, init), { principal: { id, scopes } }),
    });
  deepStrictEqual([await as("guest").resources.list(), (await as("clerk").resources.list()).length], [[], 1]);
  await rejects(as("guest", ["in"]).resources.read("note://one"), { code: "resource_not_found" });
  await rejects(as("clerk").resources.read("note://one"), { code: "permission_denied" });
  strictEqual((await as("clerk", ["in"]).resources.read("note://one"))[0]?.text, "a note");
  await rejects(as("guest", ["in"]).prompts.get("in_greet"), {
    code: "prompt_not_found",
    details: {
      requested_prompt: "in_greet",
      available_prompts: [],
      suggestion: "No similar prompt: list the prompts",
    },
  });
  await rejects(as("clerk").prompts.get("in_greet"), { code: "permission_denied" });
  strictEqual((await as("clerk", ["in"]).prompts.get("in_greet")).messages.length, 1);
});

test("a predicate that throws or returns no boolean hides the group", async () => {
  const inner = createServer({
    tools: [defineTool("note").describe("Keep a note").visibleTo(() => true).handle(() => 1)],
  });
  const broken = () => {
    throw new Error("no");
  };
  for (const visibleTo of [broken, (() => 1) as unknown as () => boolean]) {
    const server = createServer({ tools: [], parts: [group("in", inner, { visibleTo })] });
    await rejects(testClient(server).$.call("in_note"), { code: "tool_not_found" });
  }
});

test("invalid restrictions and arrays of tools are refused with what to write", () => {
  const inner = createServer({ tools: [] });
  const scopes = /scopes must be an array of scopes, such as \["read"\]/;
  throws(() => group("in", inner, { scopes: ["a b"] }), scopes);
  throws(() => mount(inner, { scopes: "read" as never }), scopes);
  throws(() => toolsFromOpenApi(document, { baseUrl: "https://pets.example", visibleTo: true as never }), /visibleTo/);
  throws(() => group("in", [] as never), /createServer\(\{ tools \}\) makes a server of an array of tools/);
});
