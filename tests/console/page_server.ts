/** Servers that the tests of the console open in a browser. */
import { createServer, defineTool, mcp, mcpLite, type Server } from "../../mod.ts";
import { bearer } from "../../src/entries/auth.ts";
import { consolePage } from "../../src/entries/console.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { rest } from "../../src/entries/rest.ts";
import * as v from "../../src/entries/schema.ts";
import { webtools } from "../../src/entries/webtools.ts";

/** Text that a page must show and never act on: HTML, an override of direction, and a control character. */
export const HOSTILE =
  `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202egnp.exe\u0007`;

export const add = defineTool("add").describe("Add two numbers").annotate({ readOnlyHint: true })
  .input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b);

const search = defineTool("search_issues").describe("Search the issues of a repository, the newest first")
  .input(v.object({
    query: v.pipe(v.string(), v.description("Words of title or text")),
    labels: v.optional(v.array(v.string())),
    state: v.optional(v.picklist(["open", "closed", "all"]), "open"),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 20),
    assignee: v.nullish(v.string()),
    sort: v.optional(v.union([
      v.object({ by: v.literal("created"), ascending: v.boolean() }),
      v.object({ by: v.literal("comments"), least: v.number() }),
    ])),
  })).handle(({ query }) => ({
    total: 2,
    issues: [
      { id: 12, title: `About ${query}`, labels: ["bug"], open: true },
      { id: 7, title: "Timeouts of the build", labels: [], open: false },
    ],
  }));

const divide = defineTool("divide").describe("Divide one number by another")
  .input(v.object({ a: v.number(), b: v.number() })).errors({ zero: v.object({ dividend: v.number() }) })
  .handle(({ a, b }, ctx) => {
    if (b === 0) throw ctx.fail("zero", "Cannot divide by zero", { dividend: a });
    return a / b;
  });

const broken = defineTool("broken").describe("Throws an error that callers do not see").handle(() => {
  throw new Error("the database is away");
});

const count = defineTool("count").describe("Count to a number, a piece at a time").input(v.object({ to: v.number() }))
  .handle(async function* ({ to }, ctx) {
    for (let n = 1; n <= to; n++) {
      await ctx.progress(n, to);
      yield `${n} `;
    }
  });

const hostile = defineTool("hostile").describe(HOSTILE).annotate({ destructiveHint: true })
  .input(v.object({
    [HOSTILE]: v.optional(v.pipe(v.string(), v.description(HOSTILE))),
    constructor: v.optional(v.string()),
  })).handle(() => ({ [HOSTILE]: HOSTILE }));

/** Calls of `echo` that ran, as their arguments arrived. */
export const received: unknown[] = [];

const echo = defineTool("echo").describe("Return what was sent")
  .input(
    v.looseObject({
      name: v.optional(v.string(), "nameless"),
      size: v.optional(v.number()),
      tag: v.nullish(v.string()),
    }),
  )
  .handle((args) => {
    received.push(args);
    return args;
  });

/** Key of the console of the open server. */
export const PAGE_KEY = "key-of-the-page-tests";

/** A server without `auth`, with all wires that a page can call. Without tools of strangers if `isClean`. */
export function openServer(isClean = false): Server {
  const tools = [search, add, divide, broken, count, ...(isClean ? [] : [echo, hostile])];
  const tracker = webtools({ name: "tracker", description: "Issues", version: "1.4.0" });
  const wires = [mcp(), mcpLite(), rest(), grpc(), tracker, consolePage({ key: PAGE_KEY })];
  const name = isClean ? "issue tracker" : "issue tracker of a company whose name is longer than a telephone is wide";
  return createServer({ name, version: "1.4.0", tools, wires, logger: false });
}

/** A server whose console needs a token with its scope. */
export function closedServer(): Server {
  const scopes: Readonly<Record<string, readonly string[]>> = { "operator-token": ["console"], "reader-token": [] };
  const auth = bearer((token) => {
    const granted = scopes[token];
    return granted && { id: token.replace("-token", ""), scopes: granted };
  });
  return createServer({ name: "closed", tools: [add], wires: [mcp(), consolePage()], auth, logger: false });
}
