/** Which tools a model gets at once, and which it searches for. */
import type { ListedTool } from "../../core/call/transport.ts";
import { CALL_TOOL, SEARCH_TOOLS } from "../../inspection/tool_search/search_form.ts";
import { isJsonObject } from "../../internal/json.ts";
import { describeUnknown } from "../../internal/text.ts";
import { estimateTextTokens } from "../../internal/token_estimate.ts";
import type { AgentOptions } from "./options.ts";

/** Number of tools up to which `auto` loads all. */
const MIN_TOOLS = 10;
/** Share of the context that the list may take before `auto` defers it. */
const SHARE = 0.05;
const DEFAULT_CONTEXT_TOKENS = 200_000;

/**
 * Selects the tools that a model searches for in place of getting their definitions at once, by `defer`, `alwaysLoad` and `contextTokens`.
 *
 * @param listed The tools that it may call.
 * @param isByName Whether a tool is called by its name alone, as its approval is by name.
 * @returns Their names; empty if all are loaded at once.
 * @throws {TypeError} If `alwaysLoad` has a name that is not listed.
 */
export function selectDeferred(
  listed: readonly ListedTool[],
  options: AgentOptions,
  isByName: (tool: ListedTool) => boolean,
): ReadonlySet<string> {
  const { defer = "none", alwaysLoad = [], contextTokens = DEFAULT_CONTEXT_TOKENS } = options;
  const names = new Set(listed.map(({ name }) => name));
  const always = typeof alwaysLoad === "function" ? [] : alwaysLoad;
  const missing = always.find((name) => !names.has(name));
  if (missing !== undefined) {
    const { suggestion } = describeUnknown("tool", missing, [...names]);
    throw new TypeError(
      `Cannot give tools to a model: alwaysLoad has the tool "${missing}", which is not listed. ${suggestion}`,
    );
  }
  // A server with discover() lists few tools, among them those that search and call.
  const isDiscovered = names.has(SEARCH_TOOLS) && names.has(CALL_TOOL);
  if (defer === "none" || isDiscovered || (defer === "auto" && !isLong(listed, contextTokens * SHARE))) {
    return new Set();
  }
  const kept = new Set(always);
  const isChosen = typeof alwaysLoad === "function" ? alwaysLoad : ({ name }: ListedTool) => kept.has(name);
  const isLoaded = (tool: ListedTool) => isChosen(tool) || isAlwaysLoaded(tool) || isByName(tool);
  return new Set(listed.filter((tool) => !isLoaded(tool)).map(({ name }) => name));
}

/** Whether the tool itself asks to be loaded at once. */
function isAlwaysLoaded({ _meta: meta }: ListedTool): boolean {
  return isJsonObject(meta) && meta["anthropic/alwaysLoad"] === true;
}

function isLong(listed: readonly ListedTool[], maxTokens: number): boolean {
  if (listed.length <= MIN_TOOLS) return false;
  let tokens = 0;
  // Counts only until the limit is exceeded: there may be thousands of tools.
  return listed.some(({ name, description, inputSchema }) =>
    (tokens += estimateTextTokens(JSON.stringify({ name, description, inputSchema }))) > maxTokens
  );
}
