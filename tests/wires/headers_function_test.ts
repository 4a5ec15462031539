/** Over every protocol with headers, each principal of a gateway reaches the server with its own credentials, and sees what it may see there. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type OutgoingCall, type Principal } from "../../mod.ts";
import { withTimeLimit } from "../../src/core/call/time_limit.ts";
import type { Transport } from "../../src/core/call/transport.ts";
import { bearer } from "../../src/entries/auth.ts";
import { gateway, mount } from "../../src/entries/compose.ts";
import { PerPrincipal } from "../../src/http_client/per_principal.ts";
import { toolsFromOpenApi } from "../../src/entries/openapi.ts";
import { testClient } from "../../src/entries/testing.ts";
import { defineResource, mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { skipOf, type WireRow, WIRES, wires } from "./matrix.ts";

/** A server whose callers are the principals of their tokens; one of its tools is for ada alone. */
function serverOfPeople() {
  const whoami = defineTool("whoami").describe("Who calls").annotate({ readOnlyHint: true })
    .handle((_, ctx) => ctx.principal?.id ?? "");
  const work = defineTool("work").describe("Work").promise({ required: true }).handle((_, ctx) =>
    ctx.principal?.id ?? ""
  );
  const own = defineTool("own").describe("For ada").visibleTo((who) => who?.id === "ada").handle(() => "hers");
  const auth = bearer((id) => ({ id }));
  return createServer({
    tools: [whoami, work, own],
    wires,
    auth,
    keys: "k1:a secret that only the remote server has",
    logger: false,
  });
}

const credentials = (seen: OutgoingCall[] = []) => (call: OutgoingCall) => {
  seen.push(call);
  return { authorization: `Bearer ${call.principal?.id ?? "service"}` };
};

function listAs(transport: Transport, principal?: Principal) {
  return withTimeLimit(10_000, async (limit) => {
    const listed = await transport.list({ ...limit, principal });
    ok(!("kind" in listed), JSON.stringify(listed));
    return listed.map(({ name }) => name).filter((name) => !["redeem", "cancel"].includes(name)).sort();
  });
}

/** Rows that reach the server with headers; the others are in one process, or of its owner. */
const ROWS = WIRES.filter(({ column }) => !["memory", "stdio"].includes(column));

async function checkGateway(wire: WireRow): Promise<void> {
  const remote = serverOfPeople();
  const seen: OutgoingCall[] = [];
  const { transport, close } = await wire.open(remote, { headers: credentials(seen) });
  const part = mount(await gateway<typeof remote>("remote", transport));
  const app = createServer({
    tools: [],
    parts: [part],
    keys: "k1:a secret that the gateway alone knows",
    logger: false,
  });
  try {
    const people = ["ada", "eve", "ada", "bob"];
    const clients = people.map((id) => testClient(app, { principal: { id } }));
    deepStrictEqual(await Promise.all(clients.map((client) => client.whoami())), people);
    strictEqual(await testClient(app).whoami(), "service");
    if (!(wire.lacks ?? []).includes("promises")) deepStrictEqual(await clients[1]?.work(), "eve");
    const ofEve = seen.filter(({ principal }) => principal?.id === "eve");
    // A socket has no headers for a single call.
    ok(ofEve.some(({ tool }) => tool === (wire.column === "WebSocket" ? undefined : "whoami")));
    ok(seen.every(({ signal }) => signal instanceof AbortSignal));
  } finally {
    await app.close(0);
    await close();
    await remote.close(0);
  }
}

async function checkLists(wire: WireRow): Promise<void> {
  const remote = serverOfPeople();
  const { transport, close } = await wire.open(remote, { headers: credentials() });
  try {
    for (const [id, names] of [["ada", 3], ["eve", 2], ["ada", 3], [undefined, 2]] as const) {
      const listed = await listAs(transport, id === undefined ? undefined : { id });
      deepStrictEqual([id, listed.length, listed.includes("own")], [id, names, id === "ada"]);
    }
  } finally {
    transport.close?.();
    await close();
    await remote.close(0);
  }
}

async function checkClient(wire: WireRow): Promise<void> {
  const remote = serverOfPeople();
  const seen: OutgoingCall[] = [];
  const { transport, close } = await wire.open(remote, { headers: credentials(seen) });
  try {
    const client = createClient<typeof remote>(transport);
    strictEqual(await client.whoami(), "service");
    await rejects(Promise.resolve(client.own()), { code: "tool_not_found" });
    if (wire.column !== "WebSocket") {
      deepStrictEqual([...new Set(seen.map(({ tool }) => tool))].filter((tool) => tool !== undefined), [
        "whoami",
        "own",
      ]);
    }
  } finally {
    transport.close?.();
    await close();
    await remote.close(0);
  }
}

/** The header of a caller without credentials, as `token && …` or a ternary gives it. */
const ABSENT = { authorization: undefined, "x-team": "blue" };

/** The same, as a program in JavaScript reads it from a database: `new Headers()` would send the text "null". */
const NULL = { authorization: null as unknown as undefined, "x-team": "blue" };

