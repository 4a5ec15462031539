import type { Engine } from "../../engine/engine.ts";
import type { Clock } from "../../internal/time.ts";
import type { TokenKeys } from "../token/token.ts";
import type { Logger } from "../handler/context.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { AnswerLimits } from "./output_limits.ts";
import type { Middleware, OnError } from "../handler/middleware.ts";

/** What a dispatcher needs. */
export interface DispatchOptions {
  /** The tools. */
  readonly registry: ToolRegistry;
  /** Around every call; the first is the outermost. */
  readonly middleware: readonly Middleware[];
  /** Around every run of a job; the first is the outermost. */
  readonly jobMiddleware: readonly Middleware[];
  /** What the caller is told of an error that nobody declared; `undefined` if nothing is. */
  readonly onError: OnError | undefined;
  /** How long a call may take when its tool says nothing, in milliseconds. */
  readonly timeoutMs: number;
  /** Where masked errors go. */
  readonly logger: Logger | undefined;
  /** Where time comes from. */
  readonly clock: Clock;
  /** What tokens are signed with. */
  readonly keys: TokenKeys;
  /** What runs deferred work. */
  readonly engine: Engine;
  /** How many jobs run at once in this process; 0 for none. */
  readonly concurrency: number;
  /** Largest outcome of a job, in UTF-16 code units of JSON. */
  readonly resultChars: number;
  /** How much tools may give. */
  readonly answerLimits: AnswerLimits;
  /** What tools get whose calls bring no config. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
}
