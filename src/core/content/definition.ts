import { isPromiseLike } from "../../internal/async.ts";
import { SCHEMA_ADAPTERS } from "../schema/adapters.ts";
import { EMPTY_DEFINITION } from "../tool/empty_definition.ts";
import type { ToolDefinition } from "../tool/definition.ts";

/** What comes before the handler. */
export type PlanNeeds = Partial<Pick<ToolDefinition, "input" | "scopes" | "part">>;

/**
 * What dispatch runs in place of a tool.
 *
 * @param name Has a colon, as no tool's name has: continuations of the one are none of the other.
 */
export function planOf(
  name: string,
  handler: ToolDefinition["handler"],
  { input, scopes = [], part }: PlanNeeds = {},
): ToolDefinition {
  return { ...EMPTY_DEFINITION, adapters: SCHEMA_ADAPTERS, name, description: "", input, scopes, part, handler };
}

/** What becomes of a handler's value: at once, unless it comes later. */
export function whenGiven<Value>(value: Value | PromiseLike<Value>, then: (value: Value) => unknown): unknown {
  return isPromiseLike(value) ? Promise.resolve(value).then(then) : then(value);
}
