/** Prompts, resource templates and skills of a part that a caller may not see are in no list and no error, over every wire. */
import { deepStrictEqual, match, notDeepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite, type Principal } from "../../mod.ts";
import { skills } from "../../src/entries/skills.ts";
import { group } from "../../src/entries/compose.ts";
import { consolePage } from "../../src/entries/console.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { definePrompt, defineResource, mcp } from "../../src/entries/mcp.ts";
import { liteDuplex } from "../../src/wires/mcp_lite/websocket/server/lite_duplex.ts";
import { MemoryConnection } from "./memory_connection.ts";

const isStaff = (who: Principal | undefined) => who?.id === "clerk";
const KEY = "key-of-the-tests-of-hidden-contents";
const skillOf = (name: string) => ({
  path: name,
  files: { "SKILL.md": `---\nname: ${name}\ndescription: How to work\n---\n`, "more.md": "More" },
});

async function contents(name: string) {
  return {
    tools: [],
    resources: [
      defineResource(`${name}://{id}`).name(`${name} template`).read(() => "a note"),
      ...await skills([skillOf(name)]),
    ],
    prompts: [definePrompt(`${name}-greet`).describe(`Greet ${name}`).handle(() => "Hello")],
  };
}

const server = createServer({
  ...await contents("open"),
  tools: [defineTool("ping").describe("Answer").handle(() => "pong")],
  parts: [group("in", createServer(await contents("payroll")), { visibleTo: isStaff })],
  wires: [mcpLite(), mcp(), grpc(), consolePage({ key: KEY, actAs: true })],
  logger: false,
});

async function post(
  path: string,
  body: unknown,
  principal: Principal | undefined,
  headers: Record<string, string> = {},
) {
  const request = new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
  });
  return await (await server.fetch(request, { principal })).text();
}

function rpc(method: string, params: unknown = {}) {
  return { jsonrpc: "2.0", id: 1, method, params };
}

type Ask = (principal: Principal | undefined) => Promise<string>;

function modern(method: string, params: Record<string, unknown> = {}): Ask {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
  const name = params["name"];
  const named = typeof name === "string" ? { ...headers, "mcp-name": name } : headers;
  return (principal) => post("/mcp", rpc(method, { ...params, _meta }), principal, named);
}

function legacy(method: string, params: unknown = {}): Ask {
  const headers = { "mcp-protocol-version": "2025-11-25" };
  return (principal) => post("/mcp", rpc(method, params), principal, headers);
}

function socket(method: string, params: unknown = {}): Ask {
  return async (principal) => {
    const sent: string[] = [];
    const connection = new MemoryConnection(liteDuplex(8), server["~server"].host, (text) => void sent.push(text));
    Object.assign(connection, { principal });
    connection.receive(JSON.stringify(rpc(method, params)));
    await connection.end();
    return sent.join("\n");
  };
}

function page(name: string, input: Record<string, unknown>): Ask {
  const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": KEY };
  return (principal) => post(`/console/api/${name}`, { as: principal, ...input }, principal, headers);
}

/** Requests whose answers name what there is. */
const LISTS: Readonly<Record<string, Ask>> = {
  "MCP 2026, prompts": modern("prompts/list"),
  "MCP 2026, templates": modern("resources/templates/list"),
  "MCP 2026, skills": modern("skills/list"),
  "MCP 2025, prompts": legacy("prompts/list"),
  "MCP 2025, templates": legacy("resources/templates/list"),
  "MCP 2025, skills": legacy("skills/list"),
  "MCP-lite, endpoint": (principal) => post("/mcp-lite/v1/prompts", {}, principal),
  "MCP-lite, method": (principal) => post("/mcp-lite/v1/rpc", rpc("prompts/list"), principal),
  "MCP-lite, unknown prompt": (principal) =>
    post("/mcp-lite/v1/rpc", rpc("prompts/get", { name: "payrol-greet" }), principal),
  "WebSocket": socket("prompts/list"),
  "WebSocket, unknown prompt": socket("prompts/get", { name: "payrol-greet" }),
  "Connect": (principal) => post("/mcplite.MCPLite/GetPrompts", {}, principal),
  "console, as a caller": page("content", { method: "list" }),
};

for (const [name, ask] of Object.entries(LISTS)) {
  test(`${name}: only for callers of the part`, async () => {
    const [guest, clerk] = [await ask({ id: "guest" }), await ask({ id: "clerk" })];
    match(guest, /open/);
    match(clerk, /payroll/);
    ok(!guest.includes("payroll"), guest);
  });
}

test("a hidden skill and its folder are answered as unknown ones", async () => {
  const requests: readonly (readonly [string, string])[] = [
    ["skills/get", "SKILL.md"],
    ["resources/directory/read", ""],
  ];
  for (const [method, file] of requests) {
    const uriOf = (skill: string) => `skill://${skill}${file === "" ? "" : `/${file}`}`;
    const guest = { id: "guest" };
    const answers = [];
    for (const skill of ["payroll", "missing"]) {
      answers.push((await modern(method, { uri: uriOf(skill) })(guest)).replaceAll(skill, "a skill"));
    }
    deepStrictEqual(answers[0], answers[1]);
    match(await modern(method, { uri: uriOf("payroll") })({ id: "clerk" }), /"result"/);
  }
});

test("the console compares with what its caller may see", async () => {
  const compare = page("diff", { before: { prompts: [], resourceTemplates: [] } });
  const changes = async (id: string) => JSON.parse(await compare({ id })).changes;
  deepStrictEqual((await changes("guest")).map(({ message }: { message: string }) => message), [
    "one was added",
    "one was added",
  ]);
  notDeepStrictEqual(await changes("clerk"), await changes("guest"));
});
