import { type CallResult, type ErrorResult, errorResult, type PromiseOutcome } from "../../call/outcome.ts";
import type { Engine, Job } from "../../../engine/engine.ts";
import type { Principal } from "../../call/call.ts";
import type { TokenKeys } from "../../token/token.ts";
import { toolOfToken } from "../attached_tools.ts";
import type { RemotePromise } from "../../tool/definition.ts";
import type { Json } from "../../../internal/json.ts";
import { authorizationError } from "../../tool/access.ts";
import { resultKindOf } from "../questions/asking.ts";
import type { DispatchServices } from "../deferral.ts";
import type { CallContext } from "../call_context.ts";
import { awaitsValue, describeWaits } from "./job_waits.ts";

/** Recommended delay before a promise is redeemed, in milliseconds. */
const RETRY_AFTER_MS = 500;

/** Longest such delay while a job sleeps, and while it waits for a value, which may come at any time, in milliseconds. */
const MAX_SLEEP_MS = 30_000;
const MAX_WAIT_MS = 1_000;

/** Time that a job is stored beyond the expiry of its promise, in milliseconds: the engine's clock may be ahead. */
export const CLOCK_SKEW_MS = 60_000;

/** Issues and reads promise tokens. */
export class PromiseTokens {
  readonly #services: DispatchServices;
  readonly #engine: Engine;
  readonly #keys: TokenKeys;

  constructor(services: DispatchServices, engine: Engine, keys: TokenKeys) {
    this.#services = services;
    this.#engine = engine;
    this.#keys = keys;
  }

  /**
   * The promise of a job.
   *
   * @param token The token that the caller has already; it stays the same, even if its key no longer signs.
   */
  ofJob(job: Job, token: string = this.#signJob(job)): PromiseOutcome {
    const { progress, estimatedMs, state } = job;
    const expiresAtMs = toPromiseEnd(job);
    const ttlMs = Math.max(0, expiresAtMs - this.#services.clock.now());
    const promise = { kind: "promise", token, expiresAtMs, ttlMs, retryAfterMs: RETRY_AFTER_MS, progress } as const;
    return state === "waiting" ? this.#waiting(promise, job) : { ...promise, estimatedMs };
  }

  /** The promise of a job that waits: callers see what for, and need not ask before. */
  #waiting(promise: PromiseOutcome, job: Job): PromiseOutcome {
    const { wakeAtMs = 0, progress } = job;
    const nowMs = this.#services.clock.now();
    const message = describeWaits(job, nowMs);
    const leftMs = Math.min(wakeAtMs - nowMs, awaitsValue(job) ? MAX_WAIT_MS : MAX_SLEEP_MS);
    return {
      ...promise,
      retryAfterMs: Math.max(RETRY_AFTER_MS, Math.ceil(leftMs)),
      progress: message === "" ? progress : { done: 0, ...progress, message },
    };
  }

  /**
   * The promise of external work.
   *
   * @throws {RangeError} If its state is longer than a token may be.
   */
  ofExternal({ definition: { name }, principal, callId }: CallContext, ttlMs: number, state: unknown): PromiseOutcome {
    const expiresAtMs = this.#services.clock.now() + ttlMs;
    // JSON has no undefined.
    const token = this.#sign(name, principal?.id, callId, expiresAtMs, (state ?? null) as Json);
    return { kind: "promise", token, expiresAtMs, ttlMs, retryAfterMs: RETRY_AFTER_MS };
  }

  /** Reads a token of this caller; the error for other tokens does not disclose the reason. */
  open(token: string, principal: Principal | undefined): RemotePromise | ErrorResult {
    const { clock, registry } = this.#services;
    const verified = this.#keys.verify("promise", token, principal?.id ?? "", clock.now());
    if (verified === "expired") return errorResult("expired_promise", "The promise has expired");
    const plan = verified === "invalid" ? undefined : toolOfToken(registry, verified.tool, principal);
    if (verified === "invalid" || plan === undefined) {
      return errorResult("invalid_promise", "Not a promise of this server");
    }
    // The caller may have lost the scopes of the tool since.
    return authorizationError(plan, principal) ??
      { token, id: verified.id, definition: plan, expiresAtMs: verified.expSeconds * 1000, data: verified.data };
  }

  /** Whether the engine can have the job of a promise: engines of one process have only their own. */
  isKnowable({ data }: RemotePromise): boolean {
    return (data as { readonly instance?: string } | undefined)?.instance === this.#engine.processId;
  }

  /** The error for a promise whose job the engine does not have, with a remedy. */
  promiseLost(): ErrorResult {
    const { name, processId: instance } = this.#engine;
    const reason = instance === undefined
      ? `the engine ${name} has no such job, or none any more`
      : `the engine ${name} keeps jobs in one process only, until it ends; with the engines sqlite and bullmq they outlive it`;
    return errorResult("promise_lost", `This server does not know the promised work: ${reason}`, { engine: name });
  }

  /**
   * The result for the caller of a job.
   *
   * @param token The promise token, if the caller has it.
   */
  resultOf(job: Job, token?: string): CallResult {
    const { state, requests, outcome } = job;
    if (state === "cancelled") {
      return { kind: "failure", code: "cancelled", message: "The work was cancelled", data: undefined };
    }
    if (state === "asking" && requests !== undefined) {
      return { kind: resultKindOf(requests), requests, continuation: token ?? this.#signJob(job) };
    }
    return state === "done" && outcome !== undefined ? outcome : this.ofJob(job, token);
  }

  #signJob(job: Job): string {
    const { id, tool, principal } = job;
    const { processId: instance } = this.#engine;
    return this.#sign(tool, principal?.id, id, toPromiseEnd(job), instance === undefined ? undefined : { instance });
  }

  #sign(tool: string, principal = "", id: string, expiresAtMs: number, data: Json | undefined): string {
    return this.#keys.sign("promise", {
      id,
      tool,
      principal,
      expSeconds: Math.ceil(expiresAtMs / 1000),
      data,
    });
  }
}

/** When the promise of a job ends, in milliseconds since the Unix epoch. */
function toPromiseEnd({ expiresAtMs }: Job): number {
  return expiresAtMs - CLOCK_SKEW_MS;
}
