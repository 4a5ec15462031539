/**
 * What a model reads of `search_tools` and `call_tool`: names, descriptions and parameters.
 *
 * @module
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** Name of the tool that searches. */
export const SEARCH_TOOLS = "search_tools";
/** Name of the tool that calls a found tool. */
export const CALL_TOOL = "call_tool";
/** Name of the tool that calls a found tool which is destructive, so that hosts can approve such calls apart. */
export const CALL_DESTRUCTIVE_TOOL = "call_destructive_tool";

const MAX_RESULTS = 20;
const MAX_QUERY = 1_000;
const MAX_LISTED_GROUPS = 40;

/** MCP annotations of `search_tools`: it changes nothing, may be repeated, and has no access to other systems. */
export const SEARCH_ANNOTATIONS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

/**
 * Returns the description of a tool that searches. It names up to 40 groups, so that a model knows what it can search for.
 *
 * @param groups Number of tools by group.
 * @param next What the model does with a found tool, as a sentence.
 */
export function describeSearch(groups: ReadonlyMap<string, number>, next: string): string {
  const listed = [...groups].slice(0, MAX_LISTED_GROUPS).map(([name, count]) => `${name} (${count})`);
  const more = groups.size > listed.length ? `, and ${groups.size - listed.length} more` : "";
  const summary = listed.length === 0 ? "" : ` Groups of tools: ${listed.join(", ")}${more}.`;
  return "Search for tools that are not in your list. Search before you say that a task is impossible. Use a few words of action " +
    "and object in English, not the user's sentence; search again with other words if the results do not fit. " +
    `${next}${summary}`;
}

/** Returns the JSON Schema of the arguments of a search: `query`, `group`, `limit`; `detail` only if the search describes what it finds. */
export function searchSchema(hasDetail: boolean): JsonSchema {
  const query = {
    type: "string",
    minLength: 1,
    maxLength: MAX_QUERY,
    description:
      'Two to five words of action and object, such as "create issue" or "list invoices"; or an exact tool name',
  };
  return objectOf({
    query,
    group: { type: "string", description: "Searches only in this group" },
    ...hasDetail && {
      detail: {
        enum: ["signature", "schema"],
        description: "signature (default): parameters in TypeScript notation; schema: full JSON Schemas",
      },
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_RESULTS,
      description: "Maximum number of results; 5 if left out",
    },
  }, "query");
}

/** Returns the description of `call_tool` for models. @param searchTools Name of the tool that searches. */
export function describeCall(searchTools: string): string {
  return `Call a tool that ${searchTools} found. The result is that of the tool.`;
}

/** Returns the description of `call_destructive_tool` for models. */
export function describeDestructiveCall(searchTools: string): string {
  return `Call a destructive tool that ${searchTools} found with "callWith": "${CALL_DESTRUCTIVE_TOOL}". The result is that of the tool.`;
}

/** Returns the advice after the name of a tool that cannot be found: the close names, or those that a search for its words finds. */
export function adviseUnknown(close: string | undefined, found: readonly string[], searchTools: string): string {
  if (close !== undefined) return `Did you mean '${close}'?`;
  const names = found.map((name) => `'${name}'`).join(", ");
  return names === ""
    ? `No similar tool: search with ${searchTools}`
    : `The nearest are ${names}: look them up with ${searchTools}`;
}

/** Returns the JSON Schema of the arguments of `call_tool`: name and arguments of a tool that `searchTools` found. */
export function callSchema(searchTools: string): JsonSchema {
  return objectOf({
    name: { type: "string", description: `Name of a tool, as ${searchTools} returned it` },
    arguments: { type: "object", description: "Arguments of the tool, as its signature or schema says" },
  }, "name");
}

function objectOf(properties: JsonSchema, required: string): JsonSchema {
  return { type: "object", properties, required: [required], additionalProperties: false };
}
