/**
 * A tool of a server elsewhere: what a call means there, and what comes back of it means here.
 *
 * What the caller keeps for that server (promises, continuations, its context) is wrapped into tokens of ours: they are bound to
 * the caller, and what is within them counts for nothing here by itself.
 *
 * @module
 */
import {
  type AnswerOutcome,
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type FailureOutcome,
  type PromiseOutcome,
  type QuestionsResult,
  type Sink,
  type UnknownOutcome,
} from "../../core/call/outcome.ts";
import { RESERVED_META } from "../../core/call/call_meta.ts";
import type { Transport } from "../../core/call/transport.ts";
import { INVALID_CONTINUATION } from "../../core/dispatch/questions/continuation.ts";
import { invalidInput } from "../../core/dispatch/run_tool.ts";
import { isJsonObject, type Json } from "../../internal/json.ts";
import { formatIssues } from "../../core/schema/issues.ts";
import type { Schema } from "../../core/schema/standard_schema.ts";
import { uuidOf } from "../../core/token/digest.ts";
import type { CallerStateSlot } from "../../core/handler/caller_state.ts";
import type { RemotePromise, RemoteRun, RemoteRunner, RemoteWait, ToolDefinition } from "../../core/tool/definition.ts";
import { passRefusal } from "./remote_error.ts";

/** Where a tool is. */
export interface RemotePlace {
  /** What the server is called here. */
  readonly gateway: string;
  /** The way to it. */
  readonly transport: Transport;
  /** What the tool is called there. */
  readonly tool: string;
  /** Whether config of callers goes there. */
  readonly passesConfig: boolean;
  /** Called when the server says that it has no such tool; with the caller's clock, in milliseconds. */
  onLost(nowMs: number): void;
}

type Members = Readonly<Record<string, unknown>>;

/** How long a caller has to answer, in milliseconds. */
const ANSWER_MS = 600_000;

/** How long a promise lasts whose server does not say, in milliseconds; and how long one lasts at most: a hundred years. */
const DEFAULT_TTL_MS = 3_600_000;
const MAX_TTL_MS = 3_155_760_000_000;

/** How far apart two clocks are that tell the same time, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Soonest that a server is asked again, whatever it says, in milliseconds. */
const MIN_RETRY_MS = 50;

/** Longest wait that a server is asked for, in milliseconds. */
const MAX_WAIT_MS = 25_000;

const ASKABLE: ReadonlySet<string> = new Set(["elicitation", "more", "sampling", "roots"]);

/** What MCP adds to `_meta` is about that one result, and the server that it came from. */
const MCP_META: RegExp = /^(?:wrapped|code|data|io\.modelcontextprotocol\/.*)$/s;

const NOT_OURS: ErrorResult = errorResult("invalid_promise", "Not a promise of this server");

/** Anything: it is the other server's to check. */
const ANY: Schema<unknown, unknown> = {
  "~standard": { version: 1, vendor: "toolwire", validate: (value) => ({ value }) },
};

/** Runs a tool at its server. */
export class RelayedTool implements RemoteRunner {
  readonly mayPromise: boolean;
  readonly #place: RemotePlace;
  /** Set if arguments and answers are checked here. */
  readonly #checks: ToolDefinition | undefined;
  readonly #context: CallerStateSlot<unknown>;

  constructor(place: RemotePlace, mayPromise: boolean, checks: ToolDefinition | undefined) {
    this.mayPromise = mayPromise;
    this.#place = place;
    this.#checks = checks;
    this.#context = { name: `gateway ${place.gateway}`, schema: ANY };
  }

  ttlMs({ data }: RemotePromise): number {
    const ttlMs = isJsonObject(data) ? data["ttlMs"] : undefined;
    return typeof ttlMs === "number" ? ttlMs : DEFAULT_TTL_MS;
  }

