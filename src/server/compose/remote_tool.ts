/**
 * A tool of a remote server: forwards calls, and translates their results.
 *
 * Tokens of the remote server (promises, continuations, caller state) are wrapped into tokens of the gateway: they are bound to
 * the caller, and the inner token alone is not accepted here.
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
  withShown,
} from "../../core/call/outcome.ts";
import type { Transport } from "../../core/call/transport.ts";
import { invalidArguments } from "../../core/dispatch/run_tool.ts";
import { callerKeyOf, INVALID_CONTINUATION } from "../../core/dispatch/services.ts";
import { isJsonObject, type Json } from "../../internal/json.ts";
import { formatIssues } from "../../core/schema/issues.ts";
import type { Schema } from "../../core/schema/standard_schema.ts";
import { digestOfRun, uuidOf } from "../../core/token/digest.ts";
import type { TokenKeys } from "../../core/token/token.ts";
import type { McpRoot } from "../../wires/mcp/client/types.ts";
import type { CallerStateSlot } from "../../core/handler/caller_state.ts";
import type { RemotePromise, RemoteRun, RemoteRunner, RemoteWait, ToolDefinition } from "../../core/tool/definition.ts";
import { passRefusal } from "./remote_error.ts";
import { pageRequest, wrapHandle } from "./remote_pages.ts";
import { metaOf, withinDepth } from "./remote_results.ts";

/** Where a remote tool runs: the transport to its server, and its name there. */
export interface RemotePlace {
  /** Name of the server here. */
  readonly gateway: string;
  readonly transport: Transport;
  /** Name of the tool on its server. */
  readonly tool: string;
  /** Whether the config of callers is passed on. */
  readonly forwardConfig: boolean;
  /** Folders that the server gets when it asks for roots. */
  readonly roots: readonly McpRoot[];
  /** Called when the server does not know the tool; gets the caller's clock, in milliseconds. */
  onLost(nowMs: number): void;
}

type Members = Readonly<Record<string, unknown>>;

/** Lifetime of a continuation, in milliseconds. */
const ANSWER_MS = 600_000;

/** Default lifetime of a promise, in milliseconds, and the maximum: a hundred years. */
const DEFAULT_TTL_MS = 3_600_000;
const MAX_TTL_MS = 3_155_760_000_000;

/** Tolerated difference between two clocks, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Minimum poll interval, in milliseconds. */
const MIN_RETRY_MS = 50;

/** Maximum `wait_ms` of a redeem, in milliseconds. */
const MAX_WAIT_MS = 25_000;

const ASKABLE: ReadonlySet<string> = new Set(["elicitation", "more", "sampling"]);

/** Maximum number of requests for roots of one call. */
const MAX_ROOTS_ROUNDS = 32;

const NOT_OURS: ErrorResult = errorResult("invalid_promise", "Not a promise of this server");

/** A request: the run, the tool as it is listed here, its name and arguments there, members of `_meta`, and options. */
type SendParameters = readonly [
  run: RemoteRun,
  definition: ToolDefinition,
  tool: string,
  args: unknown,
  requestMeta: Members,
  options?: { readonly config?: Members | undefined; readonly signal?: AbortSignal },
];

/** Accepts everything: the remote server validates. */
const ANY: Schema<unknown, unknown> = {
  "~standard": { version: 1, vendor: "toolwire", validate: (value) => ({ value }) },
};

