import { type CallResult, type ErrorResult, errorResult, type PromiseOutcome } from "../../call/outcome.ts";
import type { Engine, Job } from "../../../engine/engine.ts";
import type { Principal } from "../../call/call.ts";
import type { Json } from "../../../internal/json.ts";
import { authorizationError } from "../../tool/access.ts";
import type { ToolDefinition } from "../../tool/definition.ts";
import { askKind } from "../questions/asking.ts";
import type { DispatchServices } from "../services.ts";
import type { CallContext } from "../call_context.ts";

/** How long a caller should wait before it redeems a promise, in milliseconds. */
const RETRY_AFTER_MS = 500;

/** How much longer than its promise a job is kept, in milliseconds: the engine's clock may be ahead of a server's. */
export const CLOCK_SKEW_MS = 60_000;

/** A promise token, read. */
export interface OpenedPromise {
  /** As it was given. */
  readonly token: string;
  /** Id of the job, if there is one. */
  readonly id: string;
  /** What was called. */
  readonly definition: ToolDefinition;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** Of an external tool, its state; else, which process knows the job, if only one does. */
  readonly data: Json | undefined;
}

/** Makes and reads promises. */
export class PromiseTokens {
  readonly #host: DispatchServices;
  readonly #engine: Engine;

  constructor(host: DispatchServices, engine: Engine) {
    this.#host = host;
    this.#engine = engine;
  }

  /**
   * The promise of a job.
   *
   * @param token What its caller has already: the same until the end, also where it was signed with a key that signs no more.
   */
  ofJob(job: Job, token: string = this.#signJob(job)): PromiseOutcome {
    const { progress, estimatedMs } = job;
    const expiresAtMs = toPromiseEnd(job);
    const ttlMs = Math.max(0, expiresAtMs - this.#host.clock.now());
    return { kind: "promise", token, expiresAtMs, ttlMs, retryAfterMs: RETRY_AFTER_MS, progress, estimatedMs };
  }

  /**
   * The promise of work that goes on elsewhere.
   *
   * @throws {RangeError} If its state is too much for a token.
   */
  ofExternal({ definition: plan, principal, callId }: CallContext, ttlMs: number, state: unknown): PromiseOutcome {
    const expiresAtMs = this.#host.clock.now() + ttlMs;
    // Without a state there is nothing to say; JSON has no undefined.
    const token = this.#sign(plan.name, principal?.id, callId, expiresAtMs, (state ?? null) as Json);
    return { kind: "promise", token, expiresAtMs, ttlMs, retryAfterMs: RETRY_AFTER_MS };
  }

  /** Reads a token; a refusal if it is none of this caller's. Whose it is instead, or what is wrong with it, is not told. */
  open(token: string, principal: Principal | undefined): OpenedPromise | ErrorResult {
    const { keys, clock, registry } = this.#host;
    const verified = keys.verify("promise", token, principal?.id ?? "", clock.now());
    if (verified === "expired") return errorResult("expired_promise", "The promise has expired");
    const plan = verified === "invalid" ? undefined : registry.resolveFor(verified.tool, principal);
    if (verified === "invalid" || plan === undefined) {
      return errorResult("invalid_promise", "Not a promise of this server");
    }
    // Since it was given, the caller may have lost what it takes.
    return authorizationError(plan, principal) ??
      { token, id: verified.id, definition: plan, expiresAtMs: verified.expSeconds * 1000, data: verified.data };
  }

  /** Whether the engine can know the job of a promise. */
  isKnowable({ data }: OpenedPromise): boolean {
    return (data as { readonly instance?: string } | undefined)?.instance === this.#engine.processId;
  }

  /** The refusal for a promise whose job is not known, with what would have helped. */
  lost(): ErrorResult {
    const { name, processId: instance } = this.#engine;
    const reason = instance === undefined
      ? `the engine ${name} has no such job, or none any more`
      : `the engine ${name} keeps jobs in one process only, until it ends; with the engines sqlite and bullmq they outlive it`;
    return errorResult("promise_lost", `This server does not know the promised work: ${reason}`, { engine: name });
  }

  /**
   * What the caller of a job is told.
   *
   * @param token The promise, if the caller has it.
   */
  settledOf(job: Job, token?: string): CallResult {
    const { state, requests, outcome } = job;
    if (state === "cancelled") {
      return { kind: "failure", code: "cancelled", message: "The work was cancelled", data: undefined };
    }
    if (state === "asking" && requests !== undefined) {
      return { kind: askKind(requests), requests, continuation: token ?? this.#signJob(job) };
    }
    return state === "done" && outcome !== undefined ? outcome : this.ofJob(job, token);
  }

  #signJob(job: Job): string {
    const { id, tool, principal } = job;
    const { processId: instance } = this.#engine;
    return this.#sign(tool, principal?.id, id, toPromiseEnd(job), instance === undefined ? undefined : { instance });
  }

  #sign(tool: string, principal = "", id: string, expiresAtMs: number, data: Json | undefined): string {
    return this.#host.keys.sign("promise", { id, tool, principal, expSeconds: Math.ceil(expiresAtMs / 1000), data });
  }
}

/** When the promise of a job ends, in milliseconds since the Unix epoch. */
function toPromiseEnd({ expiresAtMs }: Job): number {
  return expiresAtMs - CLOCK_SKEW_MS;
}
