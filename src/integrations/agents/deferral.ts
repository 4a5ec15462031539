/** Which tools a model gets at once, and which it searches for. */
import type { ListedTool } from "../../core/call/transport.ts";
import { CALL_TOOL, SEARCH_TOOLS } from "../../inspection/tool_search/search_form.ts";
import { isJsonObject } from "../../internal/json.ts";
import { describeUnknown } from "../../internal/text.ts";
import { DEFAULT_MIN_TOKENS, measureList } from "../../inspection/tool_search/list_size.ts";
import type { AgentOptions, AgentSource } from "./options.ts";

/**
 * Sources of which the log has stated how long their list is. For the whole module, since applications ask an adapter for the tools with
 * each request of their users, and nothing else lasts as long as the source.
 */
const stated = new WeakSet<AgentSource>();

/**
 * Selects the tools that a model searches for in place of getting their definitions at once, by `defer`, `alwaysLoad` and `minTokens`.
 *
 * @param source Source of the tools.
 * @param listed The tools that it may call.
 * @param isByName Whether a tool is called by its name alone, as its approval is by name.
 * @returns Their names; empty if all are loaded at once.
 * @throws {TypeError} If `alwaysLoad` has a name that is not listed.
 */
export function selectDeferred(
  source: AgentSource,
  listed: readonly ListedTool[],
  options: AgentOptions,
  isByName: (tool: ListedTool) => boolean,
): ReadonlySet<string> {
  const { defer = "none", alwaysLoad = [] } = options;
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
  if (defer === "none" || isDiscovered || (defer === "auto" && !isLong(source, listed, options))) return new Set();
  const kept = new Set(always);
  const isChosen = typeof alwaysLoad === "function" ? alwaysLoad : ({ name }: ListedTool) => kept.has(name);
  const isLoaded = (tool: ListedTool) => isChosen(tool) || isAlwaysLoaded(tool) || isByName(tool);
  return new Set(listed.filter((tool) => !isLoaded(tool)).map(({ name }) => name));
}

/** Whether the tool itself asks to be loaded at once. */
function isAlwaysLoaded({ _meta: meta }: ListedTool): boolean {
  return isJsonObject(meta) && meta["anthropic/alwaysLoad"] === true;
}

function isLong(
  source: AgentSource,
  listed: readonly ListedTool[],
  { minTokens = DEFAULT_MIN_TOKENS, logger }: AgentOptions,
): boolean {
  const { isLong, line } = measureList(listed, minTokens);
  if (!stated.has(source)) {
    stated.add(source);
    const text = `defer: "auto": ${line}`;
    if (logger !== undefined) logger.info(text);
    else if ("~server" in source) source["~server"].host.dispatch.log("info", text, {});
  }
  return isLong;
}
