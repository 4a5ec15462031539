/** Authentication over every wire: callers that are unknown or lack a permission get the same errors. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient, createServer, defineTool, type Principal } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { type Caller, isChosen, skipOf, type WireRow, WIRES, wires } from "./matrix.ts";
import type { Transport } from "../../src/entries/wire.ts";

const PEOPLE: Readonly<Record<string, Principal>> = {
  ada: { id: "ada", scopes: ["docs:read", "docs:write"], claims: { team: "red" } },
  bob: { id: "bob", scopes: ["docs:read"] },
  eve: { id: "eve" },
  adaWithLess: { id: "ada" },
};

const TEXT = "the text";

function createWorld() {
  const runs: string[] = [];
  const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => {
    runs.push("whoami");
    return { id: principal?.id ?? null, scopes: principal?.scopes ?? [], claims: principal?.claims ?? null };
  });
  const read = defineTool("read").describe("Read").scopes("docs:read").handle(() => {
    runs.push("read");
    return TEXT;
  });
  const write = defineTool("write").describe("Write").scopes("docs:read").scopes("docs:write").handle(
    async function* () {
      runs.push("write");
      yield await Promise.resolve("written");
    },
  );
  const report = defineTool("report").describe("Report, later").scopes("docs:read").promise({ budgetMs: 1 }).handle(
    async (_, { principal }) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return `report for ${principal?.id}`;
    },
  );
  const secret = defineTool("secret").describe("For Ada alone").visibleTo((principal) => principal?.id === "ada")
    .promise({ budgetMs: 1 }).handle(() => "shown");
  const broken = defineTool("broken").describe("Shown to nobody").visibleTo(() => {
    throw new Error("the predicate broke");
  }).handle(() => "shown");
  const server = createServer({
    logger: false,
    tools: [whoami, read, write, report, secret, broken],
    wires,
    keys: "k1:a secret that is known to these tests alone",
    auth: bearer((token) => PEOPLE[token], { allowAnonymous: true }),
  });
  return { server, runs };
}

type World = ReturnType<typeof createWorld>;

interface Stage extends World {
  /** A client of a user; anonymous without a name. */
  as(name?: string): Client<World["server"]>;
  /** A client that shows something else. */
  showing(authorization: string): Client<World["server"]>;
}

const SCENARIOS: Readonly<Record<string, (stage: Stage, wire: WireRow) => Promise<void>>> = {
  async "handlers see who calls"({ as }) {
    deepStrictEqual(await as("ada").whoami({}), PEOPLE["ada"]);
    deepStrictEqual(await as("eve").whoami({}), { id: "eve", scopes: [], claims: null });
    deepStrictEqual(await as().whoami({}), { id: null, scopes: [], claims: null });
  },

  async "a token that is not good gets nowhere, and is not nobody"({ showing, runs }, wire) {
    if (wire.name === "memory") return;
    for (
      const authorization of [
        "Bearer mallory",
        "Bearer",
        "Bearer ",
        "Bearer a b",
        "Bearer ada,bob",
        "bearer =",
        "Bearer ádá",
      ]
    ) {
      const client = showing(authorization);
      const refused = { name: "ToolError", code: "unauthenticated", details: { error: "invalid_token" } };
      await rejects(() => client.whoami({}), refused, authorization);
      await rejects(() => client.$.list(), refused, authorization);
      const stream = client.write.stream({});
      await rejects(() => stream.result, refused, authorization);
    }
    deepStrictEqual(runs, []);
  },

  async "the scheme is spelled as one likes, and others are nobody's"({ showing }, wire) {
    if (wire.name === "memory") return;
    strictEqual((await showing("bEARER ada").whoami({})).id, "ada");
    strictEqual((await showing("Basic YTpi").whoami({})).id, null);
    strictEqual((await showing("BearerX ada").whoami({})).id, null);
  },

  async "scopes let in who has them all"({ as }) {
    strictEqual(await as("ada").read({}), TEXT);
    strictEqual(await as("bob").read({}), TEXT);
    strictEqual(await as("ada").write({}), "written");
  },

  async "who has not is refused before anything is run, called or streamed"({ as, runs }) {
    const denied = (required: readonly string[]) => ({
      name: "ToolError",
      code: "permission_denied",
      details: { required_scopes: required },
    });
    await rejects(() => as("eve").read({}), denied(["docs:read"]));
    await rejects(() => as("bob").write({}), denied(["docs:read", "docs:write"]));
    await rejects(() => as("bob").write.stream({}).result, denied(["docs:read", "docs:write"]));
    await rejects(() => as().read({}), { code: "unauthenticated", details: { required_scopes: ["docs:read"] } });
    await rejects(() => as().write.stream({}).result, { code: "unauthenticated" });
    deepStrictEqual(runs, []);
  },

  async "what needs scopes is listed"({ as }) {
    ok((await as().$.list()).some(({ name }) => name === "write"));
  },

  async "a promise is redeemed by whom it was given to alone"({ as }) {
    const { token } = await as("bob").report.start({});
    for (const other of ["ada", "eve", undefined]) {
      await rejects(() => as(other).$.redeem(token).result(), { code: "invalid_promise" });
      await rejects(() => as(other).$.redeem(token).cancel(), { code: "invalid_promise" });
    }
    strictEqual(await as("bob").$.redeem(token).result(), "report for bob");
  },

  async "who has lost a scope redeems nothing any more"({ as }) {
    const { token } = await as("ada").report.start({});
    const denied = { code: "permission_denied" };
    await rejects(() => as("adaWithLess").$.redeem(token).result(), denied);
    await rejects(() => as("adaWithLess").$.redeem(token).cancel(), denied);
    strictEqual(await as("ada").$.redeem(token).result(), "report for ada");
  },

  async "a tool that a caller may not know of is not there"({ as }) {
    const listed = async (name?: string) => (await as(name).$.list()).map((tool) => tool.name);
    deepStrictEqual(await listed("ada"), ["redeem", "cancel", "whoami", "read", "write", "report", "secret"]);
    deepStrictEqual(await listed("bob"), ["redeem", "cancel", "whoami", "read", "write", "report"]);
    deepStrictEqual(await listed(), ["redeem", "cancel", "whoami", "read", "write", "report"]);
    const missing = {
      code: "tool_not_found",
      message: 'Tool "secret" was not found; no similar tool: list the tools',
      details: {
        requested_tool: "secret",
        available_tools: ["redeem", "cancel", "whoami", "read", "write", "report"],
        suggestion: "No similar tool: list the tools",
      },
    };
    await rejects(() => as("bob").secret({}), missing);
    await rejects(() => as("bob").secret.start({}), missing);
    await rejects(() => as("ada").broken({}), { code: "tool_not_found" });
    strictEqual(await as("ada").secret({}), "shown");
  },
};

