/**
 * A failure outcome: the tool understood the call and says no, for a reason of its own business.
 *
 * Throw it from a handler (`ctx.fail` does so with declared, typed codes) or from a helper below one; a client's call
 * rejects with it.
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
 * @typeParam Code The failure's code.
 * @typeParam Data What goes with it.
 */
export class Failure<Code extends string = string, Data = unknown> extends Error {
  /** Always `"Failure"`. */
  override readonly name = "Failure";
  /** The tool's own code, such as `"locked"`. */
  readonly code: Code;
  /** JSON-safe, sent to the caller; `undefined` if there is none. */
  readonly data: Data;

  /**
   * @param code The tool's own code.
   * @param message For people and models: what is wrong, and what to do.
   * @param data JSON-safe, sent to the caller.
   */
  /** Makes a failure to throw. */
  constructor(code: Code, message: string, ...data: undefined extends Data ? [data?: Data] : [data: Data]) {
    super(message);
    this.code = code;
    this.data = data[0] as Data;
  }
}
