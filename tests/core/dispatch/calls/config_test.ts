/** What the environment supplies beside the arguments: typed, checked, and nowhere to be read by others. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import {
  createClient,
  createServer,
  defineTool,
  memoryEngine,
  memoryTransport,
  type Middleware,
  type ServerOptions,
} from "../../../../mod.ts";
import { sealed } from "../../../../src/entries/keys/sealed.ts";
import type { Engine, Job } from "../../../../src/entries/engines.ts";

const SECRET = "sk-this-must-not-be-seen";
const SEALED = sealed("k1:a secret that all of these servers know");

const schema = v.object({
  apiKey: v.pipe(v.string(), v.startsWith("sk-")),
  units: v.optional(v.picklist(["metric", "imperial"]), "metric"),
});

const weather = defineTool("weather").describe("Tell the weather").config(schema)
  .handle((_, ctx) => `${ctx.config.units} ${ctx.config.apiKey.length}`);

test("a handler gets what its schema makes of the config, typed", async () => {
  const server = createServer({ tools: [weather] });
  const client = createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET, other: 1 } }));
  strictEqual(await client.weather(), `metric ${SECRET.length}`);
});

test("a tool that declares none gets none", async () => {
  const plain = defineTool("plain").describe("Look").handle((_, ctx) => {
    const none: undefined = ctx.config;
    return none === undefined;
  });
  const server = createServer({ tools: [plain], config: { apiKey: SECRET } });
  strictEqual(await createClient<typeof server>(memoryTransport(server)).plain(), true);
  strictEqual(await createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET } })).plain(), true);
});

test("where the wire brings none, the server's own counts; what it brings takes its place as a whole", async () => {
  const server = createServer({ tools: [weather], config: { apiKey: SECRET, units: "imperial" } });
  strictEqual(await createClient<typeof server>(memoryTransport(server)).weather(), `imperial ${SECRET.length}`);
  const own = createClient<typeof server>(memoryTransport(server, { config: { apiKey: "sk-1" } }));
  strictEqual(await own.weather(), "metric 4");
});

test("config that does not fit is refused by place and expectation; what was there is not told", async () => {
  const server = createServer({ tools: [weather] });
  const call = (config?: Record<string, unknown>) =>
    createClient<typeof server>(memoryTransport(server, config && { config })).weather().then(
      () => undefined,
      (error) => JSON.parse(JSON.stringify({ ...error, message: error.message })),
    );
  const missing = await call();
  strictEqual(missing.code, "invalid_config");
  match(missing.message, /^Invalid config at "apiKey": expected "apiKey"; the call brought none, and the server's own/);
  for (const config of [{ apiKey: `wrong ${SECRET}` }, { apiKey: "sk-1", units: SECRET }, { apiKey: { a: SECRET } }]) {
    const error = await call(config);
    strictEqual(error.code, "invalid_config");
    deepStrictEqual(Object.keys(error.details.issues[0]), ["path", "expected"]);
    ok(!JSON.stringify(error).includes(SECRET), JSON.stringify(error));
  }
});

test("a library whose sentences quote the value is not quoted", async () => {
  const talkative = {
    "~standard": {
      version: 1 as const,
      vendor: "talkative",
      validate: (value: unknown) => ({ issues: [{ message: `Wrong: ${JSON.stringify(value)}`, path: ["apiKey"] }] }),
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  };
  const tool = defineTool("t").describe("T").config(talkative).handle(() => 1);
  const server = createServer({ tools: [tool] });
  const client = createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET } }));
  await rejects(client.t(), (error: Error) => !JSON.stringify([error, error.message]).includes(SECRET));
});

test("neither the call nor the context shows config to what prints them whole", async () => {
  const printed: string[] = [];
  const print: Middleware = (ctx, next) => {
    printed.push(JSON.stringify(ctx.call), JSON.stringify(Object.keys(ctx)), String(ctx.call.config));
    return next();
  };
  const logged: unknown[] = [];
  const broken = defineTool("broken").describe("Break").config(schema).handle((_, ctx) => {
    printed.push(JSON.stringify(Object.entries(ctx).filter(([name]) => name !== "host")));
    throw new Error("broken");
  });
  const server = createServer({
    tools: [broken],
    middleware: [print],
    logger: { ...console, error: (...line: unknown[]) => void logged.push(line) },
  });
  await rejects(createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET } })).broken());
  strictEqual(printed.length, 4);
  strictEqual(logged.length, 1);
  ok(!JSON.stringify([printed, logged]).includes(SECRET));
});

/** An engine whose jobs others know, too; what it writes down is kept for the test to look at. */
function watched(instance: string | undefined): { readonly engine: Engine; readonly written: string[] } {
  const written: string[] = [];
  const inner = memoryEngine();
  const write = (job: Job) => void written.push(JSON.stringify(job));
  const engine: Engine = {
    ...inner,
    processId: instance,
    insert: (job, dueInMs) => (write(job), inner.insert(job, dueInMs)),
    replace: (job, version) => (write(job), inner.replace(job, version)),
  };
  return { engine, written };
}

