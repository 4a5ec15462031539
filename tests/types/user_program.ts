/**
 * The program of a user, which `node scripts/check_compilers.mjs` compiles against the packed package: with each supported TypeScript, each
 * way to find modules, with and without the DOM library, and the strictest options. `npm run check` compiles it against the source.
 *
 * It uses no library of a runtime, and exports what other modules of the user would import.
 *
 * @module
 */
import {
  type Client,
  type ClientOptions,
  createClient,
  createServer,
  defineTool,
  Failure,
  type InferOutput,
  mcpLite,
  memoryTransport,
  type Middleware,
  type Server,
  ToolError,
} from "toolwire";
import { budget } from "toolwire/answers";
import { bearer, jwt } from "toolwire/auth";
import { gateway, group } from "toolwire/compose";
import { content, definePrompt, defineResource, mcp, mcpTransport } from "toolwire/mcp";
import { rest } from "toolwire/rest";
import { every } from "toolwire/schedules";
import * as v from "toolwire/schema";
import { serve } from "toolwire/serve";
import { testClient } from "toolwire/testing";
import { z } from "zod";

/** Settings that may be absent, as they come from an environment. */
export interface Settings {
  readonly port?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly origin?: string | undefined;
  readonly secret?: string | undefined;
}

interface Book {
  readonly id: number;
  readonly title: string;
  readonly addedAt: Date;
  readonly tags: readonly string[];
  readonly note?: string | undefined;
}

const books = new Map<number, Book>();

const add = defineTool("add")
  .describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
  .output(v.number())
  .handle(({ a, b }) => a + b);

const findBook = defineTool("find_book").describe("Find a book")
  .input(z.object({ id: z.number().int(), verbose: z.boolean().default(false) }))
  .errors({ missing: v.object({ id: v.number() }), closed: null })
  .annotate({ readOnlyHint: true })
  .handle(({ id, verbose }, ctx) => {
    const book = books.get(id);
    if (book === undefined) throw ctx.fail("missing", "There is no such book", { id });
    if (verbose) ctx.log("info", `Found ${book.title}`);
    return book;
  });

const listBooks = defineTool("list_books").describe("List the books").annotate({ readOnlyHint: true })
  .answer(budget({ maxTokens: 2_000 })).handle(() => [...books.values()]);

