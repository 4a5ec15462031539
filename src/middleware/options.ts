/**
 * Holds an option to being a number above 0.
 *
 * @throws {RangeError} If it is not.
 */
export function assertPositive(where: string, name: string, value: number): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new RangeError(`Cannot make ${where}: ${name} must be a number above 0, not ${value}`);
}

/**
 * Holds an option to being a whole number.
 *
 * @throws {RangeError} If it is not, or is less than `least`.
 */
export function assertCount(where: string, name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`Cannot make ${where}: ${name} must be a whole number of at least ${least}, not ${value}`);
}
