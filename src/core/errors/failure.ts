/**
 * A failure outcome: the tool declined the call for a reason of its domain.
 *
 * Throw it from a handler, or from a function that a handler calls. `ctx.fail` creates one with a declared, typed code.
 * A client's call rejects with it.
 *
 * @example A helper that fails the call it runs in
 * ```ts
 * import { Failure } from "jsr:@toolwire/toolwire";
 * import { throws } from "node:assert/strict";
 *
 * function reserve(seats: number): void {
 *   if (seats > 4) throw new Failure("sold_out", "Only 4 seats are left", { left: 4 });
 * }
 * throws(() => reserve(5), { name: "Failure", code: "sold_out" });
 * ```
 * @typeParam Code Code of the failure.
 * @typeParam Data Data of the failure.
 */
export class Failure<Code extends string = string, Data = unknown> extends Error {
  /** Always `"Failure"`. */
  override readonly name = "Failure";
  /** Code, defined by the tool, such as `"locked"`. */
  declare readonly code: Code;
  /** JSON data, sent to the caller. `undefined` without data. */
  declare readonly data: Data;

  /**
   * @param code Code, defined by the tool.
   * @param message Message for people and models: what is wrong, and what to do.
   * @param data JSON data, sent to the caller.
   */
  /** Creates a failure. */
  constructor(code: Code, message: string, ...data: undefined extends Data ? [data?: Data] : [data: Data]) {
    super(message);
    this.code = code;
    this.data = data[0] as Data;
  }
}