/** Runs a tool of a gateway: passes the call to its server, and results, promises and questions back. */
export class RemoteTool implements RemoteRunner {
  readonly mayPromise: boolean;
  readonly #place: RemotePlace;
  /** Present if arguments and answers are validated here. */
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
    const { call: { args, meta, config }, definition, services: host } = run;
    const checked = await this.#checks?.input?.validate(args);
    if (checked?.issues !== undefined) return invalidArguments(formatIssues(checked.issues, args));
    const continuation = meta?.continuation === undefined
      ? undefined
      : readContinuation(run, definition, meta.continuation);
    if (typeof continuation === "object") return continuation;
    const { idempotencyKey, isPromiseWanted } = meta ?? {};
    const context = run.services.keys && run.callerState.get(this.#context);
    const request = pageRequest(this.#place.tool, run);
    const settled = await this.#send(run, definition, request.tool, request.args, {
      // The time limit of a stream is the caller's.
      deadline_ms: run.sink === undefined ? host.deadlineMs(run) : meta?.deadlineMs,
      continuation,
      responses: meta?.responses,
      context: typeof context === "string" ? context : undefined,
      // The remote server may see one caller, so the keys of different callers must differ.
      idempotency_key: idempotencyKey && uuidOf(callerKeyOf(run), idempotencyKey, ...definition.part?.path ?? []),
      promise: isPromiseWanted,
    }, { config: this.#place.forwardConfig ? config?.reveal() : undefined });
    this.#keepContext(run, settled);
    return await this.#settle(run, definition, settled);
  }

  async redeem(run: RemoteRun, promise: RemotePromise, wait: RemoteWait): Promise<CallResult> {
    const { waitMs, isFirst, signal, after } = wait;
    const { meta } = run.request;
    const token = relayedIn(promise.data);
    if (token === undefined) return NOT_OURS;
    const wanted = isFirst ? meta?.continuation : undefined;
    const continuation = wanted === undefined
      ? undefined
      : wanted === promise.token
      ? token
      : readContinuation(run, promise.definition, wanted);
    if (typeof continuation === "object") return continuation;
    const args = {
      promise: token,
      wait_ms: Math.floor(Math.min(waitMs, MAX_WAIT_MS)),
      ...(after !== undefined && { after: after + run.runState.deliveredPieces }),
    };
    const requestMeta = {
      continuation,
      responses: isFirst ? meta?.responses : undefined,
      deadline_ms: deadlineOf(run),
    };
    const received = await this.#send(run, promise.definition, "redeem", args, requestMeta, { signal });
    return await this.#settle(run, promise.definition, received, promise);
  }

  async cancel(run: RemoteRun, promise: RemotePromise): Promise<CallResult> {
    const token = relayedIn(promise.data);
    if (token === undefined) return NOT_OURS;
    return await this.#settle(run, promise.definition, await this.#cancelAt(run, promise.definition, token), promise);
  }

  #cancelAt(run: RemoteRun, definition: ToolDefinition, token: string): Promise<CallResult | UnknownOutcome> {
    return this.#send(run, definition, "cancel", { promise: token }, { deadline_ms: deadlineOf(run) });
  }

