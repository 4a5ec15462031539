/**
 * Decodes the records of sessions in Redis. Other programs may have written there: each function returns `undefined` for an invalid
 * record, which the caller reports and skips.
 */
import type { McpSession, SessionEvent, StoredMessage } from "../../wires/mcp/http/sessions/store.ts";

/** Parses JSON; `undefined` if it is invalid. */
function parse(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a session; `undefined` if it is not JSON with this id. The wire validates its other members. */
export function toSession(text: unknown, id: string): McpSession | undefined {
  const value = parse(text) as McpSession | null | undefined;
  return typeof value === "object" && value?.id === id ? value : undefined;
}

/** Decodes an event of a session, as Redis publishes it: a message, a response, a cancellation or the end. `undefined` if it is malformed. */
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

/** Entry of a Redis stream: its id, and names and values in turn. */
export type Entry = readonly [id: string, fields: readonly string[]];

/** Returns the value of a field of an entry; `undefined` if it has no such field. */
export function fieldOf([, fields]: Entry, name: string): string | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field === name);
  return at === -1 ? undefined : fields[at + 1];
}

/** Decodes a stored message of a stream: its number from the entry's id, and one line of JSON. `undefined` if either is invalid. */
export function toMessage(entry: Entry): StoredMessage | undefined {
  const json = fieldOf(entry, "json");
  const number = Number.parseInt(entry[0], 10);
  if (json === undefined || /[\r\n]/.test(json) || parse(json) === undefined || !Number.isSafeInteger(number)) {
    return undefined;
  }
  return { number, json, isLast: fieldOf(entry, "last") === "1" };
}
