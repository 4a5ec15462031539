/** A server as a part of another: what it keeps, what it is called, what is refused. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import {
  createServer,
  defineCallerState,
  defineTool,
  Failure,
  memoryEngine,
  type Middleware,
  type Server,
  ToolError,
} from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { group, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";
import type { Equal } from "../../types/equal.ts";
import * as jobModule from "../../../src/jobs/promises/job_service.ts";
import { provideJobModule } from "../../../src/jobs/promises/with_promises.ts";

// Limits of milliseconds leave no time to load it.
provideJobModule(jobModule);

const KEYS = "k1:a secret that all of these servers know";

const say = <const Name extends string>(name: Name) => defineTool(name).describe(`Says ${name}`).handle(() => name);

function noting(lines: string[], name: string): Middleware {
  return async (ctx, next) => {
    lines.push(`${name} ${ctx.tool.name}`);
    const settled = await next();
    lines.push(`${name} ${settled.kind}`);
    return settled;
  };
}

test("group() puts a prefix before names, for callers and for their types", async () => {
  const git = createServer({ tools: [say("log"), say("clone")] });
  const db = createServer({
    tools: [defineTool("query").describe("Query").input(v.object({ sql: v.string() })).handle(({ sql }) => sql.length)],
  });
  const app = createServer({
    tools: [say("status")],
    parts: [group("git", git), group("db", db, { separator: "." }), mount(createServer({ tools: [say("plain")] }))],
  });
  const client = testClient(app);
  deepStrictEqual((await client.$.list()).map(({ name }) => name), [
    "status",
    "git_log",
    "git_clone",
    "db.query",
    "plain",
  ]);
  strictEqual(await client.git_log(), "log");
  strictEqual(await client["db.query"]({ sql: "ab" }), 2);
  strictEqual(await client.plain(), "plain");
  const isTyped: Equal<Parameters<typeof client["db.query"]>[0], { sql: string }> = true;
  ok(isTyped);
  // @ts-expect-error There is no such tool.
  await rejects(() => client.log(), { code: "tool_not_found" });
});

test("groups nest, each with its own middleware around what is within", async () => {
  const lines: string[] = [];
  const leaf = createServer({
    tools: [defineTool("leaf").describe("Leaf").use(noting(lines, "tool")).handle(() => 1)],
    middleware: [noting(lines, "leaf")],
  });
  const branch = createServer({ tools: [], parts: [group("b", leaf)], middleware: [noting(lines, "branch")] });
  const tree = createServer({
    tools: [say("other")],
    parts: [group("t", branch)],
    middleware: [noting(lines, "tree")],
  });
  const client = testClient(tree);
  strictEqual(await client.t_b_leaf(), 1);
  const around = ["tree", "branch", "leaf", "tool"];
  deepStrictEqual(lines, [
    ...around.map((name) => `${name} t_b_leaf`),
    ...around.reverse().map((name) => `${name} answer`),
  ]);
  lines.length = 0;
  await client.other();
  deepStrictEqual(lines, ["tree other", "tree answer"]);
});

test("state that a part's middleware sets is there for its tools", async () => {
  const part = createServer({
    tools: [defineTool("who").describe("Who").handle((_, ctx) => String(ctx.state["user"]))],
    middleware: [(ctx, next) => {
      ctx.state["user"] = `${ctx.state["realm"]}/ada`;
      return next();
    }],
  });
  const app = createServer({
    tools: [],
    parts: [group("p", part)],
    middleware: [(ctx, next) => {
      ctx.state["realm"] = "home";
      return next();
    }],
  });
  strictEqual(await testClient(app).p_who(), "home/ada");
});

test("a part keeps its errors, its config, its time and its limits", async () => {
  class Lost extends Error {}
  class Other extends Error {}
  const part = createServer({
    tools: [
      defineTool("lose").describe("Lose").handle((): string => {
        throw new Lost();
      }),
      defineTool("break").describe("Break").handle((): string => {
        throw new Other();
      }),
      defineTool("unit").describe("Unit").config(v.object({ unit: v.string() })).handle((_, ctx) => ctx.config.unit),
      defineTool("hang").describe("Hang").handle(() => new Promise<string>(() => {})),
      defineTool("echo").describe("Echo").handle((input) => input),
      // It has more time than the part gives: a slow machine promises it, too.
      defineTool("long").describe("Long").timeout(60_000).promise({ budgetMs: 1 }).handle(async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return "x".repeat(200);
      }),
    ],
    onError: (error) => error instanceof Lost ? new Failure("lost", "It is lost") : undefined,
    config: { unit: "part" },
    timeoutMs: 20,
    limits: { bodyBytes: 64, depth: 4, resultChars: 100 },
  });
  const unit = defineTool("unit").describe("Unit").config(v.object({ unit: v.string() })).handle((_, ctx) =>
    ctx.config.unit
  );
  const app = createServer({
    tools: [unit],
    parts: [group("p", part)],
    onError: (error) => new ToolError("conflict", error instanceof Other ? "Other" : "Unknown"),
    config: { unit: "whole" },
    keys: KEYS,
  });
  const client = testClient(app);
  await rejects(client.p_lose(), { name: "Failure", code: "lost" });
  await rejects(client.p_break(), { code: "conflict", message: "Other" });
  strictEqual(await client.p_unit(), "part");
  strictEqual(await client.unit(), "whole");
  await rejects(client.p_hang(), { code: "deadline_exceeded" });
  await rejects(client.p_echo({ text: "x".repeat(100) }), { code: "payload_too_large" });
  await rejects(client.p_echo({ a: [[[[[[1]]]]]] }), { code: "invalid_request" });
  deepStrictEqual(await client.p_echo({ a: [1] }), { a: [1] });
  await rejects(client.p_long(), { code: "result_too_large" });
  await app.close(0);
});

test("scopes and visibility stay with the tools of a part, prompts and lists included", async () => {
  const part = createServer({
    tools: [
      defineTool("admin").describe("Admin").visibleTo((principal) => principal?.id === "root").handle(() => 1),
      defineTool("write").describe("Write").scopes("docs:write").handle(() => 2),
    ],
  });
  const app = createServer({ tools: [], parts: [group("p", part)] });
  const [root, eve] = ["root", "eve"].map((id) =>
    testClient(app, { principal: { id, scopes: id === "root" ? ["docs:write"] : [] } })
  );
  deepStrictEqual((await root!.$.list()).map(({ name }) => name), ["p_admin", "p_write"]);
  deepStrictEqual((await eve!.$.list()).map(({ name }) => name), ["p_write"]);
  strictEqual(await root!.p_write(), 2);
  await rejects(eve!.p_write(), { code: "permission_denied" });
  await rejects(eve!.p_admin(), { code: "tool_not_found" });
});

test("a part with auth is refused by a server without it", () => {
  const auth = bearer(() => ({ id: "ada" }));
  const part = createServer({ tools: [say("secret")], auth });
  throws(() => createServer({ tools: [], parts: [group("p", part)] }), /group "p" has auth, which does not hold here/);
  const inner = createServer({ tools: [], parts: [mount(part)], auth });
  throws(() => createServer({ tools: [], parts: [mount(inner)] }), TypeError);
  createServer({ tools: [], parts: [mount(inner)], auth });
});

test("what does not go together is refused, with both places", () => {
  const git = createServer({ name: "git", tools: [say("log")] });
  const twice = (parts: NonNullable<Parameters<typeof createServer>[0]["parts"]>) =>
    createServer({ tools: [say("log")], parts });
  throws(() => twice([mount(git)]), /two tools are called "log", of the server itself and of server "git"/);
  throws(
    () => twice([group("a", git), group("a", git)]),
    /two tools are called "a_log", of group "a" and of group "a"/,
  );
  throws(
    () => twice([group("a_b", git), group("a", createServer({ tools: [], parts: [group("b", git)] }))]),
    /"a_b_log", of group "a_b" and of group "b" of group "a"/,
  );
  throws(() => group("no/slash", git), /a prefix is of the characters .*, not "no\/slash"$/);
  throws(() => group(git as never, "g" as never), {
    message: 'Cannot group: a prefix is of the characters A-Z a-z 0-9 _ . -, as in group("git", server), not object',
  });
  throws(() => group("x", git, { separator: "/" as "_" }), TypeError);
  throws(() => twice([group("x".repeat(63), git)]), /longer than 64 characters; choose a shorter prefix/);
  throws(() => group("x", {} as Server), /pass a server of createServer/);
  throws(
    () => createServer({ tools: [], parts: [group("x", git), git as unknown as ReturnType<typeof mount>] }),
    /parts must be an array of what mount\(server\) gives/,
  );
});

test("middleware of a part is around the redemption of its promises; runs of jobs see its job middleware alone", async () => {
  const lines: string[] = [];
  const gate = Promise.withResolvers<void>();
  const slow = defineTool("slow").describe("Slow").promise({ budgetMs: 1 }).handle(async () => {
    await gate.promise;
    return "done";
  });
  const part = createServer({
    tools: [slow],
    middleware: [noting(lines, "part")],
    jobMiddleware: [noting(lines, "job")],
  });
  const other = createServer({ tools: [say("other")], middleware: [noting(lines, "other")] });
  const app = createServer({
    tools: [],
    parts: [group("p", part), group("o", other)],
    middleware: [noting(lines, "app")],
    keys: KEYS,
  });
  const client = testClient(app);
  const work = await client.p_slow.start();
  gate.resolve();
  strictEqual(await work.result(), "done");
  ok(lines.includes("job p_slow") && lines.includes("part redeem") && lines.includes("app redeem"));
  ok(!lines.some((line) => line.startsWith("other")));
  ok(lines.indexOf("app redeem") < lines.indexOf("part redeem"));
  await app.close(0);
});

test("a part's guard holds for its promises, too: who may no longer call may no longer redeem", async () => {
  let isOpen = true;
  const part = createServer({
    tools: [
      defineTool("slow").describe("Slow").promise().handle(() =>
        new Promise((resolve) => setTimeout(resolve, 5, "late"))
      ),
    ],
    middleware: [(_, next) => isOpen ? next() : { kind: "error", code: "permission_denied", message: "Not any more" }],
  });
  const app = createServer({ tools: [], parts: [group("p", part)], keys: KEYS });
  const work = await testClient(app).p_slow.start();
  isOpen = false;
  await rejects(work.result(), { code: "permission_denied" });
  await rejects(work.cancel(), { code: "permission_denied" });
  isOpen = true;
  strictEqual(await work.result(), "late");
  await app.close(0);
});

test("promises of a part, alone or in a whole, are redeemed at every replica of wholes that it is in", async () => {
  const engine = memoryEngine();
  const gate = Promise.withResolvers<void>();
  const slow = () =>
    defineTool("slow").describe("Slow").promise({ budgetMs: 1 }).handle(async () => {
      await gate.promise;
      return "done";
    });
  const shared = { keys: KEYS, engine: { ...engine, close: () => Promise.resolve() } as typeof engine };
  const alone = createServer({ tools: [slow()], ...shared });
  const replica = () => createServer({ tools: [], parts: [group("p", createServer({ tools: [slow()] }))], ...shared });
  const [one, two] = [replica(), replica()];
  const fromWhole = await testClient(one).p_slow.start();
  const fromPart = await testClient(alone).slow.start();
  gate.resolve();
  strictEqual(await testClient(two).$.redeem(fromWhole.token).result(), "done");
  strictEqual(await testClient(two).$.redeem(fromPart.token).result(), "done");
  // Where two parts have a tool of that name, its owner is ambiguous.
  const double = createServer({
    tools: [],
    parts: ["a", "b"].map((prefix) => group(prefix, createServer({ tools: [slow()] }))),
    ...shared,
  });
  await rejects(testClient(double).$.redeem(fromPart.token).result(), { code: "invalid_promise" });
  for (const server of [alone, one, two, double]) await server.close(0);
  await engine.close();
});

test("a prefix is a namespace: idempotency keys and contexts of groups are apart, revisions stay with their tools", async () => {
  const cart = defineCallerState("cart", v.array(v.string()));
  let runs = 0;
  const make = (revision: string) =>
    createServer({
      tools: [
        defineTool("count").describe("Count").revision(revision).handle(async () => {
          await Promise.resolve();
          return ++runs;
        }),
        defineTool("put").describe("Put").input(v.object({ item: v.string() })).handle(({ item }, ctx) => {
          const items = [...ctx.callerState.get(cart) ?? [], item];
          ctx.callerState.set(cart, items);
          return items;
        }),
      ],
    });
  // A name that looks like a path leads nowhere.
  const lookalike = defineCallerState("a/cart", v.unknown());
  const look = defineTool("look").describe("Look").handle((_, ctx) => ctx.callerState.get(lookalike) ?? "nothing");
  const app = createServer({ tools: [look], parts: [group("a", make("1")), group("b", make("2"))], keys: KEYS });
  const client = testClient(app);
  const key = { idempotencyKey: "k" };
  deepStrictEqual([await client.a_count({}, key), await client.b_count({}, key), await client.a_count({}, key)], [
    1,
    2,
    1,
  ]);
  await client.a_put({ item: "tea" });
  deepStrictEqual(await client.look(), "nothing");
  deepStrictEqual(await client.b_put({ item: "nail" }), ["nail"]);
  deepStrictEqual(await client.a_put({ item: "milk" }), ["tea", "milk"]);
  // Mounted without a prefix, a key is one of the whole's: another call under it is refused.
  const flat = testClient(createServer({ tools: [say("own")], parts: [mount(make("1"))], keys: KEYS }));
  await flat.count({}, key);
  await rejects(flat.own({}, key), { code: "conflict" });
  await app.close(0);
});

test("closing the whole leaves its parts as they are", async () => {
  const part = createServer({ tools: [say("ping")] });
  const app = createServer({ tools: [], parts: [mount(part)] });
  await app.close(0);
  await rejects(testClient(app, { retry: { attempts: 0 } }).ping(), { code: "unavailable" });
  strictEqual(await testClient(part).ping(), "ping");
});

test("an onError that throws hides none of those around it", async () => {
  const lines: unknown[] = [];
  const keep = (_: string, fields?: { readonly error?: unknown }) => void lines.push(fields?.error);
  const breaking = (what: string) => () => {
    throw new Error(what);
  };
  const broken = new TypeError("of the handler");
  const lose = defineTool("lose").describe("Lose").handle(() => {
    throw broken;
  });
  const inner = createServer({ tools: [lose], onError: breaking("inner") });
  const outer = createServer({ tools: [], parts: [mount(inner)], onError: breaking("outer") });
  const app = createServer({
    tools: [],
    parts: [group("g", outer)],
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    onError: (error) => error === broken ? new ToolError("conflict", "The whole says so") : undefined,
  });
  await rejects(testClient(app).g_lose(), { code: "conflict", message: "The whole says so" });
  deepStrictEqual(lines.map(String), ["Error: inner", "Error: outer"]);
});