  /** Sends one request, and continues it with the folders of the gateway if the server asks for roots. */
  async #send(
    ...[run, definition, tool, args, requestMeta, options]: SendParameters
  ): Promise<CallResult | UnknownOutcome> {
    let settled = await this.#sendOnce(run, definition, tool, args, requestMeta, options);
    for (let rounds = 0; "requests" in settled; rounds++) {
      const responses = this.#rootsFor(settled);
      if (responses === undefined) return settled;
      if (rounds === MAX_ROOTS_ROUNDS) {
        const message = `The server "${this.#place.gateway}" has asked for roots more than ${MAX_ROOTS_ROUNDS} times`;
        return errorResult("invalid_request", message);
      }
      const { continuation } = settled;
      settled = await this.#sendOnce(run, definition, tool, args, { ...requestMeta, continuation, responses }, options);
    }
    return settled;
  }

  /** Answers to the requests for roots; `undefined` if the server does not ask for them. */
  #rootsFor({ requests }: QuestionsResult): Members | undefined {
    const keys = Object.keys(requests).filter((key) => requests[key]?.kind === "roots");
    if (keys.length === 0) return undefined;
    const answer = { action: "accept", content: { roots: this.#place.roots } };
    return Object.fromEntries(keys.map((key) => [key, answer]));
  }

  /** Sends one request; every failure on the way is an error result. */
  async #sendOnce(
    ...[run, definition, tool, args, requestMeta, { config, signal = run.signal } = {}]: SendParameters
  ): Promise<CallResult | UnknownOutcome> {
    const { gateway, transport } = this.#place;
    const members = Object.entries({ ...run.trace, ...requestMeta }).filter(([, value]) => value !== undefined);
    const meta = members.length === 0 ? undefined : Object.fromEntries(members);
    const limit = { tool, principal: run.request.peer.principal, signal, markActive() {}, suspend() {} };
    try {
      return await transport.call({ tool, args, meta, limit, config }, run.sink && this.#sinkOf(run, definition));
    } catch (cause) {
      // A transport rejects if one of its callbacks does, or if the call was aborted.
      return run.runState.ended ?? { ...errorResult("unavailable", `The connection to "${gateway}" failed`), cause };
    }
  }

  #sinkOf(run: RemoteRun, definition: ToolDefinition): Sink {
    return {
      closed: run.signal,
      // The caller joins them if its wire has no pieces.
      expectPieces() {},
      push: (event: CallEvent) => {
        if (event.kind === "progress") return run.runState.progress(event.progress);
        if (event.kind === "partial") return run.runState.push(event);
        if (event.kind === "dropped") {
          run.runState.deliveredPieces += event.to - event.from;
          return run.runState.push(event);
        }
        return run.runState.push({ kind: "deferred", promise: this.#promise(run, definition, event.promise) });
      },
    };
  }

  /** Translates the result. */
  async #settle(
    run: RemoteRun,
    definition: ToolDefinition,
    settled: CallResult | UnknownOutcome,
    redeemed?: RemotePromise,
  ): Promise<CallResult> {
    const { gateway } = this.#place;
    switch (settled.kind) {
      case "answer": {
        const { "~shown": shown } = settled;
        const answer: AnswerOutcome = {
          kind: "answer",
          value: settled.value,
          ...(settled.structured !== undefined && { structured: settled.structured }),
          ...(settled.isText === true && { isText: true }),
          ...metaOf(run, settled),
        };
        const sendable = await withinDepth(answer, run, definition);
        if (sendable.kind !== "answer") return sendable;
        return await this.#mismatch(run, definition, settled.structured ?? settled.value) ??
          wrapHandle(run, shown === undefined ? sendable : withShown(sendable, shown));
      }
      case "failure": {
        const { code, message, data } = settled;
        const failure: FailureOutcome = { kind: "failure", code, message, data, ...metaOf(run, settled) };
        return await withinDepth(failure, run, definition);
      }
      case "promise":
        try {
          return this.#promise(run, definition, settled, redeemed);
        } catch (thrown) {
          // Cancel work that no caller could redeem.
          if (redeemed === undefined) await this.#cancelAt(run, definition, settled.token);
          throw thrown;
        }
      case "error":
        if (settled.code === "tool_not_found" && redeemed === undefined) this.#place.onLost(run.clock.elapsed());
        return wrapHandle(run, passRefusal(settled, run, gateway, definition.name));
      case "unknown": {
        const type = settled.responseType.slice(0, 64);
        return errorResult(
          "invalid_request",
          `The server "${gateway}" answered with ${type}, which this version does not know`,
        );
      }
      default:
        return this.#ask(run, definition, settled, redeemed);
    }
  }

  async #mismatch(run: RemoteRun, definition: ToolDefinition, value: unknown): Promise<ErrorResult | undefined> {
    if (run.definition.isSystem && run.definition.name === "cancel") return undefined;
    const checked = value === undefined ? undefined : await this.#checks?.output?.validate(value);
    if (checked?.issues === undefined) return undefined;
    const [issue] = formatIssues(checked.issues, value);
    const problem = new TypeError(
      `The answer of the server "${this.#place.gateway}" does not fit the schema in its list: ${issue?.message}`,
    );
    return run.services.mask(problem, { tool: definition.name });
  }

  #promise(
    run: RemoteRun,
    definition: ToolDefinition,
    promise: PromiseOutcome,
    redeemed?: RemotePromise,
  ): PromiseOutcome {
    const { token, ttlMs: saidMs, retryAfterMs, progress, estimatedMs } = promise;
    const nowMs = run.clock.now();
    const isSame = redeemed !== undefined && relayedIn(redeemed.data) === token;
    const ttlMs = saidMs >= 0 ? Math.min(saidMs, MAX_TTL_MS) : DEFAULT_TTL_MS;
    // The remote token is the same each time, but the remote clock may differ.
    const isClear = Math.abs(promise.expiresAtMs - (nowMs + ttlMs)) < CLOCK_SKEW_MS;
    const expiresAtMs = isSame ? redeemed.expiresAtMs : isClear ? promise.expiresAtMs : nowMs + ttlMs;
    return {
      kind: "promise",
      token: isSame ? redeemed.token : keysOf(run).sign("promise", {
        id: uuidOf(callerKeyOf(run), token),
        tool: definition.name,
        principal: callerKeyOf(run),
        expSeconds: Math.ceil(expiresAtMs / 1000),
        // With the expiry this gives the creation time; in whole minutes, so that the same promise has the same token.
        data: { relayed: token, ttlMs: Math.max(0, Math.ceil((expiresAtMs - nowMs) / 60_000)) * 60_000 },
      }),
      expiresAtMs,
      ttlMs: Math.max(0, expiresAtMs - nowMs),
      retryAfterMs: retryAfterMs >= 0 ? Math.max(MIN_RETRY_MS, retryAfterMs) : 1_000,
      progress,
      ...(estimatedMs !== undefined && estimatedMs <= expiresAtMs && { estimatedMs }),
    };
  }

  /** Passes a question of the remote server to the caller. */
  #ask(run: RemoteRun, definition: ToolDefinition, asked: QuestionsResult, redeemed?: RemotePromise): CallResult {
    const { kind, requests, continuation } = asked;
    if (!Object.values(requests).every((request) => ASKABLE.has(request.kind))) {
      return errorResult("invalid_request", `The server "${this.#place.gateway}" asks a question of an unknown kind`);
    }
    if (redeemed !== undefined && relayedIn(redeemed.data) === continuation) {
      return { kind, requests, continuation: redeemed.token };
    }
    const token = keysOf(run).sign("continuation", {
      id: run.callId,
      tool: definition.name,
      principal: callerKeyOf(run),
      expSeconds: Math.ceil((run.clock.now() + ANSWER_MS) / 1000),
      // Same shape as local continuations, but invalid for them if the tool should become local.
      data: {
        relayed: continuation,
        digest: digestOfRun(run),
        asked: [],
        answers: {},
        steps: {},
        pieces: 0,
        revision: "",
      },
    });
    return { kind, requests, continuation: token };
  }

  /** Passes the remote caller state on to the caller. */
  #keepContext(run: RemoteRun, settled: CallResult | UnknownOutcome): void {
    const { meta, context = meta?.["context"] } = settled as Partial<AnswerOutcome>;
    if (typeof context === "string" && run.services.keys !== undefined) run.callerState.set(this.#context, context);
  }
}

