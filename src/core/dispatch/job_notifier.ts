/** The interface between a server and what is notified when jobs end: the values of `./webhooks` bring the code. */
import type { Job } from "./engine.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Clock } from "../../internal/time.ts";
import type { Logger } from "../handler/context.ts";
import type { ToolDefinition } from "../tool/definition.ts";

/** A receiver of a notification for each job that ends, such as a webhook: made by `webhook` of `./webhooks`. */
export interface CompletionTarget {
  /** Name, unique on a server. */
  readonly name: string;
  /**
   * Creates the notifier of all targets of a server.
   *
   * @internal
   */
  readonly "~notifier": (targets: readonly CompletionTarget[], host: NotifierHost) => Notifier;
}

/** What a notifier of ended jobs needs of its server: clock, log, promise tokens, and jobs that send its notifications. */
export interface NotifierHost {
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  /** Adds a tool that no caller can call, for jobs of the notifier. */
  attach(definition: ToolDefinition): void;
  /** Promise token of a job; `undefined` if its tool makes no promises, such as that of a call with an idempotency key. */
  tokenOf(job: Job): string | undefined;
  /** Stores a job unless there is one with its id, and delivers it at once. */
  insert(job: Job): MaybePromise<boolean>;
}

/** Stores a notification for each {@link CompletionTarget} when a job ends. Jobs of the notifier's own tool send them, with retries. */
export interface Notifier {
  /** Whether the end of a job is to be notified. */
  wants(job: Job): boolean;
  /** Stores the notifications of a job that has ended. May be called again for the same end; then it changes nothing. */
  notify(job: Job): Promise<void>;
}
