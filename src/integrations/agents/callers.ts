/** Which callers a tool has: the model itself, or programs that it writes and the vendor runs. */
import { subschemasOf } from "../../core/json_schema/subschemas.ts";
import { valueAt } from "../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { AgentTool } from "./agent_tool.ts";
import type { ParameterSchema } from "./dialects.ts";
import type { CallerOptions } from "./options.ts";
import { SearchTool } from "./search_tool.ts";

/** Whether the model itself may call a tool, and whether programs may that it writes and the vendor runs. */
export interface ToolCallers {
  readonly model: boolean;
  readonly program: boolean;
}

/** Returns the callers of a tool, by the option `callers`. Default: the model. The tool that searches is always for the model alone. */
export function callersOf(tool: AgentTool, callers: CallerOptions["callers"]): ToolCallers {
  const given = tool instanceof SearchTool ? "model" : callers?.(tool.listing) ?? "model";
  return { model: given !== "program", program: given !== "model" };
}

/** Whether a schema has a reference that leads back to itself, directly or through other definitions. */
export function isRecursive(root: ParameterSchema): boolean {
  const open = new Set<string>();
  const done = new Set<string>();
  const visit = (schema: ParameterSchema): boolean => {
    const { $ref } = schema;
    if (typeof $ref !== "string") return [...subschemasOf(schema)].some(([part]) => visit(part));
    if (open.has($ref)) return true;
    const target = done.has($ref) || !$ref.startsWith("#") ? undefined : valueAt(root, $ref);
    open.add($ref);
    const found = isJsonObject(target) && visit(target);
    open.delete($ref);
    done.add($ref);
    return found;
  };
  return visit(root);
}
