/** Reads the lists of a server. */
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import type { McpPrompt, McpResource, McpResourceTemplate } from "../../../src/wires/mcp/client/types.ts";
import type { TargetConnection } from "./connection.ts";
import { DEFAULT_TIMEOUT_MS, type TargetFlags } from "./flags.ts";

/** The lists of a server. Those that were not requested, or that it does not have, are absent. */
export interface Contents {
  readonly tools?: readonly ListedTool[];
  readonly resources?: readonly McpResource[];
  readonly resourceTemplates?: readonly McpResourceTemplate[];
  readonly prompts?: readonly McpPrompt[];
}

/** Requests the named lists. A list that the server does not have is absent from the result. Rejects with `CliError` or `ToolError`. */
export async function readContents(
  connection: TargetConnection,
  wanted: readonly (keyof Contents)[],
  { timeout: timeoutMs = DEFAULT_TIMEOUT_MS }: TargetFlags,
  signal: AbortSignal,
): Promise<Contents> {
  const tools = wanted.includes("tools") ? await connection.tools() : undefined;
  const isMcpWanted = connection.hasContents !== false && wanted.some((list) => list !== "tools");
  const mcp = isMcpWanted ? await connection.mcp() : undefined;
  const limits = { signal, timeoutMs };
  const [resources, resourceTemplates, prompts] = await Promise.all([
    wanted.includes("resources") ? mcp && orNone(mcp.resources.list(limits)) : undefined,
    wanted.includes("resourceTemplates") ? mcp && orNone(mcp.resources.templates(limits)) : undefined,
    wanted.includes("prompts") ? mcp && orNone(mcp.prompts.list(limits)) : undefined,
  ]);
  return {
    ...(tools !== undefined && { tools }),
    ...(resources !== undefined && { resources }),
    ...(resourceTemplates !== undefined && { resourceTemplates }),
    ...(prompts !== undefined && { prompts }),
  };
}

/** `undefined` if the server does not have the list. */
async function orNone<Item>(list: Promise<readonly Item[]>): Promise<readonly Item[] | undefined> {
  try {
    return await list;
  } catch (thrown) {
    if (thrown instanceof ToolError && thrown.code === "method_not_found") return undefined;
    throw thrown;
  }
}
