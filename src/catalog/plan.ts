import { isPromiseLike } from "../internal/maybe_promise.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { BLANK_PLAN } from "../tool/blank_plan.ts";
import type { ToolPlan } from "../tool/tool.ts";

/**
 * What dispatch runs in place of a tool.
 *
 * @param name Has a colon, as no tool's name has: continuations of the one are none of the other.
 */
export function planOf(
  name: string,
  handler: ToolPlan["handler"],
  input: CompiledSchema | undefined = undefined,
): ToolPlan {
  return { ...BLANK_PLAN, name, description: "", input, handler };
}

/** What becomes of a handler's value: at once, unless it comes later. */
export function whenGiven<Value>(value: Value | PromiseLike<Value>, then: (value: Value) => unknown): unknown {
  return isPromiseLike(value) ? Promise.resolve(value).then(then) : then(value);
}
