/** A server with a tool for each thing that the conformance suite can check. */
import { createServer, defineTool, mcpLite, type Server } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { definePrompt } from "../../../src/entries/mcp.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { webSocket } from "../../../src/entries/websocket.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import type { ConformanceOptions, ConformanceTarget } from "../../../src/entries/testing.ts";

const described = (text: string, example: string) => v.pipe(v.string(), v.description(text), v.examples([example]));

const search = defineTool("search_documents").type("query").describe("Search through available documents")
  .annotate({ readOnlyHint: true })
  .input(v.object({ query: described("Search query", "MCP") }))
  .output(v.array(v.object({ title: v.string() })))
  .handle(({ query }) => [{ title: query }]);

const report = defineTool("generate_report").describe("Write a report").annotate({ readOnlyHint: true })
  .partial(v.string()).output(v.string())
  .handle(async function* () {
    yield "Quarterly Report";
    yield "Revenue";
    return "Quarterly Report, Revenue";
  });

const analyze = defineTool("analyze_dataset").describe("Analyze a dataset").annotate({ readOnlyHint: true })
  .output(v.number())
  .external({ start: () => ({ rows: 42 }), check: ({ rows }) => rows });

const order = defineTool("order").describe("Ask for the size").annotate({ readOnlyHint: true }).handle(
  async (_, ctx) => {
    const answer = await ctx.elicit("size", { message: "Which size?", schema: v.object({ size: v.string() }) });
    return answer.action;
  },
);

const buy = defineTool("buy").describe("Refuse").annotate({ readOnlyHint: true })
  .errors({ sold_out: v.object({}) })
  .handle((_, ctx): string => {
    throw ctx.fail("sold_out", "Nothing is left", {});
  });

const broken = defineTool("broken").describe("Break").handle((): string => {
  throw new Error("at handler (/home/ada/server.ts:12:7)");
});

const slow = defineTool("slow").describe("Wait until the deadline").handle(async (_, { signal }) => {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
});

const write = defineTool("write").describe("Write a file").handle((): string => {
  throw new Error("The suite must not call this tool");
});

const config = v.object({ units: v.optional(v.picklist(["metric", "imperial"])) });

/** Creates the server. */
export function createCheckedServer(): Server {
  return createServer({
    tools: [search, report, analyze, order, buy, broken, slow, write],
    prompts: [
      definePrompt("review").describe("Review code").input(v.object({ code: v.string() })).handle(({ code }) => code),
    ],
    wires: [
      mcpLite(),
      grpc(),
      webSocket(),
      webtools({
        name: "documents",
        description: "Documents",
        version: "2.0.0",
        config,
        defaultConfig: { units: "metric" },
        versions: [{ version: "1.0.0", tools: [search] }],
      }),
    ],
    logger: false,
  });
}

/** What the suite may call beside the tools that only read. */
export const OPTIONS: ConformanceOptions = { brokenTool: "broken", slowTool: "slow" };

/** The same, with a name for each kind of tool: a wrong server must not escape because a tool is not found. */
export const NAMED: ConformanceOptions = {
  ...OPTIONS,
  streamTool: "generate_report",
  promiseTool: "analyze_dataset",
  questionTool: "order",
  failureTool: "buy",
};

/** The function `fetch` of a server, for {@link ConformanceTarget}. */
export type Fetch = NonNullable<ConformanceTarget["fetch"]>;

/** A function that calls the server in this process. */
export function fetchOf(server: Server): Fetch {
  return (url, init) => Promise.resolve(server.fetch(new Request(url, init)));
}
