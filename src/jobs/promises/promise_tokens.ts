import { type ErrorResult, errorResult, type PromiseOutcome } from "../../core/call/outcome.ts";
import type { Peer } from "../../core/call/call.ts";
import { callerKey } from "../../internal/caller_key.ts";
import type { TokenKeys } from "../../core/token/token.ts";
import { toolOfToken } from "../../core/dispatch/attached_tools.ts";
import type { RemotePromise } from "../../core/tool/definition.ts";
import type { Json } from "../../internal/json.ts";
import { authorizationError } from "../../core/tool/access.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { warnOfRefused } from "../../core/dispatch/token_refusal_log.ts";

/** Delay that a promise recommends before it is redeemed, in milliseconds; jobs that wait, and external work after a check, set others. */
export const RETRY_AFTER_MS = 500;

/** Time that a job is stored beyond the expiry of its promise, in milliseconds: the engine's clock may be ahead. */
export const CLOCK_SKEW_MS = 60_000;

/** Signs promise tokens for a tool and a caller, and reads them. Invalid and expired ones give error results. */
export class PromiseTokens {
  readonly #services: DispatchServices;
  readonly #keys: TokenKeys;

  constructor(services: DispatchServices, keys: TokenKeys) {
    this.#services = services;
    this.#keys = keys;
  }

  /**
   * The promise of external work.
   *
   * @throws {RangeError} If its state is longer than a token may be.
   */
  ofExternal({ definition: { name }, principal, callId }: CallContext, ttlMs: number, state: unknown): PromiseOutcome {
    const expiresAtMs = this.#services.clock.now() + ttlMs;
    // JSON has no undefined.
    const token = this.sign(name, principal, callId, expiresAtMs, (state ?? null) as Json);
    return { kind: "promise", token, expiresAtMs, ttlMs, retryAfterMs: RETRY_AFTER_MS };
  }

  /** Reads a token of this caller. Errors: expired, missing scopes of the tool, or not a promise of this server, without the reason. */
  open(token: string, peer: Pick<Peer, "principal" | "session">): RemotePromise | ErrorResult {
    const { principal } = peer;
    const caller = callerKey(principal);
    const { clock, registry } = this.#services;
    const verified = this.#keys.verify("promise", token, caller, clock.now());
    if (verified === "expired") return errorResult("expired_promise", "The promise has expired");
    const definition = verified === "invalid" ? undefined : toolOfToken(registry, verified.tool, peer);
    if (verified === "invalid" || definition === undefined) {
      const reason = verified === "invalid"
        ? undefined
        : `this caller or server does not have its tool ${verified.tool}`;
      warnOfRefused(this.#services, this.#keys, { kind: "promise", token, principal: caller, reason });
      return errorResult("invalid_promise", "Not a promise of this server");
    }
    // The caller may have lost the scopes of the tool since.
    return authorizationError(definition, principal) ??
      { token, id: verified.id, definition: definition, expiresAtMs: verified.expSeconds * 1000, data: verified.data };
  }

  /** Signs a promise token for the work `id` of a tool, which only this caller can redeem (`undefined`: unauthenticated callers). */
  sign(tool: string, caller: Peer["principal"], id: string, expiresAtMs: number, data: Json | undefined): string {
    return this.#keys.sign("promise", {
      id,
      tool,
      principal: callerKey(caller),
      expSeconds: Math.ceil(expiresAtMs / 1000),
      data,
    });
  }
}
