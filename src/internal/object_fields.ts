import { isJsonObject } from "./json.ts";

/** Named values, as they are sent. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of what should be an object: none, if it is something else. */
export function membersOf(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}

/** The value, if it is of the type of what otherwise stands for it. */
export function valueOr<Value>(value: unknown, other: Value): Value {
  return typeof value === typeof other ? value as Value : other;
}
