/** The events that the feed of the console sends. Plain JSON. */

/** A call, or an attempt of a job, has begun. */
interface BeginEvent {
  readonly type: "begin";
  /** Number of the event, one more than the last. */
  readonly seq: number;
  /** Number of the call: `seq` of this event. */
  readonly call: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Name of the tool. */
  readonly tool: string;
  /** Name of the wire. */
  readonly wire: string;
  /** Id of the caller; `undefined` if the caller is anonymous. */
  readonly principal?: string | undefined;
  /** Tenant of the caller; `undefined` for a caller without one. */
  readonly tenant?: string | undefined;
  /** Number of the attempt of a job; `undefined` for a call. */
  readonly attempt?: number | undefined;
  /** The arguments, without secrets. Only while a page watches. */
  readonly args?: unknown;
}

/** A call has made progress, sent a piece, or was deferred to a promise. */
interface ProgressEvent {
  readonly type: "event";
  readonly seq: number;
  readonly call: number;
  readonly atMs: number;
  /** Kind of the event: `partial`, `progress` or `deferred`. */
  readonly kind: string;
  /** Progress done, and in all if it is known. */
  readonly progress?: {
    readonly done: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  } | undefined;
  /** A piece of a stream, without secrets. Only while a page watches. */
  readonly value?: unknown;
}

/** A call has ended. */
interface EndEvent {
  readonly type: "end";
  readonly seq: number;
  readonly call: number;
  readonly atMs: number;
  /** Milliseconds from its begin; `undefined` if it began on a busy server that no page watched. */
  readonly tookMs?: number | undefined;
  /** How the call ended: `answer`, `failure`, `error`, `promise`, or a question: `elicitation` or `request-for-more-resource`. */
  readonly outcome: string;
  /** Code of a failure or an error. */
  readonly code?: string | undefined;
  /** Message of a failure or an error, without secrets. */
  readonly message?: string | undefined;
  /** Id under which the log has a masked error. */
  readonly correlationId?: string | undefined;
  /** Stack of a masked error, without secrets. Only with `stacks: true`. */
  readonly stack?: string | undefined;
  /** The answer, or the data of a failure, without secrets. Only while a page watches. */
  readonly value?: unknown;
}

/** A call, or a request, was refused before it began. */
interface RefusedEvent {
  readonly type: "refused";
  readonly seq: number;
  readonly atMs: number;
  /** Code of the error; `undefined` for a request that was answered with an HTTP status. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly tool?: string | undefined;
  readonly wire?: string | undefined;
  readonly principal?: string | undefined;
  readonly tenant?: string | undefined;
  /** Method, path and HTTP status of a refused request. Long segments of the path are cut. */
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
}

/** Any event of the feed. */
export type FeedEvent = BeginEvent | ProgressEvent | EndEvent | RefusedEvent;
