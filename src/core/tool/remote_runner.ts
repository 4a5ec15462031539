import type { CallEvent, CallResult, ErrorResult, Progress, Sink } from "../call/outcome.ts";
import type { Json } from "../../internal/json.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger, MiddlewareCtx } from "../handler/context.ts";
import type { ToolDefinition } from "./definition.ts";

/** Runs a tool somewhere else: what the caller says beside its arguments is for whoever runs it there. Rejects with what handlers throw. */
export interface RemoteRunner {
  /** Whether promises may come of its calls. */
  readonly mayPromise: boolean;
  /** How long a promise lasts from when it was given, in milliseconds. */
  ttlMs(promise: RemotePromise): number;
  /** Makes a call. */
  call(run: RemoteRun): Promise<CallResult>;
  /** Asks once what became of a promise that came of a call. */
  redeem(run: RemoteRun, promise: RemotePromise, wait: RemoteWait): Promise<CallResult>;
  /** Cancels what was promised. */
  cancel(run: RemoteRun, promise: RemotePromise): Promise<CallResult>;
}

/** One request for what became of a promise. */
export interface RemoteWait {
  /** How long the answer may take, in milliseconds, while the work goes on. */
  readonly waitMs: number;
  /** Whether it is the first: what the caller answers is said once. */
  readonly isFirst: boolean;
  /** Aborts when the answer is of no use any more. */
  readonly signal: AbortSignal;
}

/** A promise token of this server, read. */
export interface RemotePromise {
  /** As it was given. */
  readonly token: string;
  /** Id of what it is about. */
  readonly id: string;
  /** The tool that was called. */
  readonly definition: ToolDefinition;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** What was signed with it. */
  readonly data: Json | undefined;
}

/** A run whose tool is somewhere else, as its relay sees it. */
export interface RemoteRun extends MiddlewareCtx {
  /** The tool; that of a redemption is `redeem`. */
  readonly definition: ToolDefinition;
  /** Where events go; `undefined` if nobody streams. */
  readonly sink: Sink | undefined;
  /** What the call is, whichever way its arguments were spelled. */
  readonly digest: string;
  /** What was given to `meta()`. */
  readonly addedMeta: Readonly<Record<string, unknown>> | undefined;
  /** Id of who calls; `""` for nobody in particular. */
  readonly principalId: string;
  /** Takes events. */
  readonly live: {
    /** Sends one; a returned promise resolves when there is room for the next. */
    push(event: CallEvent): void | Promise<void>;
    /** Sends progress; only the latest is kept where there is no room. */
    progress(progress: Progress): void;
    /** Why the run was ended from outside; `undefined` while it goes on. */
    readonly ended: ErrorResult | undefined;
  };
  /** What it shares with the server's other runs. */
  readonly services: {
    /** Signs what callers keep. */
    readonly keys: TokenKeys;
    /** The server's logger, if it has one. */
    readonly logger: Logger | undefined;
    /** How long a call may take in all, in milliseconds. */
    deadlineMs(run: RemoteRun): number;
    /** Masks what is not the caller's business: the log has it, the caller an id. */
    mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): ErrorResult;
  };
}
