/**
 * Reads what Redis has of sessions. Whoever else writes there may have written anything: what makes no sense is told, and
 * passed over.
 *
 * @module
 */
import type { McpSession, SessionEvent, StoredMessage } from "../../wires/mcp/http/sessions/store.ts";

/** JSON text as a value; `undefined` if it is none. */
function parse(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** A session; the wire looks at what is in it. */
export function toSession(text: unknown, id: string): McpSession | undefined {
  const value = parse(text) as McpSession | null | undefined;
  return typeof value === "object" && value?.id === id ? value : undefined;
}

/** A note. */
export function toNote(text: unknown): SessionEvent | undefined {
  const note = parse(text) as SessionEvent | null | undefined;
  if (typeof note !== "object" || note === null) return undefined;
  switch (note.kind) {
    case "message":
      return typeof note.stream === "string" ? note : undefined;
    case "response":
      return typeof note.id === "string" ? note : undefined;
    case "cancelled":
      return typeof note.requestId === "string" || typeof note.requestId === "number" ? note : undefined;
    default:
      return note.kind === "ended" ? note : undefined;
  }
}

/** An entry of a stream of Redis: its id, and names and values in turn. */
export type Entry = readonly [id: string, fields: readonly string[]];

/** The value of an entry's field. */
export function fieldOf([, fields]: Entry, name: string): string | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field === name);
  return at === -1 ? undefined : fields[at + 1];
}

/** A message, which is one line. */
export function toMessage(entry: Entry): StoredMessage | undefined {
  const json = fieldOf(entry, "json");
  const number = Number.parseInt(entry[0], 10);
  if (json === undefined || /[\r\n]/.test(json) || parse(json) === undefined || !Number.isSafeInteger(number)) {
    return undefined;
  }
  return { number, json, isLast: fieldOf(entry, "last") === "1" };
}
