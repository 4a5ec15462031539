/**
 * Who may use something, and who knows of it.
 *
 * @module
 */
import type { Principal } from "../call/call.ts";
import { type ErrorResult, errorResult } from "../call/outcome.ts";

/** What a caller has to be. */
export interface Access {
  /** All of them are needed. */
  readonly scopes: readonly string[];
  /** Whether a caller may know of it; `undefined`: all may. */
  readonly isVisible: ((principal: Principal | undefined) => boolean) | undefined;
}

/**
 * What is needed in addition to what was.
 *
 * @throws {TypeError} If there is nothing, or one is empty or has spaces.
 */
export function addScopes(scopes: readonly string[], added: readonly string[], label: string): readonly string[] {
  const areScopes = added.every((scope) => typeof scope === "string" && /^\S+$/.test(scope));
  if (added.length > 0 && areScopes) return [...scopes, ...added];
  throw new TypeError(`Cannot set the scopes of ${label}: name each, as .scopes("read", "write")`);
}

/** Why a caller may not use it; `undefined` if it may. */
export function authorizationError({ scopes }: Pick<Access, "scopes">, principal?: Principal): ErrorResult | undefined {
  if (scopes.every((scope) => principal?.scopes?.includes(scope))) return undefined;
  const code = principal === undefined ? "unauthenticated" : "permission_denied";
  return errorResult(code, `Needs scopes ${scopes.join(", ")}`, { required_scopes: scopes });
}

/** Whether a caller may know of it. A predicate that breaks, or does not say plainly yes, keeps it hidden. */
export function isVisibleTo({ isVisible }: Access, principal: Principal | undefined): boolean {
  try {
    return isVisible === undefined || isVisible(principal) === true;
  } catch {
    return false;
  }
}
