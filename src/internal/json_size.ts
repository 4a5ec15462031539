/**
 * How large a value is as JSON, about, without writing it.
 *
 * @module
 */

/** What is left, where a value is nested too deep. */
export const TOO_DEEP: number = Number.NEGATIVE_INFINITY;

/** Of an item of a typed array, which is written with its index. */
const ITEM_CHARS = 16;

/**
 * What is left of `left` characters after a value: below 0 where there is too much of it, {@link TOO_DEEP} where it has more than
 * `depth` levels. What contains itself, or throws when it is read, is for whoever writes it to find.
 */
export function estimateJsonSize(value: unknown, left: number, depth: number): number {
  try {
    const rest = afterMember(value, left, depth);
    return rest === TOO_DEEP && containsItself(value) ? left : rest;
  } catch {
    return left;
  }
}

/** How many characters are left after an object, which may have so many levels. Measured: a third of what it takes to write it. */
function charsLeft(container: object, left: number, levels: number): number {
  if (levels < 0) return TOO_DEEP;
  // Item by item it would take as long as to write it.
  if (ArrayBuffer.isView(container)) {
    const { length = 0 } = container as Partial<Uint8Array>;
    return left - length * ("toJSON" in container ? 4 : ITEM_CHARS);
  }
  // What it makes of itself is its own affair.
  if ("toJSON" in container) return left;
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length && left >= 0; index++) {
      left = afterMember(container[index], left, levels);
    }
    return left;
  }
  for (const name of Object.keys(container)) {
    left = afterMember((container as Readonly<Record<string, unknown>>)[name], left - name.length - 3, levels);
    if (left < 0) break;
  }
  return left;
}

function afterMember(member: unknown, left: number, levels: number): number {
  if (typeof member === "string") return left - member.length - 3;
  if (typeof member === "object" && member !== null) return charsLeft(member, left - 3, levels - 1);
  return left - (typeof member === "number" && member % 1 ? 18 : 5);
}

/** Whether a value that is nested deep is so because it is within itself. Only its first thousand objects are looked at, once each. */
function containsItself(value: unknown, seen: Map<unknown, boolean> = new Map()): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isWithin = seen.get(value);
  if (isWithin !== undefined || seen.size > 1_000) return isWithin === true;
  seen.set(value, true);
  const isFound = Object.values(value).some((member) => containsItself(member, seen));
  seen.set(value, false);
  return isFound;
}
