/**
 * Definitions of `search_tools` and `call_tool`.
 *
 * @module
 */
import { compileCheck, toValidate } from "../../core/json_schema/check.ts";
import type { JsonSchema, Schema } from "../../core/schema/standard_schema.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { MiddlewareCtx } from "../../core/handler/middleware.ts";
import type { IsVisible } from "../../core/tool/access.ts";
import {
  CALL_DESTRUCTIVE_TOOL,
  CALL_TOOL,
  callSchema,
  describeCall,
  describeDestructiveCall,
  describeSearch,
  SEARCH_ANNOTATIONS,
  SEARCH_TOOLS,
  searchSchema,
} from "../../inspection/tool_search/search_form.ts";
import type { SearchInput } from "../../inspection/tool_search/tool_catalog.ts";
import type { ToolSearch } from "./tool_search.ts";

/** Settings of promised calls that are only listed, so that clients may request tasks: the called tool has its own. */
const LISTED_PROMISE = {
  budgetMs: 0,
  ttlMs: 0,
  retries: 0,
  jobTimeoutMs: 0,
  required: false,
  keepFailed: false,
  durable: "budget",
  tags: [],
  undoMs: 0,
} as const;

/** Creates the tool `search_tools`, which returns the tools that match a query of a few words and that the caller may call. */
export function searchToolsDefinition(search: ToolSearch): ToolDefinition {
  const { groups } = search;
  return defineCoreTool(SEARCH_TOOLS)
    .type("system")
    .describe(describeSearch(groups, `Call a found tool with ${CALL_TOOL}.`))
    .annotate(SEARCH_ANNOTATIONS)
    .input(argumentsOf<SearchInput>(searchSchema(true)))
    // Dispatch passes the context of the call, as middleware has it.
    .handle((asked, ctx) => search.findRanked(asked, (ctx as MiddlewareCtx).call.peer))["~definition"];
}

/** Creates the definition of `call_tool`. It is listed and never run: its calls are calls of the named tool. */
export function callToolDefinition(callable: readonly ToolDefinition[]): ToolDefinition {
  const definition = defineCoreTool(CALL_TOOL)
    .type("system")
    .describe(describeCall(SEARCH_TOOLS))
    .input(argumentsOf<CallArguments>(callSchema(SEARCH_TOOLS)))
    .handle(() => undefined)["~definition"];
  return withTasks(definition, callable);
}

/** Creates the definition of `call_destructive_tool`, which is listed for callers that can find a destructive tool. */
export function destructiveCallDefinition(callable: readonly ToolDefinition[], search: ToolSearch): ToolDefinition {
  const definition = defineCoreTool(CALL_DESTRUCTIVE_TOOL)
    .type("system")
    .describe(describeDestructiveCall(SEARCH_TOOLS))
    .annotate({ destructiveHint: true })
    .input(argumentsOf<CallArguments>(callSchema(SEARCH_TOOLS)))
    .handle(() => undefined)["~definition"];
  const isOpen = callable.some(({ scopes, isVisible }) => scopes.length === 0 && isVisible === undefined);
  const isVisible: IsVisible = (principal, { session }) =>
    callable.some(({ name }) => search.isFindable(name, { principal, session }));
  return withTasks({ ...definition, ...(!isOpen && { isVisible }) }, callable);
}

function withTasks(definition: ToolDefinition, callable: readonly ToolDefinition[]): ToolDefinition {
  const needsTasks = callable.some(({ promise }) => promise?.required);
  return needsTasks ? { ...definition, promise: LISTED_PROMISE } : definition;
}

/** Arguments of `call_tool`: the tool that was found, and its arguments. */
interface CallArguments {
  readonly name: string;
  readonly arguments?: Record<string, unknown>;
}

/** The schema of arguments from their JSON Schema. */
export function argumentsOf<Value>(schema: JsonSchema): Schema<Value> {
  const validate = toValidate(compileCheck(schema));
  const standard = { version: 1 as const, vendor: "json-schema", validate, jsonSchema: { input: () => schema } };
  return { "~standard": standard };
}