function deferring(options: Partial<ServerOptions<never>>) {
  const gate = Promise.withResolvers<void>();
  const slow = defineTool("slow").describe("Wait").config(schema).promise({ budgetMs: 10 }).handle(async (_, ctx) => {
    await gate.promise;
    return ctx.config.apiKey.length;
  });
  const asking = defineTool("asking").describe("Wait, then ask").config(schema).promise({ budgetMs: 10 })
    .handle(async (_, ctx) => {
      await gate.promise;
      await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
      return ctx.config.apiKey.length;
    });
  return { gate, server: createServer({ ...options, tools: [slow, asking] }) };
}

for (const [name, instance, keys] of [["sealed keys", undefined, SEALED], ["one process", "me", undefined]] as const) {
  test(`deferred work has its config, and nobody can read it in the job: ${name}`, async () => {
    const { engine, written } = watched(instance);
    const { gate, server } = deferring({ engine, ...(keys && { keys }), logger: { ...console, warn: () => {} } });
    const client = createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET } }), {
      onElicitation: () => ({ action: "accept", content: {} }),
    });
    const kept = await client.slow.outcome();
    const queued = await client.slow.start();
    const later = await client.asking.outcome();
    ok(kept.kind === "promise" && later.kind === "promise");
    gate.resolve();
    const others = createClient(memoryTransport(server), { onElicitation: () => ({ action: "accept", content: {} }) });
    for (const token of [kept.token, queued.token, later.token]) {
      strictEqual(await others.$.redeem(token).result(), SECRET.length);
      ok(!atob(token.slice(5).replaceAll("-", "+").replaceAll("_", "/")).includes(SECRET));
    }
    ok(written.some((job) => job.includes('"config"')));
    ok(written.every((job) => !job.includes(SECRET)));
    const [last] = written.filter((job) => job.includes('"done"'));
    ok(last !== undefined && !last.includes('"config"'), "an ended job keeps no config");
    await server.close(0);
  });
}

test("a job whose config cannot be read any more ends in a failure that says so", async () => {
  const engine = memoryEngine();
  const { gate, server } = deferring({ engine, keys: SEALED, work: false });
  const client = createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET } }));
  const job = await client.slow.start();
  gate.resolve();
  // A server with the same token keys for promises, whose ring reads no config.
  const keys = {
    ...SEALED,
    verify: ((kind, ...rest) => kind === "config" ? "invalid" : SEALED.verify(kind, ...rest)) as typeof SEALED.verify,
  };
  const other = deferring({ engine, keys });
  other.gate.resolve();
  other.server.work();
  await rejects(createClient(memoryTransport(other.server)).$.redeem(job.token).result(), { code: "config_lost" });
  await other.server.close(0);
});

test("config that is too long to be kept is refused", async () => {
  const { engine } = watched(undefined);
  const { server } = deferring({ engine, keys: SEALED });
  const client = createClient<typeof server>(
    memoryTransport(server, { config: { apiKey: `sk-${"x".repeat(40_000)}` } }),
  );
  await rejects(client.slow.start(), { code: "payload_too_large" });
  await server.close(0);
});

test("a wrong config is refused before anything is promised", async () => {
  const { server } = deferring({});
  const client = createClient<typeof server>(memoryTransport(server, { config: {} }));
  await rejects(client.slow.start(), { code: "invalid_config" });
  await server.close(0);
});

test("external work gets the config of each call: its token has no config", async () => {
  const remote = defineTool("remote").describe("Elsewhere").config(schema).external({
    start: (_, ctx) => ({ job: ctx.config.units }),
    check: ({ job }, ctx) => `${job} ${ctx.config.apiKey.length}`,
  });
  const server = createServer({ tools: [remote], keys: "k1:a secret that all of these servers know" });
  const client = createClient<typeof server>(memoryTransport(server, { config: { apiKey: SECRET } }));
  const work = await client.remote.start();
  ok(!atob(work.token.slice(5).replaceAll("-", "+").replaceAll("_", "/")).includes(SECRET));
  strictEqual(await work.result(), `metric ${SECRET.length}`);
  await rejects(createClient(memoryTransport(server)).$.redeem(work.token).result(), { code: "invalid_config" });
});

test("createServer() wants sealed keys where config would be written down", () => {
  const { engine } = watched(undefined);
  throws(() => createServer({ tools: [weather], engine }), /keys that encrypt.*sealed/);
  throws(
    () => createServer({ tools: [weather], engine, keys: "k1:a secret that all of these servers know" }),
    /weather/,
  );
  createServer({ tools: [weather], engine, keys: SEALED });
});
