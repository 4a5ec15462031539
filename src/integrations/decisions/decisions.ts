/** The seam around a call: a decision before it runs and a record after it. Policies, quotas and audits are values that plug into it. */
import type { Principal } from "../../core/call/call.ts";
import { type CallResult, type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type { Middleware, MiddlewareCtx, PerRunMiddleware } from "../../core/handler/middleware.ts";
import type { Schema } from "../../core/schema/standard_schema.ts";
import { digestOf } from "../../core/token/digest.ts";
import { isPromiseLike, type MaybePromise } from "../../internal/async.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject } from "../../internal/json.ts";
import { checkOptions, FUNCTION, type OptionRules, rule } from "../../internal/options.ts";
import { assertDecision, type Decision } from "./decision.ts";

/** A run of a tool that is decided about. */
export interface DecidedCall {
  /** Name of the tool. Prompts and resources have names that no tool can have. */
  /** Name of the tool. */
  readonly tool: string;
  /** Value of `.revision()` of the tool; `undefined` without. */
  readonly revision: string | undefined;
  /** The arguments after validation: with defaults, and as the schema converts them. Of a tool behind a gateway: as received. */
  readonly args: unknown;
  /** Who calls, with the tenant; `undefined` for an anonymous caller. */
  readonly principal: Principal | undefined;
  /** Name of the wire, such as `mcp`. A run of a job has `job`. */
  readonly wire: string;
  /** Id of the call, the same in all runs of its job. */
  readonly callId: string;
  /** Number of the run, from 1. */
  readonly attempt: number;
  /** Time of the server's clock, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Decides about a call. What it throws denies the call: a `ToolError` with its code, all else masked. */
export type Decide = (call: DecidedCall) => MaybePromise<Decision>;

/** A run of a tool that has ended, as {@link RecordCall} gets it. It is JSON, without arguments and values. */
export interface CallRecord {
  /** When the run ended, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Id of the caller; absent for an anonymous one. */
  readonly principal?: string;
  /** Tenant of the caller; absent for a caller without one. */
  readonly tenant?: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Value of `.revision()` of the tool; absent without. */
  readonly revision?: string;
  /** SHA-256 of the tool's name and the arguments as they were received, in hexadecimal. */
  readonly args: string;
  /** Name of the wire, such as `mcp`. */
  readonly wire: string;
  /** Id of the call, the same in each run of a job. */
  readonly callId: string;
  /** Number of the run, from 1. */
  readonly attempt: number;
  /** What was decided; `none` if the arguments do not fit, and the policy was not asked. */
  readonly decision: Decision["kind"] | "none";
  /** What the call costs; absent if nothing. */
  readonly cost?: number;
  /** How the run ended: `answer`, `failure` or `error`; `promise` for work that continues elsewhere. */
  readonly outcome: CallResult["kind"];
  /** Code of a failure or an error. */
  readonly code?: string;
  /** Time from the decision to the end, in milliseconds. */
  readonly tookMs: number;
}

/** Takes the record of a run that has ended; one that stops at a question or a wait is recorded when it has ended later. The caller gets the result when it is done. What it throws is logged, and changes no result. */
export type RecordCall = (record: CallRecord) => MaybePromise<void>;

/** Options of {@link decisions}: at least one of them. */
export interface DecisionsOptions {
  /** Decides about each run, or several that are asked in turn until one does not allow it. Default: each run is allowed. */
  readonly decide?: Decide | readonly Decide[] | undefined;
  /** Takes a record of each run that has ended, or several that take it at the same time. Default: none. */
  readonly record?: RecordCall | readonly RecordCall[] | undefined;
}

const CALLBACKS = rule("a function, or an array of functions", (value) => {
  return [value].flat().every((one) => FUNCTION.fits(one));
});
const RULES: OptionRules<DecisionsOptions> = { decide: CALLBACKS, record: CALLBACKS };

/**
 * Creates middleware that decides about each run of a tool before its handler begins, and records each run after it has ended: calls, runs
 * of jobs, calls of handlers by `ctx.call`, prompts, resources and tools of gateways, once each. Redeeming and cancelling a promise is not
 * decided about again.
 *
 * @example One tenant removes, and each call is written down
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { allow, decisions, deny } from "jsr:@toolwire/toolwire/decisions";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const records: string[] = [];
 * const remove = defineTool("remove").describe("Remove").handle(() => "removed");
 * const server = createServer({
 *   tools: [remove],
 *   middleware: [decisions({
 *     decide: ({ principal }) => (principal?.tenant === "acme" ? allow() : deny("Only acme removes")),
 *     record: ({ tool, decision, outcome }) => void records.push(`${tool} ${decision} ${outcome}`),
 *   })],
 * });
 * console.log(await testClient(server, { principal: { id: "ada", tenant: "acme" } }).remove()); // → removed
 * await testClient(server, { principal: { id: "eve" } }).remove().catch(() => {});
 * console.log(records); // → ["remove allow answer", "remove deny error"]
 * ```
 * @throws {TypeError} If there is neither option, or one is invalid or unknown.
 */
export function decisions(options: DecisionsOptions): Middleware {
  checkOptions("decide about calls", options, RULES);
  const { decide = [], record = [] } = options;
  const seam = new Seam([decide].flat(), [record].flat());
  if (seam.isEmpty) throw new TypeError("Cannot decide about calls: pass decide, record, or both");
  const around: Middleware = (ctx, next) => seam.around(ctx as MiddlewareCtx & CallContext, next);
  const perRun: PerRunMiddleware = { "~perRun": true };
  return Object.assign(around, perRun);
}

/** A run while it is decided about. */
interface DecidedRun {
  decision: CallRecord["decision"];
  cost: number;
}

/** How a run has ended. */
interface RunEnd {
  readonly kind: CallResult["kind"];
  readonly code?: string | undefined;
}

type Next = () => MaybePromise<CallResult>;

/** The decision before a run and the record after it. */
class Seam {
  readonly #decide: readonly Decide[];
  readonly #record: readonly RecordCall[];

  constructor(decide: readonly Decide[], record: readonly RecordCall[]) {
    this.#decide = decide;
    this.#record = record;
  }

  get isEmpty(): boolean {
    return this.#decide.length + this.#record.length === 0;
  }

  around(ctx: MiddlewareCtx & CallContext, next: Next): MaybePromise<CallResult> {
    // A look at external work belongs to the call that began it.
    if (ctx.tool.isSystem || ctx.redeemed !== undefined) return next();
    return this.#run(ctx, next);
  }

  async #run(ctx: MiddlewareCtx & CallContext, next: Next): Promise<CallResult> {
    const startedMs = ctx.clock.elapsed();
    const run: DecidedRun = { decision: "none", cost: 0 };
    const write = (end: RunEnd) => this.#write(ctx, run, end, ctx.clock.elapsed() - startedMs);
    try {
      const result = await this.#admit(ctx, run) ?? await next();
      await write(result);
      return result;
    } catch (thrown) {
      await write({ kind: "error", code: codeOf(thrown) });
      throw thrown;
    }
  }

  /** The error for a run that may not begin; `undefined` if it may, or its arguments do not fit, which the run itself reports. */
  async #admit(ctx: MiddlewareCtx & CallContext, run: DecidedRun): Promise<ErrorResult | undefined> {
    const { call, definition } = ctx;
    if (this.#decide.length === 0) {
      run.decision = "allow";
      return undefined;
    }
    const checked = await definition.input?.validate(call.args);
    if (checked?.issues !== undefined) return undefined;
    const decided: DecidedCall = {
      tool: definition.name,
      revision: definition.revision,
      args: checked === undefined ? call.args : checked.value,
      principal: ctx.principal,
      wire: call.peer.wire,
      callId: ctx.callId,
      attempt: ctx.attempt,
      nowMs: ctx.clock.now(),
    };
    run.decision = "deny";
    for (const [index, decide] of this.#decide.entries()) {
      const decision = assertDecision(await decide(decided));
      if (decision.kind === "deny") return denied(decision.reason, decision.code, decision.retryAfterMs);
      if (decision.kind === "ask") {
        run.decision = "ask";
        const answer = await ctx.elicit(`toolwire decision ${index}`, {
          message: decision.message,
          schema: CONFIRMATION,
        });
        if (answer.action !== "accept" || !answer.content.confirmed) {
          return denied("The call was not confirmed, so it did not run", "permission_denied");
        }
      }
      run.cost += decision.cost ?? 0;
    }
    if (run.decision !== "ask") run.decision = "allow";
    return undefined;
  }

  async #write(
    ctx: MiddlewareCtx & CallContext,
    { decision, cost }: DecidedRun,
    end: RunEnd,
    tookMs: number,
  ): Promise<void> {
    if (this.#record.length === 0) return;
    const { principal, definition, call } = ctx;
    const record: CallRecord = {
      atMs: ctx.clock.now(),
      ...(principal !== undefined && { principal: principal.id }),
      ...(principal?.tenant !== undefined && { tenant: principal.tenant }),
      tool: definition.name,
      ...(definition.revision !== undefined && { revision: definition.revision }),
      args: digestOf(definition.name, call.args),
      wire: call.peer.wire,
      callId: ctx.callId,
      attempt: ctx.attempt,
      decision,
      ...(cost > 0 && { cost }),
      outcome: end.kind,
      ...(end.code !== undefined && { code: end.code }),
      tookMs: Math.round(tookMs * 1000) / 1000,
    };
    await Promise.all(this.#record.map(async (take) => {
      try {
        const taken = take(record);
        if (isPromiseLike(taken)) await taken;
      } catch (error) {
        const fields = { tool: record.tool, callId: record.callId, error };
        ctx.logger?.error("The record of a call could not be taken, and is missing", fields);
      }
    }));
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof ToolError ? thrown.code : "internal";
}

function denied(reason: string, code: ErrorResult["code"], retryAfterMs?: number): ErrorResult {
  return errorResult(code, reason, retryAfterMs === undefined ? undefined : { retry_after_ms: retryAfterMs });
}

const CONFIRMATION_SCHEMA = {
  type: "object",
  properties: { confirmed: { type: "boolean", title: "Confirm", description: "Whether the call may run" } },
  required: ["confirmed"],
};

const confirmation = {
  version: 1 as const,
  vendor: "json-schema",
  validate(value: unknown) {
    const confirmed = isJsonObject(value) ? value["confirmed"] : undefined;
    return typeof confirmed === "boolean"
      ? { value: { confirmed } }
      : { issues: [{ message: "confirmed has to be true or false", path: ["confirmed"] }] };
  },
  jsonSchema: { input: () => CONFIRMATION_SCHEMA },
};

/** Schema of the answer of a caller who is asked. */
const CONFIRMATION: Schema<{ confirmed: boolean }> = { "~standard": confirmation };
