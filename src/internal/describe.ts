/** Longest piece of a caller's own value that is sent back. */
const MAX_RECEIVED = 64;

/** Where something is, as text: `filters[0].name`; empty for the root. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("").replace(/^\./, "");
}

/** What a value is, in a few words or as JSON, shortened. */
export function describeReceived(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "object";
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? typeof value;
  return shorten(text, MAX_RECEIVED);
}

/** The start of a text. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
