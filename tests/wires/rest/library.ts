/** A server of books over REST: a tool for each way in which a call can go. */
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, type ServerOptions } from "../../../mod.ts";
import { rest } from "../../../src/entries/rest.ts";

const Book = v.object({ id: v.string(), title: v.string(), pages: v.pipe(v.number(), v.integer()) });

interface Shelf {
  readonly label: string;
  readonly parts?: readonly Shelf[] | undefined;
}
const shelf: v.GenericSchema<Shelf> = v.object({
  label: v.string(),
  parts: v.optional(v.array(v.lazy(() => shelf))),
});

const add = defineTool("add").describe("Add two numbers")
  .input(v.object({ a: v.pipe(v.number(), v.description("First")), b: v.optional(v.number(), 10) }))
  .output(v.object({ sum: v.number() })).annotate({ readOnlyHint: true })
  .handle(({ a, b }) => ({ sum: a + b }));

const find = defineTool("find").describe("Return the arguments")
  .input(v.object({
    text: v.string(),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    exact: v.optional(v.boolean()),
    tags: v.optional(v.array(v.string())),
    years: v.optional(v.array(v.number())),
    filter: v.optional(v.object({ author: v.string() })),
    id: v.optional(v.union([v.number(), v.string()])),
    until: v.optional(v.nullable(v.number())),
    order: v.optional(v.picklist(["title", "year"])),
  }))
  .output(v.object({ found: v.record(v.string(), v.unknown()) })).annotate({ readOnlyHint: true })
  .handle((found) => ({ found }));

const anything = defineTool("anything").describe("Return any arguments").annotate({ readOnlyHint: true })
  .handle((args) => args);

const create = defineTool("create_book").describe("Create a book").input(
  v.object({ title: v.string(), shelf: v.optional(shelf) }),
)
  .output(Book).handle(({ title }) => ({ id: "1", title, pages: title.length }));

const reserve = defineTool("reserve").describe("Reserve a book").input(v.object({ id: v.string() }))
  .output(v.string())
  .errors({ on_loan: v.object({ until: v.string() }), withdrawn: null })
  .handle(({ id }, ctx) => {
    if (id === "lent") throw ctx.fail("on_loan", "The book is on loan", { until: "2027-01-01" });
    if (id === "gone") throw ctx.fail("withdrawn", "The book was withdrawn");
    return `reserved ${id}`;
  });

const read = defineTool("read_aloud").describe("Stream words").input(v.object({ words: v.array(v.string()) }))
  .partial(v.string()).output(v.string()).handle(async function* ({ words }, ctx) {
    ctx.progress(1, 2);
    for (const word of words) yield await Promise.resolve(word);
  });

const remove = defineTool("remove_book").describe("Remove a book after a question").input(v.object({ id: v.string() }))
  .output(v.string())
  .handle(async ({ id }, ctx) => {
    const answer = await ctx.elicit("confirm", { message: `Remove ${id}?`, schema: v.object({ sure: v.boolean() }) });
    return answer.action;
  });

const nothing = defineTool("nothing").describe("Return nothing").handle(() => {});
const crash = defineTool("crash").describe("Throw").handle(() => {
  throw new Error("the secret of the handler");
});

/** Creates the server. `gate` releases the promised work. */
export function createLibrary(options: Partial<ServerOptions<[]>> = {}) {
  const gate = Promise.withResolvers<void>();
  const scan = defineTool("scan").describe("Scan a book, which takes long").input(v.object({ pages: v.number() }))
    .output(v.object({ scanned: v.number() })).errors({ torn: v.object({ page: v.number() }) })
    .promise({ budgetMs: 200 })
    .handle(async ({ pages }, ctx) => {
      ctx.progress(1, pages);
      await Promise.race([gate.promise, new Promise((_, reject) => ctx.signal.addEventListener("abort", reject))]);
      if (pages > 100) throw ctx.fail("torn", "A page is torn", { page: 7 });
      return { scanned: pages };
    });
  const count = { runs: 0 };
  const stamp = defineTool("stamp").describe("Count its runs").input(v.object({ text: v.string() })).output(v.number())
    .handle(() => ++count.runs);
  const tools = [add, find, anything, create, reserve, read, remove, nothing, crash, scan, stamp] as const;
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const server = createServer({
    name: "library",
    version: "1.0.0",
    logger: silent,
    wires: [rest()],
    keys: "k1:a secret that is known to the tests of REST",
    ...options,
    tools,
  });
  return { server, gate };
}

/** A response, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- what a test asserts is the shape
  readonly json: any;
}

/** Sends a request below `/rest`. A body that is not text is sent as JSON. */
export async function ask(
  { fetch }: { readonly fetch: (request: Request) => Promise<Response> },
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const type = body === undefined ? undefined : { "content-type": "application/json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body !== undefined && { body: text }),
  });
  const response = await fetch(request);
  const received = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text: received,
    json: isJson && received !== "" ? JSON.parse(received) : undefined,
  };
}
