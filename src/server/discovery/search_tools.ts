/**
 * Definitions of `search_tools` and `call_tool`.
 *
 * @module
 */
import { compileCheck, toValidate } from "../../core/json_schema/check.ts";
import type { JsonSchema, Schema } from "../../core/schema/standard_schema.ts";
import { defineCoreTool } from "../../core/tool/define_tool.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { SearchInput, ToolSearch } from "./tool_search.ts";

/** Name of the tool that searches. */
export const SEARCH_TOOLS = "search_tools";
/** Name of the tool that calls a found tool. */
export const CALL_TOOL = "call_tool";

const MAX_RESULTS = 20;
const MAX_QUERY = 1_000;
const MAX_LISTED_GROUPS = 40;
/** Settings of promised calls that are only listed, so that clients may request tasks: the called tool has its own. */
const LISTED_PROMISE = { budgetMs: 0, ttlMs: 0, retries: 0, jobTimeoutMs: 0, required: false } as const;

/** Creates the definition of `search_tools`. Its description names the groups, so that a model knows what it can search for. */
export function searchToolsDefinition(search: ToolSearch): ToolDefinition {
  const names = [...search.groups.keys()];
  const query = {
    type: "string",
    minLength: 1,
    maxLength: MAX_QUERY,
    description:
      'Two to five words of action and object, such as "create issue" or "list invoices"; or an exact tool name',
  };
  const properties = {
    query,
    ...names.length > 0 && { group: { type: "string", description: "Searches only in this group" } },
    detail: {
      enum: ["signature", "schema"],
      description: "signature (default): parameters in TypeScript notation; schema: full JSON Schemas",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_RESULTS,
      description: "Maximum number of results; 5 if left out",
    },
  };
  const input = argumentsOf<SearchInput>(properties, "query");
  return defineCoreTool(SEARCH_TOOLS)
    .describe(describeSearch(search.groups))
    .annotate({ readOnlyHint: true, idempotentHint: true, openWorldHint: false })
    .input(input)
    .handle((asked, { principal }) => search.find(asked, principal))["~definition"];
}

function describeSearch(groups: ReadonlyMap<string, number>): string {
  const listed = [...groups].slice(0, MAX_LISTED_GROUPS).map(([name, count]) => `${name} (${count})`);
  const more = groups.size > listed.length ? `, and ${groups.size - listed.length} more` : "";
  const summary = listed.length === 0 ? "" : ` Groups of tools: ${listed.join(", ")}${more}.`;
  return "Search for tools that are not in your list. Search before you say that a task is impossible. Use a few words of action " +
    "and object in English, not the user's sentence; search again with other words if the results do not fit. " +
    `Call a found tool with ${CALL_TOOL}.${summary}`;
}

/** Creates the definition of `call_tool`. It is listed and never run: its calls are calls of the named tool. */
export function callToolDefinition(callable: readonly ToolDefinition[]): ToolDefinition {
  const input = argumentsOf<{ name: string; arguments?: Record<string, unknown> }>({
    name: { type: "string", description: `Name of a tool, as ${SEARCH_TOOLS} returned it` },
    arguments: { type: "object", description: "Arguments of the tool, as its signature or schema says" },
  }, "name");
  const definition = defineCoreTool(CALL_TOOL)
    .describe(`Call a tool that ${SEARCH_TOOLS} found. The result is that of the tool.`)
    .input(input)
    .handle(() => undefined)["~definition"];
  const needsTasks = callable.some(({ promise }) => promise?.required);
  return needsTasks ? { ...definition, promise: LISTED_PROMISE } : definition;
}

function argumentsOf<Value>(properties: JsonSchema, required: string): Schema<Value> {
  const schema = { type: "object", properties, required: [required], additionalProperties: false };
  const validate = toValidate(compileCheck(schema));
  const standard = { version: 1 as const, vendor: "json-schema", validate, jsonSchema: { input: () => schema } };
  return { "~standard": standard };
}
