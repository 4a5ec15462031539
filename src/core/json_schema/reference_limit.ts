/**
 * Limits the references that one validation follows.
 *
 * The library checks every alternative of a union. If several refer to the union again for the same member, the work is the number of
 * alternatives to the power of the depth of the value. Work in proportion to the value and the schema is not limited.
 */

/** Subschemas of a validator by their addresses. The library reads it once for each reference that it follows. */
interface SubschemaIndex {
  lookup?: Record<string, unknown>;
}

/** Number of references that any validation may follow: 8 levels of a union of 3 that refer to it. */
const FREE = 10_000;

/** Thrown by a validation that follows too many references: over 10,000, plus those of the schema for each part of the value. */
export const TOO_MANY_REFERENCES: Error = new Error("The validation follows too many references");

/** Makes a validator throw {@link TOO_MANY_REFERENCES}. Call the result with each value before its validation; `undefined`: no references. */
export function limitReferences(validator: object): ((value: unknown) => void) | undefined {
  const referring = validator as SubschemaIndex;
  const { lookup = {} } = referring;
  const references = Object.values(lookup).filter((schema) => Object(schema).$ref !== undefined).length;
  if (references === 0) return undefined;
  let followed = 0;
  let allowed = FREE;
  let current: unknown;
  referring.lookup = new Proxy(lookup, {
    get(target, address) {
      if (++followed > allowed) {
        // Each reference once for each part of the value. The value is measured only when it matters.
        if (allowed === FREE) allowed += references * sizeOf(current);
        if (followed > allowed) throw TOO_MANY_REFERENCES;
      }
      return target[address as string];
    },
  });
  return (value) => {
    followed = 0;
    allowed = FREE;
    current = value;
  };
}

/** Number of values in a JSON value, itself included. */
function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + sizeOf(member), 1);
}