for (const wire of WIRES) {
  for (const [place, [name, scenario]] of Object.entries(SCENARIOS).entries()) {
    if (!isChosen(wire, place)) continue;
    test(`${wire.name}: ${name}`, { skip: skipOf(wire, ["callers who show who they are"]) }, async () => {
      const world = createWorld();
      const opened: { close(): Promise<void> }[] = [];
      const clients = new Map<string, Client<World["server"]>>();
      const open = (key: string, caller: Caller): Client<World["server"]> => {
        const known = clients.get(key);
        if (known !== undefined) return known;
        const opening = wire.open(world.server, caller);
        const transport: Transport = {
          call: async (call, sink) => await (await opening).transport.call(call, sink),
          list: async (limit) => await (await opening).transport.list(limit),
        };
        opened.push({ close: async () => await (await opening).close() });
        const client = createClient<World["server"]>(transport, { retry: { attempts: 1 } });
        clients.set(key, client);
        return client;
      };
      try {
        const as = (name?: string) => {
          const principal = PEOPLE[name ?? ""];
          if (name === undefined || principal === undefined) return open("nobody", {});
          return open(name, { principal, headers: { authorization: `Bearer ${name}` } });
        };
        await scenario({ ...world, as, showing: (text) => open(text, { headers: { authorization: text } }) }, wire);
      } finally {
        for (const { close } of opened) await close();
        await world.server.close(0);
      }
    });
  }
}

test("a promise of one wire belongs to its caller on all others, and to no other caller", async () => {
  const { server } = createWorld();
  const rows = WIRES.filter((wire) => skipOf(wire, ["callers who show who they are"]) === false);
  const opened = await Promise.all(rows.map(async (wire) => {
    const [ada, bob] = await Promise.all(["ada", "bob"].map(async (name) => {
      const principal = PEOPLE[name] as Principal;
      return await wire.open(server, { principal, headers: { authorization: `Bearer ${name}` } });
    }));
    if (ada === undefined || bob === undefined) throw new Error("not opened");
    const clients = [ada, bob].map(({ transport }) => createClient<typeof server>(transport));
    return { name: wire.name, clients, closeAll: async () => void await Promise.all([ada.close(), bob.close()]) };
  }));
  try {
    for (const { name, clients: [ada] } of opened) {
      const { token } = await (ada as Client<World["server"]>).report.start({});
      for (const { name: other, clients: [sameCaller, stranger] } of opened) {
        const how = `${name}, then ${other}`;
        await rejects(async () => await stranger?.$.redeem(token).result(), { code: "invalid_promise" }, how);
        strictEqual(await sameCaller?.$.redeem(token).result(), "report for ada", how);
      }
    }
  } finally {
    for (const { closeAll } of opened) await closeAll();
    await server.close(0);
  }
});
