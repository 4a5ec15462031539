/** Handles of answers within a budget, through gateways: for their caller only, at any name and at any replica. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { budget } from "../../../src/entries/answers.ts";
import { gateway, group, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";

const ROWS = Array.from({ length: 900 }, (_, id) => `Row ${id}`);
const QUIET = { logger: false, keys: "k1:a secret that all replicas of this server know" } as const;

const listRows = (name: string) =>
  defineTool(name).describe("List rows").annotate({ readOnlyHint: true }).answer(budget({ maxTokens: 1_000 }))
    .handle(() => ROWS);

/** A server with rows, seen through a transport that has one principal. */
const remoteRows = () => memoryTransport(createServer({ tools: [listRows("list")], ...QUIET }));

interface Page {
  readonly items: readonly string[];
  readonly more?: string;
}

async function createGateway() {
  const part = mount(await gateway("far", remoteRows()));
  return createServer({ tools: [], parts: [part], ...QUIET });
}

test("a handle of another caller of the gateway is refused, and so is the remote server's own", async () => {
  const server = await createGateway();
  const [ada, bob] = ["ada", "bob"].map((id) => testClient(server, { principal: { id } }));
  const { items, more } = await ada?.$.call("list") as Page;
  await rejects(async () => await bob?.$.call("more", { handle: more }), { code: "invalid_continuation" });
  const next = await testClient(await createGateway(), { principal: { id: "ada" } }).$.call("more", { handle: more });
  strictEqual((next as Page).items[0], ROWS[items.length]);
  const remote = createServer({ tools: [listRows("list")], ...QUIET });
  const { more: foreign } = await testClient(remote).$.call("list") as Page;
  await rejects(async () => await ada?.$.call("more", { handle: foreign }), { code: "invalid_continuation" });
});

test("handles are followed in groups, of several gateways, and beside the server's own", async () => {
  const [one, two] = [await gateway("one", remoteRows()), await gateway("two", remoteRows())];
  const server = createServer({ tools: [listRows("own")], parts: [group("one", one), group("two", two)], ...QUIET });
  deepStrictEqual(server.tools.map(({ name }) => name), ["own", "one_list", "two_list", "more"]);
  const client = testClient(server);
  for (const name of ["own", "one_list", "two_list"]) {
    const rows: string[] = [];
    let page = await client.$.call(name) as Page;
    for (; page.more !== undefined; page = await client.$.call("more", { handle: page.more }) as Page) {
      rows.push(...page.items);
    }
    deepStrictEqual([...rows, ...page.items], ROWS);
  }
});

test("a tool `more` of another server is a tool as any other", async () => {
  const more = defineTool("more").describe("Give more").handle(() => ({ items: [1], more: "more_of_it" }));
  const far = await gateway("far", memoryTransport(createServer({ tools: [more], ...QUIET })));
  const client = testClient(createServer({ tools: [], parts: [mount(far)], ...QUIET }));
  deepStrictEqual(await client.$.call("more"), { items: [1], more: "more_of_it" });
});

test("middleware of the gateway runs for each page, with the arguments of the call", async () => {
  const seen: unknown[] = [];
  const server = createServer({
    tools: [],
    parts: [mount(await gateway("far", remoteRows()))],
    ...QUIET,
    middleware: [(ctx, next) => {
      seen.push([ctx.tool.name, ctx.call.args]);
      return next();
    }],
  });
  const client = testClient(server);
  const { more } = await client.$.call("list", { from: 1 }) as Page;
  await client.$.call("more", { handle: more });
  deepStrictEqual(seen.filter((one) => (one as string[])[0] === "list"), [["list", { from: 1 }], ["list", {
    from: 1,
  }]]);
});
