/**
 * A server of tools that do what a command line has to show: streams, progress, promises, questions, failures. It is a module that a
 * command can load; as a program it listens on free ports and prints the URLs of its wires.
 */
import process from "node:process";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, Failure, keyRing, mcp, mcpLite, type Server } from "../../../mod.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { definePrompt, defineResource, user } from "../../../src/entries/mcp.ts";
import { rest } from "../../../src/entries/rest.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import type { Clock } from "../../../src/internal/time.ts";
import { serve } from "../../../src/entries/serve.ts";

const add = defineTool("add").describe("Add two numbers")
  .input(v.strictObject({ a: v.number(), b: v.optional(v.number(), 0) })).output(v.number())
  .annotate({ readOnlyHint: true })
  .handle(({ a, b }) => a + b);

const address = defineTool("address").describe("Format an address. The zip code is text")
  .input(v.object({ city: v.string(), zip: v.string(), floor: v.optional(v.nullable(v.number())) })).output(v.string())
  .handle(({ city, zip, floor }) => `${zip} ${city}, floor ${floor}`);

const count = defineTool("count").describe("Count, as a stream")
  .input(v.object({ to: v.number() })).partial(v.string()).output(v.string())
  .handle(async function* ({ to }) {
    for (let number = 1; number <= to; number++) yield `${number}\n`;
  });

const work = defineTool("work").describe("Work in steps, with progress")
  .input(v.object({ steps: v.optional(v.number(), 3), stepMs: v.optional(v.number(), 20) })).output(v.string())
  .handle(async ({ steps, stepMs }, ctx) => {
    runs.begun++;
    for (let step = 1; step <= steps; step++) {
      await pause(stepMs, ctx.signal);
      ctx.progress(step, steps, `step ${step}`);
    }
    return "worked";
  });

const job = defineTool("job").describe("Work that gives a promise")
  .input(v.object({ steps: v.optional(v.number(), 3), stepMs: v.optional(v.number(), 40) })).output(v.string())
  .promise({ budgetMs: 10 })
  .handle(async ({ steps, stepMs }, ctx) => {
    runs.begun++;
    for (let step = 1; step <= steps; step++) {
      await pause(stepMs, ctx.signal);
      ctx.progress(step, steps, `step ${step}`);
    }
    return "the job is done";
  });

const nap = defineTool("nap").describe("Report a third, then sleep for three days").output(v.string())
  .promise({ budgetMs: 10, ttlMs: 7 * 86_400_000 })
  .handle(async (_, ctx) => {
    ctx.progress(33, 100, "packing");
    await ctx.sleep("the weekend", 3 * 86_400_000);
    return "rested";
  });

const order = defineTool("order").describe("Ask how many, then for credits")
  .input(v.object({ what: v.string() })).output(v.string())
  .handle(async ({ what }, ctx) => {
    const answer = await ctx.elicit("size", {
      message: `How many of ${what}?`,
      schema: v.object({ count: v.pipe(v.number(), v.integer(), v.minValue(1)), gift: v.optional(v.boolean(), false) }),
    });
    if (answer.action !== "accept") throw new Failure("not_ordered", `The answer was ${answer.action}`);
    const { count, gift } = answer.content;
    if (count > 10) await ctx.requestMore("credits", { amount: count - 10, reason: "10 are free" });
    return `${count} ${what}${gift ? " as a gift" : ""}`;
  });

const locked = defineTool("locked").describe("Fail with data").errors({ locked: v.object({ by: v.string() }) })
  .handle((_, ctx) => {
    throw ctx.fail("locked", "The record is locked", { by: "batch\u001b[2J" });
  });

const noisy = defineTool("noisy").describe("Write to standard output, and answer with control characters")
  .output(v.string())
  .handle(() => {
    console.log("this must not reach standard output");
    return "red \u001b[31mtext\u0007";
  });

const secret = defineTool("secret").describe("Needs a scope").scopes("secrets:read").handle(() => "hidden");

const guide = defineResource("docs://guide").title("Guide").mimeType("text/plain").read(() => "Read this.");
const page = defineResource("docs://pages/{name}").describe("A page")
  .complete({ name: (value) => ["intro", "index", "end"].filter((one) => one.startsWith(value)) })
  .read(({ name }) => name === "intro" ? "Welcome" : undefined);
const review = definePrompt("review").describe("Review code")
  .input(v.object({ code: v.string(), language: v.optional(v.string(), "any") }))
  .complete({ language: (value) => ["go", "rust", "typescript"].filter((one) => one.startsWith(value)) })
  .handle(({ code, language }) => [user(`Review this ${language}: ${code}`)]);

/** Numbers of runs of `work` and `job`: begun, and ended because their caller has left. */
export const runs = { begun: 0, aborted: 0 };

/** Creates the server. */
export function createTools(options: { readonly clock?: Clock } = {}): Server {
  return createServer({
    ...options,
    name: "tools",
    version: "1.0.0",
    tools: [add, address, count, work, job, nap, order, locked, noisy, secret],
    resources: [guide, page],
    prompts: [review],
    wires: [
      mcp(),
      mcpLite(),
      rest(),
      grpc(),
      webtools({ name: "tools", description: "Tools of the tests", version: "1.0.0" }),
    ],
    keys: keyRing("k1:a-secret-of-the-tests-of-32-bytes-or-more"),
    logger: false,
  });
}

export const server: Server = createTools();

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      runs.aborted++;
      process.stderr.write("aborted\n");
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    signal.addEventListener("abort", abort, { once: true });
  });
}

if (process.argv.includes("--serve")) {
  const listening = await serve(server, { port: 0, grpc: { port: 0 } });
  process.stdout.write(`${JSON.stringify({ url: listening.url, grpcUrl: listening.grpcUrl })}\n`);
}
