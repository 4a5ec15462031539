/** The tools of code mode: `search_tools`, `describe_tools` and `run_code`. */
import type { AddedTools } from "../../core/dispatch/attached_tools.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type { Dispatcher } from "../../core/dispatch/dispatcher.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import { releasing } from "../../internal/clean_up.ts";
import { ToolRegistry } from "../../core/tool/registry.ts";
import {
  describeSearch,
  SEARCH_ANNOTATIONS,
  SEARCH_TOOLS,
  searchSchema,
} from "../../inspection/tool_search/search_form.ts";
import type { SearchInput } from "../../inspection/tool_search/tool_catalog.ts";
import { argumentsOf } from "../discovery/search_tools.ts";
import { describeTools } from "./declarations.ts";
import { ProgramRun } from "./program_run.ts";
import type { CodeModeSettings } from "./settings.ts";

const DESCRIBE_TOOLS = "describe_tools";
const RUN_CODE = "run_code";

/** Names of the tools of code mode. */
export const OWN_NAMES: ReadonlySet<string> = new Set([SEARCH_TOOLS, DESCRIBE_TOOLS, RUN_CODE]);

/** Number of tools that one call describes. */
const MAX_DESCRIBED = 20;

const NEXT = `Call them in the program of ${RUN_CODE}; ${DESCRIBE_TOOLS} has their types.`;

const RUN_DESCRIPTION = "Run a JavaScript program that calls tools: the body of an async function. " +
  "`await tools.name({ … })` calls a tool and throws if it fails, with `code` and `message`; `Promise.all` calls several at once. " +
  "`return` what you need, small: filter, count and join in the program. `console.log` is returned, too. " +
  "`for await (const item of tools.name.items({ … }))` reads all pages of a list. " +
  "There are no imports, no network and no files. " +
  `Look the types up with ${DESCRIBE_TOOLS} first.`;

/** Defines the tools. They are not among the server's own, so that no program, and no list of all tools, has them. */
export function addOwnTools(settings: CodeModeSettings): AddedTools {
  const tools = [searchTools(settings), describeToolsTool(settings), runCode(settings)];
  return {
    "~attach": (dispatcher) => attach(dispatcher, tools),
  };
}

/** Adds tools under their plain names, which tokens and jobs have, too. */
function attach(dispatcher: Dispatcher, tools: readonly AnyTool[]): ReturnType<AddedTools["~attach"]> {
  const { registry } = dispatcher;
  const own = new ToolRegistry(tools, registry.systemTools);
  dispatcher.assertServable(own.definitions());
  for (const { name, "~definition": definition } of tools) registry.attached.set(name, definition);
  return {
    tools: own.listings(),
    definitions: own.definitions(),
    call: (call, sink) => dispatcher.call(call, sink, own),
  };
}

function searchTools({ callable }: CodeModeSettings): AnyTool {
  return defineCoreTool(SEARCH_TOOLS)
    .type("system")
    .describe(describeSearch(new Map(), NEXT))
    .annotate(SEARCH_ANNOTATIONS)
    .input(argumentsOf<SearchInput>(searchSchema(false)))
    // Dispatch passes the context of the call, as middleware has it.
    .handle((asked, ctx) => {
      const tools = callable();
      const { tools: found, ...rest } = tools.search.find(asked, (ctx as MiddlewareCtx).call.peer);
      // Programs call a destructive tool as any other.
      return { tools: found.map(({ callWith: _, ...tool }) => tool), ...rest };
    });
}

function describeToolsTool({ callable }: CodeModeSettings): AnyTool {
  const names = {
    type: "array",
    items: { type: "string" },
    minItems: 1,
    maxItems: MAX_DESCRIBED,
    description: `Names of tools, as ${SEARCH_TOOLS} returned them`,
  };
  return defineCoreTool(DESCRIBE_TOOLS)
    .type("system")
    .describe(`Get the TypeScript declarations of tools, for a program of ${RUN_CODE}.`)
    .annotate(SEARCH_ANNOTATIONS)
    .input(argumentsOf<{ readonly names: readonly string[] }>(objectOf({ names }, "names")))
    .handle((asked, ctx) => describeTools(asked.names, callable(), (ctx as MiddlewareCtx).call.peer));
}

function runCode(settings: CodeModeSettings): AnyTool {
  const source = {
    type: "string",
    minLength: 1,
    maxLength: settings.limits.sourceChars,
    description: "The body of an async function in JavaScript, with await and return",
  };
  const runs = new WeakMap<object, ProgramRun>();
  // The handler of a run that stops at a question never ends, but the middleware around it does.
  const closing: Middleware = (ctx, next) => releasing(next, () => runs.get(ctx)?.close());
  const tool = defineCoreTool(RUN_CODE)
    .type("system")
    .describe(RUN_DESCRIPTION)
    .input(argumentsOf<{ readonly source: string }>(objectOf({ source }, "source")));
  // From its start, so that its results are in the job and not in a token if it asks.
  const durable = settings.isDurable ? tool.promise({ durable: "start" }) : tool;
  return durable.use(closing).handle(({ source }, ctx) => {
    const run = new ProgramRun(settings, ctx as unknown as CallContext, source);
    runs.set(ctx, run);
    return run.run();
  });
}

function objectOf(properties: Readonly<Record<string, unknown>>, required: string): Readonly<Record<string, unknown>> {
  return { type: "object", properties, required: [required], additionalProperties: false };
}
