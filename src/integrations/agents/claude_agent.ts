/**
 * Tools for the Claude Agent SDK, which takes them from an MCP server in its own process.
 *
 * Types are structural: they are those of the package `@anthropic-ai/claude-agent-sdk`, which is not needed.
 */
import { checkOptions, type OptionRules, TEXT } from "../../internal/options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { ClaudeSession, type ClaudeTransport } from "./claude_session.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { openToolbox } from "./toolbox.ts";

/** Options of {@link claudeAgentServer}. */
export interface ClaudeAgentOptions extends ApprovalOptions {
  /** Name of the server. The model knows its tools as `mcp__<name>__<tool>`. Default: `tools`. */
  readonly name?: string | undefined;
}

/** Result of {@link claudeAgentServer}: one of the `mcpServers` of `query(…)` of the Claude Agent SDK. */
export interface ClaudeAgentServer {
  /** Discriminant: a server in this process. */
  readonly type: "sdk";
  /** Name of the server. */
  readonly name: string;
  /** Tools whose calls the SDK's `canUseTool` has to allow, whatever its other permissions are. */
  readonly tools: { name: string; permission_policy: "always_ask" }[];
  /**
   * The MCP server. Its type is that of a package that is not needed here; the SDK calls its method `connect`.
   *
   * @internal
   */
  readonly instance: never;
}

const RULES: OptionRules<ClaudeAgentOptions> = { ...APPROVAL_RULES, name: TEXT };

/** Longest name of a tool with the prefix of its server. */
const MAX_NAME = 128;

/**
 * Tools for the Claude Agent SDK: an MCP server in this process. Destructive tools ask `canUseTool`. Claude searches for tools by itself:
 * `defer: "none"` loads all of them, `alwaysLoad` some, in place of that. Its search reads `_meta: { "anthropic/searchHint": "…" }` of tools.
 *
 * @example What the SDK gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { claudeAgentServer } from "jsr:@toolwire/toolwire/agents";
 *
 * const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => "dropped");
 * // query({ prompt, options: { mcpServers: { tables } } })
 * const tables = await claudeAgentServer(createServer({ tools: [drop] }), { name: "tables" });
 * console.log(tables.type); // → sdk
 * console.log(tables.tools); // → [{ name: "drop", permission_policy: "always_ask" }]
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 * @throws {RangeError} If the name of a tool is longer than 128 characters with its prefix: Claude would leave it out.
 */
export async function claudeAgentServer(
  source: AgentSource,
  given: ClaudeAgentOptions = {},
): Promise<ClaudeAgentServer> {
  checkOptions("give tools to a model", given, RULES);
  const { name = "tools", needsApproval = isDestructive, defer, alwaysLoad = [], ...options } = given;
  const session = new ClaudeSession(name);
  const onProgress: ApprovalOptions["onProgress"] = (progress, call) => {
    session.report(call.id, progress);
    given.onProgress?.(progress, call);
  };
  const { tools } = await openToolbox(source, { ...options, alwaysLoad, onProgress }, { media: ["*"] });
  assertNames(tools, name);
  const isLoaded = ({ listing }: AgentTool) =>
    defer === "none" || (typeof alwaysLoad === "function" ? alwaysLoad(listing) : alwaysLoad.includes(listing.name));
  session.open(tools, new Set(tools.filter(isLoaded).map(({ listing }) => listing.name)));
  return {
    type: "sdk",
    name,
    tools: tools.filter(({ listing }) => needsApproval(listing)).map((tool) => ({
      name: tool.name,
      permission_policy: "always_ask",
    })),
    instance: { connect: (transport: ClaudeTransport) => session.connect(transport) } as never,
  };
}

function assertNames(tools: readonly AgentTool[], server: string): void {
  const long = tools.find(({ name }) => `mcp__${server}__${name}`.length > MAX_NAME);
  if (long === undefined) return;
  throw new RangeError(
    `Cannot give tools to a model: mcp__${server}__${long.name} has more than ${MAX_NAME} characters; give the server a shorter name`,
  );
}