/** The remote token inside a token of the gateway; `undefined` for other tokens. */
function relayedIn(data: Json | undefined): string | undefined {
  const relayed = isJsonObject(data) ? data["relayed"] : undefined;
  return typeof relayed === "string" ? relayed : undefined;
}

/** Unwraps a continuation for the remote server: one of this call, or the promise of a job that asks. */
function readContinuation(run: RemoteRun, definition: ToolDefinition, token: string): string | ErrorResult {
  const kind = token.startsWith("prom_") ? "promise" : "continuation";
  const verified = run.services.keys?.verify(kind, token, callerKeyOf(run), run.clock.now());
  if (verified === undefined || typeof verified === "string" || verified.tool !== definition.name) {
    return INVALID_CONTINUATION;
  }
  const { data } = verified;
  const isOfCall = kind === "promise" || (isJsonObject(data) && data["digest"] === digestOfRun(run));
  return (isOfCall ? relayedIn(data) : undefined) ?? INVALID_CONTINUATION;
}

/** @throws {TypeError} If the server has no keys. */
function keysOf({ services: { keys } }: RemoteRun): TokenKeys {
  if (keys !== undefined) return keys;
  throw new TypeError(
    'Cannot sign the token of a remote server: pass createServer({ keys: keyRing("k1:…") }), from ' +
      '"toolwire/keys"',
  );
}

function deadlineOf(run: RemoteRun): number {
  return run.services.deadlineMs(run);
}
