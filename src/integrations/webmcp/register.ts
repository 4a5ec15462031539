import { checkOptions, type OptionRules, TEXTS } from "../../internal/options.ts";
import type { AgentTool, ToolCallResult } from "../agents/agent_tool.ts";
import { AGENT_RULES, type AgentOptions, type AgentSource, isDestructive } from "../agents/options.ts";
import { openToolbox } from "../agents/toolbox.ts";
import { findModelContext, type ModelContextTool } from "./model_context.ts";

/** Options of {@link registerWebMcp}. The agent of the browser searches by itself, so that no tool is deferred. */
export interface WebMcpOptions
  extends Pick<AgentOptions, "select" | "promises" | "timeoutMs" | "onProgress" | "onPartial"> {
  /** Origins of frames that may see the tools and call them, such as `https://shop.example`. Default: the page's own origin. */
  readonly exposedTo?: readonly string[] | undefined;
}

/** Tools that were registered in a page, and the function that removes them. */
export interface WebMcpRegistration {
  /** Whether the page has a model context. If not, nothing is registered. */
  readonly isSupported: boolean;
  /** The tools' names on their server, by their names in the page. */
  readonly names: ReadonlyMap<string, string>;
  /** Removes the tools from the page, and aborts their pending calls. */
  unregister(): void;
}

/**
 * Registers the tools of a source in the page, for the agent of the browser; does nothing without WebMCP. A page that is replaced without a
 * navigation, and a list that changes, need `unregister()` and another call.
 *
 * An answer is its JSON value. A call that fails gives `{ error: { code, message } }`, since browsers hide exceptions from the agent; a failure
 * that the tool declares also has `data`. Questions of tools are answered by the `onElicitation` of a client that is the source.
 *
 * @example Tools of a server, where the browser has an agent
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { registerWebMcp } from "jsr:@toolwire/toolwire/webmcp";
 * import { strictEqual } from "node:assert/strict";
 *
 * const empty = defineTool("cart.empty").describe("Remove everything from the cart").handle(() => "The cart is empty");
 * const registration = await registerWebMcp(createServer({ tools: [empty] })); // or createClient("https://…")
 * strictEqual(registration.isSupported, false); // not a page
 * ```
 * @param source A server of this page, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 * @throws {Error} If the browser refuses a tool, such as one whose name is taken; `cause` is the browser's exception. No tool is then
 * registered.
 */
export async function registerWebMcp(source: AgentSource, given: WebMcpOptions = {}): Promise<WebMcpRegistration> {
  checkOptions("register tools in the page", given, rules());
  const { exposedTo, ...options } = given;
  const context = findModelContext();
  if (context === undefined) return { isSupported: false, names: new Map(), unregister() {} };
  const { tools, names } = await openToolbox(source, options, { names: TOOL_NAME });
  const controller = new AbortController();
  const { signal } = controller;
  const register = async (tool: AgentTool): Promise<void> => {
    try {
      await context.registerTool(toPageTool(tool, signal), { signal, ...(exposedTo && { exposedTo: [...exposedTo] }) });
    } catch (cause) {
      throw new Error(`The browser refuses the tool "${tool.name}": ${String(cause)}`, { cause });
    }
  };
  try {
    await Promise.all(tools.map(register));
  } catch (error) {
    controller.abort();
    throw error;
  }
  return { isSupported: true, names, unregister: () => controller.abort() };
}

/** Names that browsers take, as far as `mapNames()` does. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

function toPageTool(tool: AgentTool, unregistered: AbortSignal): ModelContextTool {
  const { name, listing: { title, annotations }, parameters } = tool;
  return {
    name,
    ...(typeof title === "string" && { title }),
    // Browsers refuse an empty one.
    description: tool.description || name,
    inputSchema: parameters.schema,
    annotations: {
      ...(annotations?.["readOnlyHint"] === true && { readOnlyHint: true }),
      ...(isDestructive(tool.listing) && { consequentialHint: true }),
      ...(annotations?.["openWorldHint"] === true && { untrustedContentHint: true }),
    },
    async execute(input, { signal } = {}) {
      const signals = signal === undefined ? unregistered : AbortSignal.any([signal, unregistered]);
      return toPageResult(await tool.call(input ?? {}, { signal: signals }));
    },
  };
}

/** Browsers give the agent the JSON text of a value, which `undefined` has none of. */
function toPageResult({ text, value = null, error }: ToolCallResult): unknown {
  if (error === undefined) return value;
  return { error: { code: error.code, message: text, ...("data" in error && { data: error.data }) } };
}

/** A function, because bundlers keep a destructuring at the top level in programs that do not use it. */
function rules(): OptionRules<WebMcpOptions> {
  const { select, promises, timeoutMs, onProgress, onPartial } = AGENT_RULES;
  return { select, promises, timeoutMs, onProgress, onPartial, exposedTo: TEXTS };
}
