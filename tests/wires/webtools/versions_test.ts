/** Versions of one webtool, side by side: each with its tools, its config, its promises. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool, mcpLite, memoryEngine, memoryTransport } from "../../../mod.ts";
import { webtools, webtoolsTransport } from "../../../src/entries/webtools.ts";

const KEYS = "k1:a secret that all of these servers know";

function fetchOf(server: { fetch(request: Request): Promise<Response> }) {
  return (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
}

for (
  const [own, others, latest] of [
    ["1.0.0", ["0.9.0", "1.0.0-rc.1"], "1.0.0"],
    ["1.9.0", ["1.10.0", "1.2.0"], "1.10.0"],
    ["2.0.0", ["3.0.0-beta", "10.0.0-alpha.1"], "2.0.0"],
    ["2.0.0-alpha", ["2.0.0-alpha.1", "2.0.0-alpha.beta"], "2.0.0-alpha.beta"],
    ["1.0.0-rc.2", ["1.0.0-rc.10", "1.0.0-rc.9"], "1.0.0-rc.10"],
    ["1.0.0", ["1.0.1+build.5"], "1.0.1+build.5"],
  ] as const
) {
  test(`the latest of ${[own, ...others].join(", ")} is ${latest}`, async () => {
    const tools = [defineTool("t").describe("T").handle(() => 1)];
    const versions = others.map((version) => ({ version, tools }));
    const server = createServer({ tools, wires: [webtools({ name: "w", description: "W", version: own, versions })] });
    const { version } = await (await server.fetch(new Request("http://h/webtools/w"))).json();
    strictEqual(version, latest);
    for (const one of [own, ...others]) {
      const response = await server.fetch(new Request(`http://h/webtools/w/${encodeURIComponent(one)}`));
      strictEqual((await response.json()).version, one);
    }
  });
}

/** A server whose old version has a tool that waits, asks and promises; another of the same engine and keys is a replica. */
function createReplica(engine = memoryEngine(), gate = Promise.withResolvers<void>()) {
  const old = [
    defineTool("work").describe("Waits, then asks").promise({ budgetMs: 10 }).output(v.string())
      .handle(async (_, ctx) => {
        await gate.promise;
        const answer = await ctx.elicit("colour", { message: "Which?", schema: v.object({ colour: v.string() }) });
        return answer.action === "accept" ? `old ${answer.content.colour}` : "old";
      }),
    defineTool("remote").describe("Elsewhere").external({ start: () => ({ n: 7 }), check: ({ n }) => `old ${n}` }),
    defineTool("only_old").describe("Was dropped").handle(() => "still here"),
  ] as const;
  const tools = [
    defineTool("work").describe("Is fast now").promise({ budgetMs: 10_000 }).handle(async () =>
      await Promise.resolve("new")
    ),
  ] as const;
  const wire = webtools({
    name: "w",
    description: "W",
    version: "2.0.0",
    versions: [{ version: "1.0.0", tools: old }],
  });
  const server = createServer({ tools, wires: [mcpLite(), wire], keys: KEYS, engine });
  const client = (version?: string) =>
    createClient<{ readonly "~tools"?: typeof old }>(
      webtoolsTransport("http://h/webtools/w", { fetch: fetchOf(server), ...(version !== undefined && { version }) }),
      { onElicitation: () => ({ action: "accept", content: { colour: "red" } }) },
    );
  return { server, client, engine, gate };
}

test("each version has its own tools, also of one name", async () => {
  const { client, server, gate } = createReplica();
  gate.resolve();
  strictEqual(await client("1.0.0").only_old(), "still here");
  await rejects(client().only_old(), { code: "tool_not_found" });
  strictEqual(await client("1.0.0").work(), "old red");
  strictEqual(await client().work(), "new");
  await server.close(0);
});

test("what an old version promised is redeemed there, on another wire, and by a replica", async () => {
  const { client, server, engine, gate } = createReplica();
  const replica = createReplica(engine, gate);
  const work = await client("1.0.0").work.start();
  const remote = await client("1.0.0").remote.start();
  gate.resolve();
  strictEqual(await replica.client("1.0.0").$.redeem(work.token).result(), "old red");
  strictEqual(await createClient(memoryTransport(server)).$.redeem(work.token).result(), "old red");
  strictEqual(await replica.client().$.redeem(remote.token).result(), "old 7");
  await server.close(0);
});

test("an old version's tools are no tools of other wires", async () => {
  const { server } = createReplica();
  const client = createClient(memoryTransport(server));
  for (const name of ["only_old", "only_old@w/1.0.0", "remote"]) {
    await rejects(client.$.call(name), { code: "tool_not_found" });
  }
  deepStrictEqual((await client.$.list()).map(({ name }) => name), ["redeem", "cancel", "work"]);
  await server.close(0);
});

test("a continuation of one version is refused by another", async () => {
  const ask = (version: string) =>
    defineTool("t").describe("Asks").handle(async (_, ctx) => {
      await ctx.elicit("q", { message: "?", schema: v.object({}) });
      return version;
    });
  const versions = [{ version: "1.0.0", tools: [ask("old")] }];
  const wire = webtools({ name: "w", description: "W", version: "2.0.0", versions });
  const server = createServer({ tools: [ask("new")], wires: [wire], keys: KEYS });
  const client = (version: string) =>
    createClient(webtoolsTransport("http://h/webtools/w", { fetch: fetchOf(server), version }));
  const outcome = await client("1.0.0").$.outcome("t");
  ok(outcome.kind === "elicitation");
  const meta = { continuation: outcome.continuation, responses: { q: { action: "accept", content: {} } } };
  strictEqual(await client("1.0.0").$.call("t", {}, { meta }), "old");
  await rejects(client("2.0.0").$.call("t", {}, { meta }), { code: "invalid_continuation" });
});

test("a tool that has not changed is the same tool in both versions", async () => {
  const same = defineTool("same").describe("Promises").external({ start: () => 1, check: () => "done" });
  const versions = [{ version: "1.0.0", tools: [same] }];
  const wires = [webtools({ name: "w", description: "W", version: "2.0.0", versions })];
  const server = createServer({ tools: [same], wires, keys: KEYS });
  const client = createClient(webtoolsTransport("http://h/webtools/w", { fetch: fetchOf(server), version: "1.0.0" }));
  strictEqual(
    await createClient(memoryTransport(server)).$.redeem((await client.$.start("same")).token).result(),
    "done",
  );
});

test("tools of a version are held to what the server's are", () => {
  const tool = defineTool("t").describe("T").handle(() => 1);
  const serverOf = (tools: readonly (typeof tool)[]) => () =>
    createServer({
      tools: [],
      wires: [webtools({ name: "w", description: "W", version: "2.0.0", versions: [{ version: "1.0.0", tools }] })],
    });
  throws(serverOf([tool, tool]), /two tools are called "t"/);
  throws(
    serverOf([defineTool("redeem").describe("R").handle(() => 1) as unknown as typeof tool]),
    /"redeem" is reserved/,
  );
  throws(serverOf([defineTool("t") as unknown as typeof tool]), /not finished/);
});
