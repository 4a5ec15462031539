/**
 * Names of tools that every framework allows: `A-Z a-z 0-9 _ -`, at most 64 characters.
 *
 * @module
 */

const MAX_LENGTH = 64;

/**
 * Gives each tool a name that every framework allows, and that no other has.
 *
 * A name that fits stays as it is. In others, what does not fit becomes `_`; where that is too long or taken, a digest of the
 * whole name follows, so that it does not depend on the order of the tools.
 *
 * @param tools Names of tools, each of them once.
 * @returns The names for models, by the tools' own.
 */
export function mapNames(tools: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(tools.filter(isAllowed));
  return new Map(tools.map((tool) => {
    if (isAllowed(tool)) return [tool, tool];
    const base = tool.replaceAll(/[^A-Za-z0-9_-]/g, "_") || "_";
    let name = base;
    for (let attempt = 0; name.length > MAX_LENGTH || taken.has(name); attempt++) {
      name = `${base.slice(0, MAX_LENGTH - 9)}_${digest(attempt === 0 ? tool : `${tool} ${attempt}`)}`;
    }
    taken.add(name);
    return [tool, name];
  }));
}

function isAllowed(name: string): boolean {
  return name.length <= MAX_LENGTH && /^[A-Za-z0-9_-]+$/.test(name);
}

/** FNV-1a, 32 bits, in hexadecimal: to tell names apart, not to keep secrets. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
