/** The part of `@temporalio/client` that is used, as types: the package itself is not imported. */

/** Options with which the workflow of a call is started: an id starts one workflow at most, also after it has ended. */
export interface WorkflowStart {
  /** Task queue of the workers. */
  readonly taskQueue: string;
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Arguments of the workflow's function. */
  readonly args: unknown[];
  /** The id of a workflow that has ended is refused. */
  readonly workflowIdReusePolicy: "REJECT_DUPLICATE";
  /** The workflow that runs under the id is used. */
  readonly workflowIdConflictPolicy: "USE_EXISTING";
}

/** A handle of one workflow: `WorkflowHandle` of `@temporalio/client`. */
export interface TemporalHandle {
  /** State of the workflow, from the server alone. */
  describe(): Promise<{ readonly status: { readonly name: string } }>;
  /** Asks a worker that runs the workflow. */
  query(name: string): Promise<unknown>;
  /** Sends a signal, which the server keeps until a worker takes it. */
  signal(name: string, argument: unknown): Promise<void>;
  /** Result of the workflow, once it has ended. */
  result(): Promise<unknown>;
  /** Requests the cancellation of the workflow. */
  cancel(): Promise<unknown>;
}

/** The members of a Temporal client that are used: pass a `Client` of `@temporalio/client`. */
export interface TemporalClient {
  /** Starts workflows and finds them again. */
  readonly workflow: {
    /** Starts a workflow. */
    start(workflow: string, options: WorkflowStart): Promise<unknown>;
    /** The handle of a workflow. */
    getHandle(workflowId: string): TemporalHandle;
  };
  /** Ends the requests of `work` at a time, in milliseconds since the Unix epoch. */
  withDeadline<Result>(deadline: number, work: () => Promise<Result>): Promise<Result>;
  /** Ends the requests of `work` when the signal is aborted. */
  withAbortSignal<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}
