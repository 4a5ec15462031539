import { isJsonObject } from "../internal/json.ts";
import type { CallMeta } from "./call.ts";
import { type Refusal, refuseInput } from "./outcome.ts";

/** Longest idempotency key, in UTF-16 code units. */
const MAX_KEY = 256;

interface Member {
  /** The member of {@link CallMeta} that it becomes. */
  readonly name: keyof CallMeta;
  /** What it has to be, for people. */
  readonly expected: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): value is string => typeof value === "string";

const MEMBERS: Readonly<Record<string, Member>> = {
  deadline_ms: {
    name: "deadlineMs",
    expected: "a positive number of milliseconds",
    fits: (value) => typeof value === "number" && value > 0,
  },
  continuation: { name: "continuation", expected: "a string", fits: isText },
  responses: { name: "responses", expected: "an object", fits: isJsonObject },
  context: { name: "context", expected: "a string", fits: isText },
  idempotency_key: {
    name: "idempotencyKey",
    expected: `a string of 1 to ${MAX_KEY} characters`,
    fits: (value) => isText(value) && value !== "" && value.length <= MAX_KEY,
  },
  promise: { name: "isPromiseWanted", expected: "true or false", fits: (value) => typeof value === "boolean" },
};

/**
 * Reads what a caller says about a call, by its names on the wire. Total: bad input is a value.
 *
 * @param where What it is called there.
 */
export function decodeCallMeta(meta: unknown, where = "params._meta"): CallMeta | Refusal {
  if (!isJsonObject(meta)) return refuseInput(`${where} must be an object`, ["_meta"], "object", meta);
  const decoded: Record<string, unknown> = {};
  for (const [wireName, { name, expected, fits }] of Object.entries(MEMBERS)) {
    const value = meta[wireName];
    if (value === undefined) continue;
    if (!fits(value)) {
      return refuseInput(`${where}.${wireName} must be ${expected}`, ["_meta", wireName], expected, value);
    }
    decoded[name] = value;
  }
  return decoded;
}
