// Compares values of examples with the outputs that they show, of which `shown.ts` makes calls of these functions.

/** @type {string[]} */
let printed = [];

/**
 * The value, if it is as shown.
 *
 * @param {unknown} value
 * @param {string} place
 * @param {string} text
 * @param {boolean} isPrinted A string that is printed has no quotes.
 * @throws {Error} If it differs.
 */
export function shown(value, place, text, isPrinted) {
  compare(isPrinted && typeof value === "string" ? value : render(value), place, text);
  return value;
}

/** Keeps what a statement prints until `endPrinted()`. */
export function keepPrinted(value) {
  printed.push(typeof value === "string" ? value : render(value));
  return value;
}

/** Compares all that was printed since the last time. */
export function endPrinted(place, texts) {
  const lines = printed;
  printed = [];
  compare(lines.join("\n"), place, texts.join("\n"));
}

function compare(rendered, place, text) {
  const squeeze = (value) =>
    value.replaceAll(/[ \t]+/g, " ").replaceAll(/(?<=[[({]) | (?=[\])}])|,(?= ?[\])}])/g, "").trim();
  const parts = squeeze(text).split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (!new RegExp(`^${parts.join("[^]*")}$`).test(squeeze(rendered))) {
    throw new Error(`${place} shows → ${text}\n  but the value is → ${rendered}`);
  }
}

/** A value as JavaScript in one line. */
export function render(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(render).join(", ")}]`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Promise) return "a promise: await it";
  const members = Object.entries(value).map(([name, member]) =>
    `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${render(member)}`
  );
  const body = members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return name === undefined || name === "Object" ? body : `${name} ${body}`;
}
