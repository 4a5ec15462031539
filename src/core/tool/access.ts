/** Authorization and visibility of tools, prompts and resources. */
import type { Principal } from "../call/call.ts";
import { type ErrorResult, errorResult } from "../call/outcome.ts";

/** Which callers may see and use a tool, prompt or resource: the scopes that they need, and a predicate for its visibility. */
export interface Access {
  /** Scopes that a caller needs, all of them. */
  readonly scopes: readonly string[];
  /** Whether a caller may see it. `undefined`: visible to all. */
  readonly isVisible: ((principal: Principal | undefined) => boolean) | undefined;
}

/**
 * Returns the scopes of a tool, prompt or resource with further ones, which callers need as well. `label` names it in the error.
 *
 * @throws {TypeError} If there are no scopes, or one is empty or contains spaces.
 */
export function addScopes(scopes: readonly string[], added: readonly string[], label: string): readonly string[] {
  const areScopes = added.every((scope) => typeof scope === "string" && /^\S+$/.test(scope));
  if (added.length > 0 && areScopes) return [...scopes, ...added];
  throw new TypeError(`Cannot set the scopes of ${label}: name each, as .scopes("read", "write")`);
}

/** Returns the error for a caller without all scopes: `unauthenticated` without a principal, else `permission_denied`. `undefined` if it has them. */
export function authorizationError({ scopes }: Pick<Access, "scopes">, principal?: Principal): ErrorResult | undefined {
  if (scopes.every((scope) => principal?.scopes?.includes(scope))) return undefined;
  const code = principal === undefined ? "unauthenticated" : "permission_denied";
  return errorResult(code, `Needs scopes ${scopes.join(", ")}`, { required_scopes: scopes });
}

/** Whether a caller may see it. If the predicate throws or returns anything but `true`, it is hidden. */
export function isVisibleTo({ isVisible }: Access, principal: Principal | undefined): boolean {
  try {
    return isVisible === undefined || isVisible(principal) === true;
  } catch {
    return false;
  }
}
