import { type ErrorResult, invalidInputResult } from "../../../core/call/outcome.ts";

/**
 * The refusal of a parameter.
 *
 * @param name Its name.
 * @param value What it is.
 * @param expected What it has to be, for people.
 */
export function refuseParam(name: string, value: unknown, expected: string): ErrorResult {
  return invalidInputResult(`params.${name} has to be ${expected}`, ["params", name], expected, value);
}
