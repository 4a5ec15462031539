/**
 * The resources and prompts of an MCP server elsewhere, as resources and prompts of ours.
 *
 * @module
 */
import type { Prompt } from "../catalog/prompt.ts";
import type { Resource } from "../catalog/resource.ts";
import type { McpTransport } from "../mcp_client/types.ts";

type Members = Readonly<Record<string, unknown>>;

export async function resourcesOf(_mcp: McpTransport, _gateway: string, _can: Members): Promise<readonly Resource[]> {
  return await Promise.resolve([]);
}

export async function promptsOf(_mcp: McpTransport, _gateway: string, _can: Members): Promise<readonly Prompt[]> {
  return await Promise.resolve([]);
}
