/** Prompts and resources run as tools do: what the dispatcher needs of one is made here. */
import { SCHEMA_ADAPTERS } from "../schema/all_adapters.ts";
import { EMPTY_DEFINITION, type ToolDefinition } from "../tool/definition.ts";

/** Optional members for {@link toRunDefinition}. Default: no input schema, no scopes, no part. */
type DefinitionParts = Partial<Pick<ToolDefinition, "input" | "scopes" | "part">>;

/**
 * Makes a tool definition of a prompt or a resource, so that the dispatcher can run its handler.
 *
 * @param name Contains a colon, which tool names cannot, so that a continuation is not valid for both.
 */
export function toRunDefinition(
  name: string,
  handler: ToolDefinition["handler"],
  { input, scopes = [], part }: DefinitionParts = {},
): ToolDefinition {
  return { ...EMPTY_DEFINITION, adapters: SCHEMA_ADAPTERS, name, description: "", input, scopes, part, handler };
}
