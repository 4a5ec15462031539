/** Log lines for tokens that were refused. Their callers are not given the reason. */
import { readCallerKey } from "../../internal/caller_key.ts";
import type { Clock } from "../../internal/time.ts";
import type { Logger } from "../handler/context.ts";
import type { TokenKeys, TokenKind } from "../token/token.ts";
import { writeLine } from "./error_masking.ts";

/** Time without another line, in milliseconds: any client can send any number of wrong tokens. */
const QUIET_MS = 60_000;

/** Number of tokens refused since the last warning, and the time before which no further one is written. */
interface WarningThrottle {
  refused: number;
  untilMs: number;
}

const refusalsOf = new WeakMap<TokenKeys, WarningThrottle>();

/** A token that was refused, with its caller and the reason, as far as it is known, for the warning in the log. */
export interface RefusedToken {
  readonly kind: TokenKind;
  readonly token: string;
  /** Key of the caller; `""` for an unauthenticated one. */
  readonly principal: string;
  /** Why it was refused, if its signature is valid for this caller. */
  readonly reason?: string | undefined;
}

/** Warns that a token was refused, with the reason as far as it is known, at most once a minute. */
export function warnOfRefused(
  { logger, clock }: { readonly logger: Logger | undefined; readonly clock: Clock },
  keys: TokenKeys,
  { kind, token, principal, reason }: RefusedToken,
): void {
  const nowMs = clock.now();
  const count = refusalsOf.get(keys) ?? { refused: 0, untilMs: -Infinity };
  refusalsOf.set(keys, count);
  count.refused++;
  if (logger === undefined || nowMs < count.untilMs) return;
  const { refused } = count;
  Object.assign(count, { refused: 0, untilMs: nowMs + QUIET_MS });
  const why = reason ?? reasonOf(keys, { kind, token, principal }, nowMs);
  const { id, tenant } = readCallerKey(principal);
  const caller = { ...(id !== "" && { principal: id }), ...(tenant !== undefined && { tenant }) };
  writeLine(logger, "warn", `A ${kind} token was refused: ${why}`, { ...caller, refused });
}

/** The caller of a token is not in it, so that only an anonymous one can be distinguished from others. */
function reasonOf(keys: TokenKeys, { kind, token, principal }: RefusedToken, nowMs: number): string {
  if (principal !== "" && typeof keys.verify(kind, token, "", nowMs) === "object") {
    return "it was given to an anonymous caller, and this one is signed in; send the same credentials with all calls";
  }
  return "it was given to another caller, was signed by other keys, or was changed";
}