const countLines = defineTool("count_lines").describe("Count the lines of a text")
  .input({ type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const)
  .handle(({ text }) => text.split("\n").length);

const report = defineTool("report").describe("Write a report").input(v.object({ days: v.number() }))
  .promise({ budgetMs: 1_000 })
  .handle(async function* ({ days }, ctx) {
    for (let day = 0; day < days; day++) {
      ctx.progress(day, days);
      yield `Day ${day}\n`;
    }
    await ctx.step("store", () => books.size);
  });

const remove = defineTool("remove_book").describe("Remove a book").input(v.object({ id: v.number() }))
  .annotate({ destructiveHint: true }).scopes("books:write")
  .handle(async ({ id }, ctx) => {
    const reply = await ctx.elicit("sure", { message: `Remove ${id}?`, schema: v.object({ sure: v.boolean() }) });
    if (reply.action !== "accept" || !reply.content.sure) throw new ToolError("permission_denied", "Not confirmed");
    return { removed: books.delete(id), by: ctx.principal?.id };
  });

const cover = defineTool("cover").describe("Show the cover of a book")
  .handle(() => [content.text("The cover"), content.file(new Uint8Array([1]), { type: "image/png" })]);

const timing: Middleware<{ startedAt: number }> = async (ctx, next) => {
  ctx.state.startedAt = Date.now();
  return await next();
};
const timed = defineTool("timed").describe("Show the time").use(timing).handle((_, { state }) => state.startedAt);

const tools = [add, findBook, listBooks, countLines, report, remove, cover, timed] as const;

const summary = definePrompt("summary").describe("Summarize a book").input(v.object({ title: v.string() }))
  .handle(({ title }) => `Summarize ${title}`);
const catalog = defineResource("books://all").describe("All books").read(() => JSON.stringify([...books.keys()]));

/** Creates the server with settings that may be absent. */
export function createShop(settings: Settings): Server<typeof tools> {
  const { secret, origin, timeoutMs } = settings;
  return createServer({
    name: "shop",
    version: "1.0.0",
    tools,
    timeoutMs,
    auth: secret === undefined ? bearer((token) => ({ id: token, scopes: ["books:write"] })) : jwt({ secret }),
    origins: origin === undefined ? undefined : [origin],
    limits: { bodyBytes: undefined },
    schedules: [every("1h", report, { days: 1 })],
    prompts: [summary],
    resources: [catalog],
    wires: [mcp(), mcpLite(), rest()],
    logger: false,
  });
}

/** Serves the shop on a port that may be absent. */
export async function start({ port, ...settings }: Settings): Promise<() => Promise<void>> {
  const { close } = await serve(createShop(settings), { port, graceMs: undefined });
  return () => close();
}

/** The client of another program, which has the type of the server alone. */
export function connect(url: string | URL, { timeoutMs }: Settings, token?: string): Client<Server<typeof tools>> {
  const options: ClientOptions = { timeoutMs, idleTimeoutMs: undefined, retry: { attempts: timeoutMs } };
  return createClient<Server<typeof tools>>(url, {
    ...options,
    headers: token === undefined ? undefined : { authorization: `Bearer ${token}` },
  });
}

/** What a client receives: the JSON form of a book. */
export type SentBook = InferOutput<typeof findBook>;

/** Uses each kind of call, and the types of what it gives. */
export async function tour(client: Client<Server<typeof tools>>): Promise<readonly string[]> {
  const lines: string[] = [];
  const sum: number = await client.add({ a: 1 });
  lines.push(`${sum}`);
  const found: SentBook = await client.find_book({ id: 1 });
  const addedAt: string = found.addedAt;
  lines.push(addedAt.slice(0, 10), found.note ?? "", found.tags[0] ?? "");
  // @ts-expect-error: the id is a number
  await client.find_book({ id: "1" });
  // @ts-expect-error: there is no such tool
  const unknown: unknown = client.find_boks;
  lines.push(typeof unknown);
  const outcome = await client.find_book.outcome({ id: 2 });
  if (outcome.kind === "failure" && outcome.code === "missing") lines.push(`${outcome.data.id}`);
  for await (const piece of client.report.stream({ days: 2 })) lines.push(piece.trim());
  const job = await client.report.start({ days: 3 }, { signal: undefined });
  const whole: string = await job.result({ timeoutMs: undefined });
  lines.push(whole);
  for await (const book of client.list_books.items()) lines.push(book.title, book.addedAt);
  const { removed, by }: { removed: boolean; by?: string | undefined } = await client.remove_book({ id: 1 });
  lines.push(`${removed} ${by}`);
  try {
    await client.find_book({ id: 3 });
  } catch (error) {
    if (client.find_book.isFailure(error) && error.code === "missing") lines.push(`${error.data.id}`);
    else if (error instanceof Failure || error instanceof ToolError) lines.push(error.code);
    else throw error;
  }
  const listed = await client.$.list();
  return [...lines, ...listed.map(({ name, description }) => `${name}: ${description ?? ""}`)];
}

/** Tools of other servers beside ours. */
export async function compose(url: string): Promise<Server> {
  const remote = await gateway("other", mcpTransport(url, { headers: undefined }));
  const shop = group("shop", createShop({}), { visibleTo: undefined });
  return createServer({ tools: [], parts: [shop, group("other", remote)], logger: undefined });
}

/** The tour in process. */
export async function main(): Promise<void> {
  const client = testClient(createShop({}), { principal: { id: "ada", scopes: ["books:write"] } });
  await tour(client);
  await createClient(memoryTransport(createShop({}))).$.close();
}