  async call(run: RemoteRun): Promise<CallResult> {
    const { call: { args, meta, config }, definition: plan, services: host } = run;
    const checked = await this.#checks?.input?.validate(args);
    if (checked?.issues !== undefined) return invalidInput(formatIssues(checked.issues, args));
    const continuation = meta?.continuation === undefined ? undefined : readContinuation(run, plan, meta.continuation);
    if (typeof continuation === "object") return continuation;
    const { idempotencyKey, isPromiseWanted } = meta ?? {};
    const context = run.callerState.get(this.#context);
    const settled = await this.#send(run, plan, this.#place.tool, args, {
      // Of a stream only its caller says how long it may last.
      deadline_ms: run.sink === undefined ? host.deadlineMs(run) : meta?.deadlineMs,
      continuation,
      responses: meta?.responses,
      context: typeof context === "string" ? context : undefined,
      // The server sees one caller for all of ours, whose keys have to be apart.
      idempotency_key: idempotencyKey && uuidOf(run.principalId, idempotencyKey, ...plan.part?.path ?? []),
      promise: isPromiseWanted,
    }, { config: this.#place.passesConfig ? config?.reveal() : undefined });
    this.#keepContext(run, settled);
    return await this.#settle(run, plan, settled);
  }

  async redeem(run: RemoteRun, promise: RemotePromise, { waitMs, isFirst, signal }: RemoteWait): Promise<CallResult> {
    const { meta } = run.call;
    const token = relayedIn(promise.data);
    if (token === undefined) return NOT_OURS;
    const wanted = isFirst ? meta?.continuation : undefined;
    const continuation = wanted === undefined
      ? undefined
      : wanted === promise.token
      ? token
      : readContinuation(run, promise.definition, wanted);
    if (typeof continuation === "object") return continuation;
    const args = { promise: token, wait_ms: Math.floor(Math.min(waitMs, MAX_WAIT_MS)) };
    const said = { continuation, responses: isFirst ? meta?.responses : undefined, deadline_ms: deadlineOf(run) };
    const received = await this.#send(run, promise.definition, "redeem", args, said, { signal });
    return await this.#settle(run, promise.definition, received, promise);
  }

  async cancel(run: RemoteRun, promise: RemotePromise): Promise<CallResult> {
    const token = relayedIn(promise.data);
    if (token === undefined) return NOT_OURS;
    return await this.#settle(run, promise.definition, await this.#cancelAt(run, promise.definition, token), promise);
  }

  #cancelAt(run: RemoteRun, plan: ToolDefinition, token: string): Promise<CallResult | UnknownOutcome> {
    return this.#send(run, plan, "cancel", { promise: token }, { deadline_ms: deadlineOf(run) });
  }

  /** Makes one request; whatever goes wrong on the way is a refusal. */
  async #send(
    run: RemoteRun,
    plan: ToolDefinition,
    tool: string,
    args: unknown,
    said: Members,
    { config, signal = run.signal }: { readonly config?: Members | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<CallResult | UnknownOutcome> {
    const { gateway, transport } = this.#place;
    const members = Object.entries({ ...run.trace, ...said }).filter(([, value]) => value !== undefined);
    const meta = members.length === 0 ? undefined : Object.fromEntries(members);
    const limit = { signal, markActive() {}, suspend() {} };
    try {
      return await transport.call({ tool, args, meta, limit, config }, run.sink && this.#sinkOf(run, plan));
    } catch (cause) {
      // A transport rejects where its own functions do, such as that which gives its headers; and where the call was ended.
      return run.live.ended ?? { ...errorResult("unavailable", `The way to "${gateway}" broke`), cause };
    }
  }

  #sinkOf(run: RemoteRun, plan: ToolDefinition): Sink {
    return {
      closed: run.signal,
      push: (event: CallEvent) => {
        if (event.kind === "progress") return run.live.progress(event.progress);
        if (event.kind === "partial") return run.live.push(event);
        return run.live.push({ kind: "deferred", promise: this.#promise(run, plan, event.promise) });
      },
    };
  }

  /** What came back, in our own words. */
  async #settle(
    run: RemoteRun,
    plan: ToolDefinition,
    settled: CallResult | UnknownOutcome,
    redeemed?: RemotePromise,
  ): Promise<CallResult> {
    const { gateway } = this.#place;
    switch (settled.kind) {
      case "answer":
        return await this.#mismatch(run, plan, settled.value) ??
          { kind: "answer", value: settled.value, ...metaOf(run, settled) };
      case "failure": {
        const { code, message, data } = settled;
        return { kind: "failure", code, message, data, ...metaOf(run, settled) };
      }
      case "promise":
        try {
          return this.#promise(run, plan, settled, redeemed);
        } catch (thrown) {
          // What nobody can redeem goes on for nobody.
          if (redeemed === undefined) await this.#cancelAt(run, plan, settled.token);
          throw thrown;
        }
      case "error":
        if (settled.code === "tool_not_found" && redeemed === undefined) this.#place.onLost(run.clock.elapsed());
        return passRefusal(settled, run, gateway, plan.name);
      case "unknown": {
        const type = settled.responseType.slice(0, 64);
        return errorResult("invalid_request", `The server "${gateway}" answered with ${type}, which is not known here`);
      }
      default:
        return this.#ask(run, plan, settled, redeemed);
    }
  }

  async #mismatch(run: RemoteRun, plan: ToolDefinition, value: unknown): Promise<ErrorResult | undefined> {
    if (run.definition.isSystem && run.definition.name === "cancel") return undefined;
    const checked = value === undefined ? undefined : await this.#checks?.output?.validate(value);
    if (checked?.issues === undefined) return undefined;
    const [issue] = formatIssues(checked.issues, value);
    const problem = new TypeError(
      `The server "${this.#place.gateway}" answers what it does not list: ${issue?.message}`,
    );
    return run.services.mask(problem, { tool: plan.name });
  }

  #promise(run: RemoteRun, plan: ToolDefinition, promise: PromiseOutcome, redeemed?: RemotePromise): PromiseOutcome {
    const { token, ttlMs: saidMs, retryAfterMs, progress, estimatedMs } = promise;
    const nowMs = run.clock.now();
    const isSame = redeemed !== undefined && relayedIn(redeemed.data) === token;
    const ttlMs = saidMs >= 0 ? Math.min(saidMs, MAX_TTL_MS) : DEFAULT_TTL_MS;
    // The server's own word is the same each time; but its clock may tell another time.
    const isClear = Math.abs(promise.expiresAtMs - (nowMs + ttlMs)) < CLOCK_SKEW_MS;
    const expiresAtMs = isSame ? redeemed.expiresAtMs : isClear ? promise.expiresAtMs : nowMs + ttlMs;
    return {
      kind: "promise",
      token: isSame ? redeemed.token : run.services.keys.sign("promise", {
        id: uuidOf(run.principalId, token),
        tool: plan.name,
        principal: run.principalId,
        expSeconds: Math.ceil(expiresAtMs / 1000),
        // When it was given is told by this and its end; in whole minutes, so that the same promise is the same token.
        data: { relayed: token, ttlMs: Math.max(0, Math.ceil((expiresAtMs - nowMs) / 60_000)) * 60_000 },
      }),
      expiresAtMs,
      ttlMs: Math.max(0, expiresAtMs - nowMs),
      retryAfterMs: retryAfterMs >= 0 ? Math.max(MIN_RETRY_MS, retryAfterMs) : 1_000,
      progress,
      ...(estimatedMs !== undefined && estimatedMs <= expiresAtMs && { estimatedMs }),
    };
  }

