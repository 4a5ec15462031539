/** A server whose tools ask and log, with resources and prompts: for the tests of the panes. */
import { createServer, defineTool, mcp, mcpLite, type Server } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import type { AnyTool } from "../../src/core/tool/definition.ts";
import { consolePage } from "../../src/entries/console.ts";
import { grpc } from "../../src/entries/grpc.ts";
import { assistant, definePrompt, defineResource, type McpSessions, user } from "../../src/entries/mcp.ts";
import { rest } from "../../src/entries/rest.ts";
import type { RequestWire } from "../../src/wires/wire.ts";
import { HOSTILE, PAGE_KEY } from "./page_server.ts";

/** What the texts of the server end with. */
let stranger = HOSTILE;

const book = defineTool("book_table").describe("Book a table, after its caller has chosen a time and given a deposit")
  .input(v.object({ guests: v.number() })).handle(async ({ guests }, ctx) => {
    ctx.log("info", `looking for a table for ${guests}`, { guests });
    const time = await ctx.elicit("time", {
      message: `At what time? ${stranger}`,
      schema: v.object({
        time: v.picklist(["18:00", "20:00"]),
        terrace: v.optional(v.boolean(), true),
        name: v.pipe(v.string(), v.minLength(2)),
      }),
    });
    if (time.action !== "accept") return { booked: false, because: time.action };
    await ctx.requestMore("credits", { amount: 5, reason: "The deposit costs 5 credits" });
    ctx.log("warning", "the last table");
    return { booked: true, guests, ...time.content };
  });

const several = defineTool("sign_off").describe("Ask for a visit, a model and folders at once").handle(
  async (_, ctx) => {
    const answers = await ctx.ask({
      page: { message: "Sign the form", url: "https://sign.example/form?id=7" },
      script: { message: "Run this", url: "javascript:document.title='owned'" },
      summary: { messages: [{ role: "user", content: { type: "text", text: "Sum it up" } }], maxTokens: 50 },
      folders: { roots: true },
    });
    return answers;
  },
);

const audit = defineTool("audit").describe("Read the audit log").annotate({ readOnlyHint: true }).scopes("audit:read")
  .handle((_, ctx) => `the log, for ${ctx.principal?.id}`);

const stories = new Map([["1", "Moby Dick"], ["12", "Middlemarch"], ["22", "Emma"]]);
let weather = "sunny";
let changeWeather: (text: string) => void = () => {};

/** Changes the resource `weather://now`, and notifies its subscribers. */
export function setWeather(text: string): void {
  changeWeather(text);
}

const resources = [
  defineResource("weather://now").title("Weather").describe("The weather now").mimeType("text/plain").read(() =>
    weather
  ),
  defineResource("image://dot").title("A dot").mimeType("image/png").read(() => ({ blob: DOT, mimeType: "image/png" })),
  defineResource("image://plot").title("A plot").mimeType("image/svg+xml").read(() => ({
    blob: new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"/>`),
    mimeType: "image/svg+xml",
  })),
  defineResource("books://{id}").title("Books").describe("A book by its number")
    .complete({ id: (value) => [...stories.keys()].filter((id) => id.startsWith(value)) })
    .read(({ id }) => stories.get(String(id))),
  defineResource("notes://mine").title("My notes").describe("Notes of the caller").scopes("notes:read")
    .read((_, ctx) => `the notes of ${ctx.principal?.id}`),
  defineResource("hostile://page").title(HOSTILE).mimeType("text/html").read(() => HOSTILE),
];

/** A picture of one pixel. */
const DOT = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0),
);

const review = definePrompt("review").title("Code review").describe("Review a piece of code")
  .input(
    v.object({ code: v.pipe(v.string(), v.description("What to review")), language: v.optional(v.string(), "any") }),
  )
  .complete({ language: (value) => ["go", "rust", "typescript"].filter((one) => one.startsWith(value)) })
  .handle(({ code, language }, { principal }) => [
    user(`Review this ${language} code: ${code}`),
    assistant(`Gladly${principal === undefined ? "" : `, ${principal.id}`}. ${stranger}`),
  ]);

/** A server with all that the panes show, and further tools and wires. Without text of strangers if `isClean`. */
export function paneServer(
  isClean = false,
  sessions?: McpSessions,
  further: { readonly tools?: readonly AnyTool[]; readonly wires?: readonly RequestWire[] } = {},
): Server {
  stranger = isClean ? "" : HOSTILE;
  const wires = [
    mcp({ logging: true, sessions }),
    mcpLite(),
    rest(),
    grpc(),
    consolePage({ key: PAGE_KEY, actAs: true }),
    ...further.wires ?? [],
  ];
  const server = createServer({
    name: "restaurant",
    version: "2.0.0",
    tools: [book, several, audit, ...further.tools ?? []],
    resources: isClean ? resources.slice(0, 4) : resources,
    prompts: [review],
    wires,
    keys: "k1:a secret of at least thirty-two bytes",
    logger: false,
  });
  changeWeather = (text) => {
    weather = text;
    server.notify.resourceUpdated("weather://now");
  };
  return server;
}
