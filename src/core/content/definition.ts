import { SCHEMA_ADAPTERS } from "../schema/adapters.ts";
import { EMPTY_DEFINITION } from "../tool/empty_definition.ts";
import type { ToolDefinition } from "../tool/definition.ts";

/** What comes before the handler. */
export type DefinitionParts = Partial<Pick<ToolDefinition, "input" | "scopes" | "part">>;

/**
 * What dispatch runs in place of a tool.
 *
 * @param name Has a colon, as no tool's name has: continuations of the one are none of the other.
 */
export function toDefinition(
  name: string,
  handler: ToolDefinition["handler"],
  { input, scopes = [], part }: DefinitionParts = {},
): ToolDefinition {
  return { ...EMPTY_DEFINITION, adapters: SCHEMA_ADAPTERS, name, description: "", input, scopes, part, handler };
}