  /** A question of that server to our caller. */
  #ask(run: RemoteRun, plan: ToolDefinition, asked: QuestionsResult, redeemed?: RemotePromise): CallResult {
    const { kind, requests, continuation } = asked;
    if (!Object.values(requests).every((request) => ASKABLE.has(request.kind))) {
      return errorResult("invalid_request", `The server "${this.#place.gateway}" asks what nobody here can answer`);
    }
    if (redeemed !== undefined && relayedIn(redeemed.data) === continuation) {
      return { kind, requests, continuation: redeemed.token };
    }
    const token = run.services.keys.sign("continuation", {
      id: run.callId,
      tool: plan.name,
      principal: run.principalId,
      expSeconds: Math.ceil((run.clock.now() + ANSWER_MS) / 1000),
      // As those of tools that are run here: should this tool once be one of them, it is good for nothing.
      data: { relayed: continuation, digest: run.digest, asked: [], answers: {}, steps: {}, pieces: 0, revision: "" },
    });
    return { kind, requests, continuation: token };
  }

  /** What that server has its caller keep, ours keeps. */
  #keepContext(run: RemoteRun, settled: CallResult | UnknownOutcome): void {
    const { meta, context = meta?.["context"] } = settled as Partial<AnswerOutcome>;
    if (typeof context === "string") run.callerState.set(this.#context, context);
  }
}

/** The other server's own word, in a token of ours; `undefined` if it is of something else. */
function relayedIn(data: Json | undefined): string | undefined {
  const relayed = isJsonObject(data) ? data["relayed"] : undefined;
  return typeof relayed === "string" ? relayed : undefined;
}

/** What that server takes for a continuation of ours: one of this call, or the promise of what asks. */
function readContinuation(run: RemoteRun, plan: ToolDefinition, token: string): string | ErrorResult {
  const kind = token.startsWith("prom_") ? "promise" : "continuation";
  const verified = run.services.keys.verify(kind, token, run.principalId, run.clock.now());
  if (typeof verified === "string" || verified.tool !== plan.name) return INVALID_CONTINUATION;
  const { data } = verified;
  const isOfCall = kind === "promise" || (isJsonObject(data) && data["digest"] === run.digest);
  return (isOfCall ? relayedIn(data) : undefined) ?? INVALID_CONTINUATION;
}

function metaOf(run: RemoteRun, { meta }: AnswerOutcome | FailureOutcome): { readonly meta?: Members } {
  const kept = Object.entries(meta ?? {}).filter(([name]) => !RESERVED_META.has(name) && !MCP_META.test(name));
  const members = { ...Object.fromEntries(kept), ...run.addedMeta };
  return Object.keys(members).length === 0 ? {} : { meta: members };
}

function deadlineOf(run: RemoteRun): number {
  return run.services.deadlineMs(run);
}
