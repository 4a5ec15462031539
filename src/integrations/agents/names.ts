/**
 * Names of tools that every framework allows: `A-Z a-z 0-9 _ -`, at most 64 characters.
 *
 * @module
 */

const MAX_LENGTH = 64;

/**
 * Maps each tool to a unique name that every framework allows.
 *
 * A valid name is kept. In other names invalid characters become `_`; if the result is too long or taken, a digest of the
 * whole name is appended, so that it does not depend on the order of the tools.
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

/** FNV-1a, 32 bits, in hexadecimal. Distinguishes names; not a secure hash. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
