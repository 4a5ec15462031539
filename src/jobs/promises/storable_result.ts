import { type CallResult, errorResult, joinPartials } from "../../core/call/outcome.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import { settleOrMask } from "../../core/dispatch/error_masking.ts";

/**
 * The result to store with a job: the result itself, or an error in its place if it exceeds the limit or cannot be written as JSON.
 *
 * @param maxChars The limit of the server, in UTF-16 code units of JSON; that of the part of the tool may be lower.
 */
export function storableResult(
  answered: CallResult,
  { definition: { part }, collected }: CallContext,
  { tool, id }: Job,
  services: DispatchServices,
  maxChars: number,
): CallResult {
  const isStreamed = answered.kind === "answer" && answered.value === undefined && collected?.length;
  const result = isStreamed ? { ...answered, value: joinPartials(collected) } : answered;
  const resultChars = Math.min(maxChars, part?.resultChars ?? Infinity);
  try {
    const { length } = JSON.stringify(result);
    if (length <= resultChars) return result;
    if (result.kind === "error") return errorResult(result.code, result.message.slice(0, resultChars));
    return errorResult("result_too_large", `The result has ${length} characters; at most ${resultChars} are kept`);
  } catch (cause) {
    const error = new TypeError("The result cannot be written as JSON", { cause });
    return settleOrMask(services, error, { tool, callId: id });
  }
}
