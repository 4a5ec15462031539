/** Names that APIs of models take. */

const MAX_LENGTH = 64;

/**
 * Maps each name to a unique name that is allowed.
 *
 * An allowed name is kept. In other names invalid characters become `_`; if the result is too long or taken, a digest of the
 * whole name is appended, so that it does not depend on the order of the names.
 *
 * @param allowed Matches names of at most 64 characters, among them all of `A-Za-z0-9_-`.
 * @returns The allowed names, by the given ones.
 */
export function mapNames(names: readonly string[], allowed: RegExp): ReadonlyMap<string, string> {
  const taken = new Set(names.filter((name) => allowed.test(name)));
  return new Map(names.map((original) => {
    if (allowed.test(original)) return [original, original];
    const base = original.replaceAll(/[^A-Za-z0-9_-]/g, "_") || "_";
    let name = base;
    for (let attempt = 0; name.length > MAX_LENGTH || taken.has(name); attempt++) {
      name = `${base.slice(0, MAX_LENGTH - 9)}_${digest(attempt === 0 ? original : `${original} ${attempt}`)}`;
    }
    taken.add(name);
    return [original, name];
  }));
}

/** FNV-1a, 32 bits, in hexadecimal. Distinguishes names; not a secure hash. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
