import type { CallEvent, Progress, Refusal, Settled, Sink } from "../call/outcome.ts";
import type { Json } from "../../internal/json.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger, MiddlewareCtx } from "../handler/context.ts";
import type { ToolPlan } from "./definition.ts";

/** Runs a tool somewhere else: what the caller says beside its arguments is for whoever runs it there. Rejects with what handlers throw. */
export interface Relay {
  /** Whether promises may come of its calls. */
  readonly mayPromise: boolean;
  /** How long a promise lasts from when it was given, in milliseconds. */
  ttlMs(promise: RelayedPromise): number;
  /** Makes a call. */
  call(run: RelayedRun): Promise<Settled>;
  /** Asks once what became of a promise that came of a call. */
  redeem(run: RelayedRun, promise: RelayedPromise, wait: RelayedWait): Promise<Settled>;
  /** Cancels what was promised. */
  cancel(run: RelayedRun, promise: RelayedPromise): Promise<Settled>;
}

/** One request for what became of a promise. */
export interface RelayedWait {
  /** How long the answer may take, in milliseconds, while the work goes on. */
  readonly waitMs: number;
  /** Whether it is the first: what the caller answers is said once. */
  readonly isFirst: boolean;
  /** Aborts when the answer is of no use any more. */
  readonly signal: AbortSignal;
}

/** A promise token of this server, read. */
export interface RelayedPromise {
  /** As it was given. */
  readonly token: string;
  /** Id of what it is about. */
  readonly id: string;
  /** The tool that was called. */
  readonly plan: ToolPlan;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** What was signed with it. */
  readonly data: Json | undefined;
}

/** A run whose tool is somewhere else, as its relay sees it. */
export interface RelayedRun extends MiddlewareCtx {
  /** The tool; that of a redemption is `redeem`. */
  readonly plan: ToolPlan;
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
    readonly ended: Refusal | undefined;
  };
  /** What it shares with the server's other runs. */
  readonly host: {
    /** Signs what callers keep. */
    readonly keys: TokenKeys;
    /** The server's logger, if it has one. */
    readonly logger: Logger | undefined;
    /** How long a call may take in all, in milliseconds. */
    deadlineMs(run: RelayedRun): number;
    /** Masks what is not the caller's business: the log has it, the caller an id. */
    mask(thrown: unknown, fields: Readonly<Record<string, unknown>>): Refusal;
  };
}
