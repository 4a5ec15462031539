/** Validation of what programs give as the caller of a request. */
import { isJsonObject } from "../../internal/json.ts";
import type { Principal } from "./call.ts";

/**
 * Validated at run time: an empty id would be an anonymous caller, and a string of scopes would be read by character.
 *
 * @throws {TypeError} If `value` is not a principal.
 */
export function assertPrincipal(value: unknown): asserts value is Principal {
  if (isJsonObject(value)) {
    const { id, scopes = [] } = value;
    const isScopes = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
    if (typeof id === "string" && id !== "" && isScopes) return;
  }
  throw new TypeError(
    "Cannot identify the caller: give a principal { id, scopes?, claims? } with a non-empty id and an array of scopes, or undefined for a caller that is not known",
  );
}
