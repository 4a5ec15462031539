/** Authorization and visibility of tools, prompts and resources. */
import type { Principal } from "../call/call.ts";
import { type ErrorResult, errorResult } from "../call/outcome.ts";
import { FUNCTION, type OptionRules, rule } from "../../internal/options.ts";

/** What a predicate of `.visibleTo()` receives beside the principal. */
export interface SeenIn {
  /**
   * Id of the MCP session in which the caller asks, as `ctx.session` of its calls. `undefined` without sessions, in 2026-07-28, and on
   * other wires.
   */
  readonly session: string | undefined;
}

/** Whether a caller may see a tool, in its session if there is one. Anything but `true` hides it. */
export type IsVisible = (principal: Principal | undefined, seenIn: SeenIn) => boolean;

/** Which callers may see and use a tool, prompt or resource: the scopes that they need, and a predicate for its visibility. */
export interface Access {
  /** Scopes that a caller needs, all of them. */
  readonly scopes: readonly string[];
  /** Whether a caller may see it. `undefined`: visible to all. */
  readonly isVisible: IsVisible | undefined;
}

/** Which callers may use several tools at once: those of a group, of a gateway, or of an OpenAPI document. */
export interface AccessOptions {
  /**
   * Whether a caller may see the tools. Others find them in no list and no search, and their calls are answered as those of unknown tools.
   * It is in addition to the tools' own `.visibleTo()`. Default: all callers.
   */
  readonly visibleTo?: IsVisible | undefined;
  /** Scopes that callers need, all of them, in addition to the tools' own `.scopes()`. Default: none. */
  readonly scopes?: readonly string[] | undefined;
}

/** Rules that validate {@link AccessOptions}, for `checkOptions`. */
export const ACCESS_RULES: OptionRules<AccessOptions> = {
  visibleTo: FUNCTION,
  scopes: rule('an array of scopes, such as ["read"]', (value) => Array.isArray(value) && value.every(isScope)),
};

function isScope(scope: unknown): boolean {
  return typeof scope === "string" && /^\S+$/.test(scope);
}

/** Adds restrictions to those that there are: a caller has to fulfil all. */
export function restrict({ scopes, isVisible }: Access, { scopes: added = [], visibleTo }: AccessOptions): Access {
  return {
    scopes: added.length === 0 ? scopes : [...new Set([...scopes, ...added])],
    isVisible: isVisible === undefined || visibleTo === undefined
      ? isVisible ?? visibleTo
      : (principal, seenIn) => visibleTo(principal, seenIn) === true && isVisible(principal, seenIn) === true,
  };
}

/**
 * Returns the scopes of a tool, prompt or resource with further ones, which callers need as well. `label` names it in the error.
 *
 * @throws {TypeError} If there are no scopes, or one is empty or contains spaces.
 */
export function addScopes(scopes: readonly string[], added: readonly string[], label: string): readonly string[] {
  if (added.length > 0 && added.every(isScope)) return [...scopes, ...added];
  throw new TypeError(`Cannot set the scopes of ${label}: name each, as .scopes("read", "write")`);
}

/** Returns the error for a caller without all scopes: `unauthenticated` without a principal, else `permission_denied`. `undefined` if it has them. */
export function authorizationError({ scopes }: Pick<Access, "scopes">, principal?: Principal): ErrorResult | undefined {
  if (scopes.every((scope) => principal?.scopes?.includes(scope))) return undefined;
  const code = principal === undefined ? "unauthenticated" : "permission_denied";
  return errorResult(code, `Needs scopes ${scopes.join(", ")}`, { required_scopes: scopes });
}

/**
 * Whether a caller may see it. If the predicate throws or returns anything but `true`, it is hidden.
 *
 * @param session Id of the session that the server has found for the request; `undefined` without one.
 */
export function isVisibleTo({ isVisible }: Access, principal: Principal | undefined, session?: string): boolean {
  try {
    return isVisible === undefined || isVisible(principal, { session }) === true;
  } catch {
    return false;
  }
}