async function checkAbsent(wire: WireRow): Promise<void> {
  const seen = defineTool("seen").describe("What arrives").annotate({ readOnlyHint: true })
    .handle((_, ctx) => [ctx.metadata.get("authorization") ?? "", ctx.metadata.get("x-team") ?? ""]);
  for (const headers of [ABSENT, NULL, () => ABSENT, () => NULL, () => undefined]) {
    const remote = createServer({ tools: [seen], wires, logger: false });
    const { transport, close } = await wire.open(remote, { headers });
    const sent = typeof headers === "function" && headers() === undefined ? "" : "blue";
    deepStrictEqual(await createClient<typeof remote>(transport).seen(), ["", sent]);
    transport.close?.();
    await close();
    await remote.close(0);
  }
}

for (const wire of ROWS) {
  const skip = skipOf(wire);
  test(`a header of undefined or null is not sent: ${wire.name}`, { skip }, () => checkAbsent(wire));
  test(`principals of a gateway have their own credentials: ${wire.name}`, { skip }, () => checkGateway(wire));
  test(`a list is not served to another principal: ${wire.name}`, { skip }, () => checkLists(wire));
  test(`a client's function for headers receives the tool: ${wire.name}`, { skip }, () => checkClient(wire));
}

test("what an MCP server allows to cache is cached for the principal that it was read with", async () => {
  const note = defineResource("note://own").name("own").read((_, ctx) => `of ${ctx.principal?.id}`);
  const own = defineTool("own").describe("For ada").visibleTo((who) => who?.id === "ada").handle(() => "hers");
  const remote = createServer({
    tools: [own],
    resources: [note],
    auth: bearer((id) => ({ id })),
    wires: [mcp({ cache: { ttlMs: 60_000, scope: "private" } })],
  });
  const fetch = (url: string, init: RequestInit) => remote.fetch(new Request(url, init));
  const transport = mcpTransport("http://localhost/mcp", { fetch, headers: credentials() });
  for (const [id, names] of [["ada", ["own"]], ["eve", []], ["ada", ["own"]]] as const) {
    deepStrictEqual(await listAs(transport, { id }), names);
    const [part] = await transport.resources.read("note://own", { principal: { id } });
    strictEqual(part?.text, `of ${id}`);
  }
  const app = createServer({ tools: [], parts: [mount(await gateway("remote", transport))], wires: [mcp()] });
  for (const id of ["ada", "eve", "ada"]) {
    const read = mcpTransport("http://localhost/mcp", {
      fetch: (url, init) => app.fetch(new Request(url, init), { principal: { id } }),
    });
    strictEqual((await read.resources.read("note://own"))[0]?.text, `of ${id}`);
  }
  await app.close(0);
  transport.close?.();
  await remote.close(0);
});

test("a function for headers of an OpenAPI document receives principal, tool and signal", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "Me", version: "1.0.0" },
    paths: { "/me": { get: { operationId: "me", summary: "Me", responses: { 200: { description: "Me" } } } } },
  };
  const seen: OutgoingCall[] = [];
  const tools = toolsFromOpenApi(document, {
    baseUrl: "https://api.example",
    headers: credentials(seen),
    fetch: (_, { headers }) => Promise.resolve(Response.json(new Headers(headers).get("authorization"))),
  });
  const server = createServer({ tools });
  for (const id of ["ada", "eve"]) {
    strictEqual(await testClient(server, { principal: { id } }).$.call("me", {}), `Bearer ${id}`);
  }
  deepStrictEqual(seen.map(({ tool }) => tool), ["me", "me"]);
  ok(seen.every(({ signal }) => signal instanceof AbortSignal));
});

test("a header of undefined or null is not sent to an API of a document", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "Me", version: "1.0.0" },
    paths: { "/me": { get: { operationId: "me", summary: "Me", responses: { 200: { description: "Me" } } } } },
  };
  for (const headers of [ABSENT, NULL, () => NULL, Object.entries(ABSENT), Object.entries(NULL)]) {
    const tools = toolsFromOpenApi(document, {
      baseUrl: "https://api.example",
      headers,
      fetch: (_, { headers }) => Promise.resolve(Response.json([...new Headers(headers).keys()])),
    });
    deepStrictEqual(await testClient(createServer({ tools })).$.call("me", {}), ["accept", "x-team"]);
  }
});

test("states of at most 256 principals are kept, and none that is in use is ended", async () => {
  let opened = 0;
  const ended: string[] = [];
  const own = new PerPrincipal((principal) => (opened++, principal().id), (id) => void ended.push(id));
  const gate = Promise.withResolvers<void>();
  const busy = own.run({ id: "busy" }, () => gate.promise);
  for (let n = 0; n < 256; n++) await own.run({ id: `p${n}` }, () => {});
  deepStrictEqual([opened, ended], [257, ["p0"]]);
  await own.run({ id: "p0" }, () => {});
  deepStrictEqual(ended, ["p0", "p1"]);
  gate.resolve();
  await busy;
  own.close();
  strictEqual(ended.length, 258);
});
