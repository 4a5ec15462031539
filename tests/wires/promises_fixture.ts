import { createServer, defineCallerState, defineTool, type Server, type ServerOptions } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { wires } from "./matrix.ts";

/** Keys of every server in these tests: a token of one is good at the others. */
export const KEYS = "k1:a secret that all of these servers know";

/** What handlers did, for tests to look at. */
export interface PromiseJournal {
  readonly lines: string[];
  /** Handlers that wait do so until it is opened. */
  readonly gate: PromiseWithResolvers<void>;
}

const cart = defineCallerState("cart", v.array(v.string()));

/** A server whose tools promise, ask, take steps and keep context; each call has its own journal. */
export function createPromiseFixture(options: Partial<ServerOptions<never>> = {}) {
  const journal: PromiseJournal = { lines: [], gate: Promise.withResolvers<void>() };
  const note = (line: string) => void journal.lines.push(line);
  const number = v.object({ n: v.number() });

  const quick = defineTool("quick").describe("Answers within its budget").promise({ budgetMs: 20_000 })
    .input(number).output(v.number()).handle(async ({ n }) => {
      await Promise.resolve();
      return n * 2;
    });

  const slow = defineTool("slow").describe("Answers when the gate is opened").promise({ budgetMs: 30, retries: 0 })
    .input(number).output(v.number()).handle(async ({ n }, ctx) => {
      ctx.progress(1, 4, "loading");
      ctx.signal.addEventListener("abort", () => note("aborted"));
      await journal.gate.promise;
      ctx.progress(4, 4);
      return n * 2;
    });

  const slowPieces = defineTool("slow_pieces").describe("Streams, and waits in between").promise({ budgetMs: 30 })
    .partial(v.string()).handle(async function* () {
      yield "a";
      await journal.gate.promise;
      yield "b";
    });

  const slowNo = defineTool("slow_no").describe("Fails when the gate is opened").promise({ budgetMs: 30 })
    .errors({ sold_out: v.object({ left: v.number() }) }).handle(async (_, ctx) => {
      await journal.gate.promise;
      throw ctx.fail("sold_out", "Nothing is left", { left: 0 });
    });

  const approved = defineTool("approved").describe("Sleeps, and waits for an approval").promise({ ttlMs: 60_000_000 })
    .input(v.object({ pauseMs: v.number() })).output(v.string()).handle(async ({ pauseMs }, ctx) => {
      const { token } = await ctx.resolver("approval");
      await ctx.step("mail", () => note(token));
      await ctx.sleep("pause", pauseMs);
      const said = await ctx.waitFor("approval", v.object({ by: v.string() }));
      await ctx.step("done", () => note("done"));
      return said.action === "accept" ? said.content.by : said.action;
    });

  const slowAsk = defineTool("slow_ask").describe("Asks when the gate is opened").promise({ budgetMs: 30 })
    .output(v.string()).handle(async (_, ctx) => {
      await journal.gate.promise;
      const answer = await ctx.elicit("colour", { message: "Which colour?", schema: v.object({ colour: v.string() }) });
      return answer.action === "accept" ? answer.content.colour : answer.action;
    });

  const remote = defineTool("remote").describe("Works elsewhere").input(number).output(v.number()).external({
    start: ({ n }) => ({ n, due: 2 }),
    check({ n }, ctx) {
      note("checked");
      return journal.lines.length < 2 ? ctx.pending({ retryAfterMs: 10, progress: { done: 1, total: 2 } }) : n * 3;
    },
    cancel: () => note("cancelled elsewhere"),
  });

  const remoteAsk = defineTool("remote_ask").describe("Works elsewhere, and asks").output(v.string()).external({
    start: () => null,
    async check(_, ctx) {
      const { length } = journal.lines;
      if (length > 0) return journal.lines[0] ?? "";
      const answer = await ctx.elicit("colour", { message: "Which colour?", schema: v.object({ colour: v.string() }) });
      note(answer.action === "accept" ? answer.content.colour : answer.action);
      return ctx.pending({ retryAfterMs: 10 });
    },
  });

  const remove = defineTool("remove").describe("Asks before it removes").input(v.object({ id: v.string() }))
    .output(v.string()).handle(async ({ id }, ctx) => {
      note(`run ${ctx.callId}`);
      await ctx.step("reserve", () => note("reserved"));
      const answer = await ctx.elicit("confirm", {
        message: `Remove ${id}?`,
        schema: v.object({ confirmed: v.boolean() }),
      });
      if (answer.action !== "accept") return answer.action;
      await ctx.requestMore("credits", { amount: 5, reason: "Removing costs 5 credits" });
      note("removed");
      return answer.content.confirmed ? "removed" : "kept";
    });

  const both = defineTool("both").describe("Asks two things at once").output(v.string()).handle(async (_, ctx) => {
    const { name, credits } = await ctx.ask({
      name: { message: "Your name?", schema: v.object({ name: v.string() }) },
      credits: { more: "credits", amount: 1 },
    });
    return `${name.action === "accept" ? name.content.name : name.action} ${credits.action}`;
  });

  const tell = defineTool("tell").describe("Streams, asks, and goes on").partial(v.string())
    .handle(async function* (_, ctx) {
      yield "once ";
      yield "upon ";
      const answer = await ctx.elicit("when", { message: "When?", schema: v.object({ when: v.string() }) });
      yield answer.action === "accept" ? answer.content.when : "a time";
    });

  const put = defineTool("put").describe("Puts something into the caller's cart").input(v.object({ item: v.string() }))
    .output(v.array(v.string())).handle(({ item }, ctx) => {
      const items = [...(ctx.callerState.get(cart) ?? []), item];
      ctx.callerState.set(cart, items);
      return items;
    });

  const count = defineTool("count").describe("Counts its runs").input(number).output(v.number())
    .handle(async ({ n }) => {
      note("counted");
      await journal.gate.promise;
      return n + journal.lines.length;
    });

  const tools = [
    quick,
    slow,
    slowPieces,
    slowNo,
    approved,
    slowAsk,
    remote,
    remoteAsk,
    remove,
    both,
    tell,
    put,
    count,
  ] as const;
  const server = createServer({ keys: KEYS, wires, ...options, tools });
  return { server, journal };
}

/** The server's type, for typed clients. */
export type PromiseServer = ReturnType<typeof createPromiseFixture>["server"];

/** Any server. */
export type AnyServer = Server;
