/** Words of the page for numbers, spans of time, and callers. */

/** A number with its noun: `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `a`, `a and b`, or `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Name of a caller, with the tenant. A caller without a name is anonymous. */
export function callerOf(id: string | undefined, tenant?: string): string {
  if (id === undefined || id === "") return "anonymous";
  return tenant === undefined ? id : `${id} of ${tenant}`;
}

const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1_000]] as const;

/** A span of time in its largest unit: `3 min`. */
export function spanOf(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

/** Distances from now that are not counted, in milliseconds. */
const NOW_MS = 10_000;

/** A distance from now: `3 min ago`, `in 2 h`, or `just now`. */
export function distanceOf(ms: number): string {
  if (Math.abs(ms) < NOW_MS) return "just now";
  return ms < 0 ? `${spanOf(-ms)} ago` : `in ${spanOf(ms)}`;
}
