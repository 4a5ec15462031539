/** A value as a literal, for the output of the page. With an infinite depth members are sorted, for comparisons. */
export function inspect(value: unknown, depth: number = 5): string {
  if (typeof value === "string" && depth === 5) return value;
  return show(value, depth, new Set());
}

function show(
  value: unknown,
  depth: number,
  above: ReadonlySet<unknown>,
): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") {
    return `[function ${value.name || "anonymous"}]`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (above.has(value)) return "[circular]";
  if (depth <= 0) return Array.isArray(value) ? "[…]" : "{…}";
  const inside = new Set([...above, value]);
  if (value instanceof Error) return showError(value, depth, inside);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return join(
      "[",
      value.map((item) => show(item, depth - 1, inside)),
      "]",
    );
  }
  if (value instanceof Map || value instanceof Set) {
    return `${value.constructor.name} ${show([...value], depth, inside)}`;
  }
  const names = Object.keys(value);
  const members = (depth === Infinity ? names.sort() : names).map((name) => {
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${show((value as Record<string, unknown>)[name], depth - 1, inside)}`;
  });
  return join("{", members, "}");
}

function showError(
  error: Error,
  depth: number,
  above: ReadonlySet<unknown>,
): string {
  const { code, data } = error as {
    readonly code?: unknown;
    readonly data?: unknown;
  };
  const members = [["code", code], ["data", data]].filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${String(name)}=${show(value, depth - 1, above)}`);
  return `${error.name}: ${error.message}${members.join("")}`;
}

const LINE = 100;

function join(open: string, parts: readonly string[], close: string): string {
  if (parts.length === 0) return open + close;
  const line = `${open} ${parts.join(", ")} ${close}`;
  if (line.length <= LINE && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `  ${part.replaceAll("\n", "\n  ")},`).join("\n")}\n${close}`;
}
