/**
 * Estimates the size of a value as JSON without serialising it.
 *
 * @module
 */

/** Result of {@link estimateJsonSize} for a value that is nested too deep. */
export const TOO_DEEP: number = -Infinity;

/**
 * Result of {@link estimateJsonSize} for a value that JSON may not express: with a number that is not finite, a function, a symbol, a
 * BigInt, or an object of a class other than `Date`.
 */
const UNMEASURED: number = NaN;

/** Size of a date as JSON. */
const DATE_CHARS = 26;

/**
 * Subtracts the estimated size of a value from `left` characters. The result is negative if the value is larger, {@link TOO_DEEP} if it
 * has more than `depth` levels, and {@link UNMEASURED} if JSON may not express it. Throwing getters are left to the serialiser.
 */
export function estimateJsonSize(value: unknown, left: number, depth: number): number {
  try {
    const rest = afterMember(value, left, depth);
    return rest === TOO_DEEP && containsItself(value) ? UNMEASURED : rest;
  } catch {
    return left;
  }
}

/** Subtracts the size of an object with at most `depth` levels. Takes a third of the time of serialising it. */
function charsLeft(container: object, left: number, levels: number): number {
  if (levels < 0) return TOO_DEEP;
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length && left >= 0; index++) {
      left = afterMember(container[index], left, levels);
    }
    return left;
  }
  const prototype: unknown = Object.getPrototypeOf(container);
  if (prototype !== Object.prototype && prototype !== null) {
    return container instanceof Date && !Number.isNaN(container.valueOf()) ? left - DATE_CHARS : UNMEASURED;
  }
  for (const name of Object.keys(container)) {
    left = afterMember((container as Readonly<Record<string, unknown>>)[name], left - name.length - 3, levels);
    if (!(left >= 0)) break;
  }
  return left;
}

function afterMember(member: unknown, left: number, levels: number): number {
  if (typeof member === "string") return left - member.length - 3;
  if (typeof member === "object" && member !== null) return charsLeft(member, left - 3, levels - 1);
  if (typeof member === "number") return member % 1 === 0 ? left - 5 : Number.isFinite(member) ? left - 18 : UNMEASURED;
  return typeof member === "boolean" || member === null || member === undefined ? left - 5 : UNMEASURED;
}

/** Whether a deeply nested value is cyclic. Visits its first thousand objects, once each. */
function containsItself(value: unknown, seen: Map<unknown, boolean> = new Map()): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isWithin = seen.get(value);
  if (isWithin !== undefined || seen.size > 1_000) return isWithin === true;
  seen.set(value, true);
  const isFound = Object.values(value).some((member) => containsItself(member, seen));
  seen.set(value, false);
  return isFound;
}
