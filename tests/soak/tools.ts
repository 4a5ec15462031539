/**
 * The tools of the soak. What each of them has to answer is known to its caller; what is random in an answer is there to
 * show whether two answers are of the same run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, defineCallerState, defineTool } from "../../mod.ts";
import type { Engine } from "../../src/entries/engines.ts";
import type { TokenKeys } from "../../src/entries/keys.ts";
import { webhook } from "../../src/entries/webhooks.ts";
import { resolver } from "../../src/entries/waits.ts";
import { mcpLite } from "../../src/wires/mcp_lite/server/mcp_lite.ts";
import * as v from "../../src/entries/schema.ts";

/** A job may be killed again and again, and is to end all the same. */
const RETRIES = 1_000;

/** How long a job works between two words of its progress, in milliseconds. */
const PART_MS = 250;

const number = v.pipe(v.number(), v.integer());
const idempotent = { idempotentHint: true };
const list = defineCallerState("list", v.array(v.string()));

const add = defineTool("add").describe("Add two numbers").annotate({ readOnlyHint: true })
  .input(v.object({ a: number, b: number })).output(number).handle(({ a, b }) => a + b);

/** Not marked as safe to repeat: its callers have to decide that themselves. */
const shout = defineTool("shout").describe("Say it loud").input(v.object({ text: v.string(), ms: number }))
  .output(v.string()).handle(async ({ text, ms }) => {
    await sleep(ms);
    return text.toUpperCase();
  });

const spell = defineTool("spell").describe("Spell a word").annotate(idempotent).input(v.object({ word: v.string() }))
  .partial(v.string()).handle(async function* ({ word }) {
    for (const letter of word) {
      yield letter;
      await sleep(5);
    }
  });

const receipt = v.object({ amount: number, receipt: v.string() });

const pay = defineTool("pay").describe("Pay an amount").input(v.object({ amount: number, ms: number })).output(receipt)
  .handle(async ({ amount, ms }) => {
    await sleep(ms);
    return { amount, receipt: crypto.randomUUID() };
  });

const confirm = defineTool("confirm").describe("Ask twice, and keep a step").annotate(idempotent)
  .input(v.object({ id: v.string() })).output(v.object({ id: v.string(), by: v.string(), steps: v.array(v.string()) }))
  .handle(async ({ id }, ctx) => {
    const first = await ctx.step("first", () => `reserved ${id}`);
    const answer = await ctx.elicit("name", {
      message: `Who wants ${id}?`,
      schema: v.object({ name: v.string() }),
    });
    const second = await ctx.step("second", () => `checked ${id}`);
    await ctx.requestMore("credits", { amount: 1 });
    return { id, by: answer.action === "accept" ? answer.content.name : answer.action, steps: [first, second] };
  });

const remember = defineTool("remember").describe("Add to the caller's list").annotate(idempotent)
  .input(v.object({ item: v.string() })).output(v.array(v.string())).handle(({ item }, ctx) => {
    const items = [...(ctx.callerState.get(list) ?? []), item];
    ctx.callerState.set(list, items);
    return items;
  });

async function labour(ms: number, ctx: { readonly signal: AbortSignal; progress(done: number, total: number): void }) {
  for (let done = 0; done < ms; done += PART_MS) {
    ctx.progress(done, ms);
    await sleep(Math.min(PART_MS, ms - done), undefined, { signal: ctx.signal });
  }
}

const render = defineTool("render").describe("Take a while").annotate(idempotent)
  .promise({ budgetMs: 150, retries: RETRIES }).input(v.object({ n: number, ms: number }))
  .output(v.object({ n: number, attempt: number, run: v.string() })).handle(async ({ n, ms }, ctx) => {
    await labour(ms, ctx);
    return { n: n * 7 + 1, attempt: ctx.attempt, run: crypto.randomUUID() };
  });

const survey = defineTool("survey").describe("Take a while, then ask").annotate(idempotent)
  .promise({ budgetMs: 100, retries: RETRIES }).input(v.object({ id: v.string(), ms: number })).output(v.string())
  .handle(async ({ id, ms }, ctx) => {
    await labour(ms, ctx);
    const answer = await ctx.elicit("mood", { message: `How is ${id}?`, schema: v.object({ mood: v.string() }) });
    return answer.action === "accept" ? `${id} is ${answer.content.mood}` : answer.action;
  });

const story = defineTool("story").describe("Tell a story, slowly").annotate(idempotent)
  .promise({ budgetMs: 100, retries: RETRIES }).input(v.object({ words: v.array(v.string()), ms: number }))
  .partial(v.string()).handle(async function* ({ words, ms }) {
    for (const word of words) {
      yield `${word} `;
      await sleep(ms / words.length);
    }
  });

/** Secret of the webhooks. */
export const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const travel = defineTool("travel").describe("Sleep, wait for a value, and sleep again").annotate(idempotent)
  .promise({ budgetMs: 100, ttlMs: 600_000, retries: RETRIES }).input(v.object({ ms: number }))
  .output(v.object({ word: v.string(), tickets: v.array(v.string()), callId: v.string() }))
  .handle(async ({ ms }, ctx) => {
    const first = await ctx.step("first", () => crypto.randomUUID());
    const { token } = await ctx.resolver("word");
    await ctx.elicit("token", { message: `${token} ${first}`, schema: v.object({}) });
    await ctx.sleep("night", ms);
    const said = await ctx.waitFor("word", v.object({ word: v.string() }));
    const second = await ctx.step("second", () => crypto.randomUUID());
    await ctx.sleep("day", ms);
    const word = said.action === "accept" ? said.content.word : said.action;
    return { word, tickets: [first, await ctx.step("second again", () => second)], callId: ctx.callId };
  });

/** One line for each, so that they can be counted. */
function log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  console.log(`${message}: ${fields["tool"] ?? ""} ${fields["error"] ?? ""}`);
}

/** Makes the server of one process. */
export function createSoakServer(
  { webhookUrl, ...options }: {
    readonly engine: Engine;
    readonly keys: TokenKeys | string;
    readonly webhookUrl: string;
  },
) {
  return createServer({
    name: "soak",
    version: "1.0.0",
    tools: [add, shout, spell, pay, confirm, remember, render, survey, story, travel],
    wires: [mcpLite(), resolver({ url: "http://127.0.0.1/resolve" })],
    onComplete: [
      webhook({ url: webhookUrl, secret: WEBHOOK_SECRET }, {
        tools: ["travel"],
        retryMs: Array<number>(60).fill(1_000),
      }),
    ],
    logger: { debug: log, info: log, warn: log, error: log },
    ...options,
  });
}

/** Its type, for typed clients. */
export type SoakServer = ReturnType<typeof createSoakServer>;
