// A Worker with jobs in Durable Objects, and an object that runs checks of the contract: `/check?at=<index>`.
import { createServer, defineTool } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { durableObjects, type ObjectNamespace, type ObjectState } from "../../../src/entries/engines/durable_object.ts";
import { DurableObjectEngine } from "../../../src/jobs/engines/durable_object/engine.ts";
import { answerCall, RemoteShard } from "../../../src/jobs/engines/durable_object/remote_shard.ts";
import { Shard } from "../../../src/jobs/engines/durable_object/shard.ts";
import { ErrorThrottle } from "../../../src/jobs/engines/store_errors.ts";
import { engineSuite } from "../../../src/entries/testing.ts";

interface Env {
  readonly JOBS: ObjectNamespace;
  readonly CHECKS: ObjectNamespace;
  readonly KEYS: string;
}

const LEASE_MS = 1_500;

/** An object that is opened as an engine twice: by direct calls, and by calls to itself as from a Worker. */
export class CheckObject {
  readonly #state: ObjectState;
  readonly #env: Env;
  readonly #shard: Shard;

  constructor(state: ObjectState, env: Env) {
    this.#state = state;
    this.#env = env;
    this.#shard = new Shard(state.storage, new ErrorThrottle("A run failed"));
    void state.blockConcurrencyWhile(() => this.#shard.open());
  }

  alarm({ retryCount = 0 }: { readonly retryCount?: number } = {}): Promise<void> {
    return this.#shard.alarm(retryCount);
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/check") return await answerCall(this.#shard, request);
    const check = engineSuite(() => {
      const engines: DurableObjectEngine[] = [];
      const open = (isRemote: boolean) => engines[engines.push(this.#openEngine(isRemote)) - 1]!;
      return Promise.resolve({
        engine: open(false),
        reopen: () => Promise.resolve(open(true)),
        close: () => Promise.resolve(engines.forEach((engine) => engine.close())),
      });
    }, { leaseMs: LEASE_MS })[Number(searchParams.get("at"))]!;
    const error = await check.run().then(() => null, (error: unknown) => String(error));
    return Response.json({ name: check.name, error });
  }

  #openEngine(isRemote: boolean): DurableObjectEngine {
    const send = (url: string, init: { method: string; body: string; signal: AbortSignal }) =>
      this.#env.CHECKS.get(this.#state.id as never).fetch(url, init);
    const shardAt = (_: number, signal: AbortSignal) => (isRemote ? new RemoteShard(send, signal) : this.#shard);
    return new DurableObjectEngine({ shards: 1, leaseMs: LEASE_MS, shardAt, own: this.#shard });
  }
}

/** Differs in each process. */
const processId: string[] = [];
const Work = v.object({ text: v.string() });

const work = defineTool("work").describe("Work for longer than its budget")
  .input(Work).promise({ budgetMs: 100, retries: 3 })
  .handle(async ({ text }, ctx) => {
    const first = await ctx.step("first", () => print(`did ${text}`));
    await new Promise((resolve) => setTimeout(resolve, 400));
    await ctx.step("second", () => print(`finished ${text}`));
    return `${first}, attempt ${ctx.attempt}`;
  });

const hang = defineTool("hang").describe("Hang in the first process")
  .input(Work).promise({ budgetMs: 100, retries: 3 })
  .handle(async ({ text }, ctx) => {
    const started = await ctx.step("first", () => print(`did ${text}`));
    await ctx.step("second", () => print(`hangs ${text}`));
    if (ctx.attempt === 1) await new Promise(() => {});
    return `${started}, attempt ${ctx.attempt}`;
  });

const nap = defineTool("nap").describe("Sleep")
  .input(v.object({ text: v.string(), ms: v.number() })).promise({ budgetMs: 100, retries: 0 })
  .handle(async ({ text, ms }, ctx) => {
    await ctx.step("before", () => print(`sleeps ${text}`));
    await ctx.sleep("nap", ms);
    await ctx.step("after", () => print(`woke ${text}`));
    return "rested";
  });

const approve = defineTool("approve").describe("Wait for a value").promise({ budgetMs: 100, retries: 0 })
  .handle(async (_, ctx) => {
    const { token } = await ctx.resolver("approval");
    await ctx.step("send", () => print(`token ${token}`));
    const reply = await ctx.waitFor("approval", v.string());
    return reply.action === "accept" ? reply.content : reply.action;
  });

const resolve = defineTool("resolve").describe("Resolve a wait").input(
  v.object({ token: v.string(), value: v.string() }),
)
  .handle(({ token, value }, ctx) => resolveWait(ctx.env as Env, token, value));

async function resolveWait(env: Env, token: string, value: string): Promise<boolean> {
  return (await jobs.server(env).resolve(token, value)).resolved;
}

const ask = defineTool("ask").describe("Ask the caller").promise({ budgetMs: 5_000 }).handle(async (_, ctx) => {
  const reply = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
  return reply.action === "accept" ? `Hello, ${reply.content.name}` : reply.action;
});

const write = defineTool("write").describe("Write for longer than the budget and the deadline").timeout(4_000)
  .promise({ budgetMs: 100, jobTimeoutMs: 30_000, retries: 0 })
  .handle(async function* () {
    for (const piece of ["a", "b", "c", "d", "e", "f"]) {
      yield piece;
      // Longer than the deadline all together, which leaves a busy machine the time to send the promise.
      await new Promise((resolve) => setTimeout(resolve, 900));
    }
  });

const large = defineTool("large").describe("A large result")
  .input(v.object({ chars: v.number() })).promise({ budgetMs: 5_000, retries: 0 })
  .handle(({ chars }) => "é😀".repeat(chars / 3));

const now = defineTool("now").describe("Answer in the Worker").handle(() => print("answered in the Worker"));

function print(line: string): string {
  if (processId.length === 0) processId.push(crypto.randomUUID());
  console.log(line);
  return processId[0]!;
}

const jobs = durableObjects({
  namespace: (env: Env) => env.JOBS,
  server: (engine, env) =>
    createServer({ tools: [work, hang, nap, approve, resolve, ask, write, large, now], keys: env.KEYS, engine }),
});

/** The objects of {@link jobs}. */
export class Jobs extends jobs.Shard {}

export type JobsServer = ReturnType<typeof jobs.server>;

export default {
  async fetch(request: Request, env: Env, context: unknown): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/checks") return Response.json(engineSuite(() => Promise.reject()).length);
    if (url.pathname !== "/check") return await jobs.server(env).fetch(request, env, context);
    const id = env.CHECKS.idFromName(url.search);
    return await env.CHECKS.get(id as never).fetch(request.url, { method: "POST" } as never) as unknown as Response;
  },
};
