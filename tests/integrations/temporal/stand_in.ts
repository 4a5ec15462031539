/** A stand-in for the client of Temporal and its server: workflows that a test moves from state to state. */
import type { TemporalClient, WorkflowStart } from "../../../src/entries/temporal.ts";

/** A workflow of the stand-in. */
export interface StandInWorkflow {
  readonly type: string;
  readonly options: WorkflowStart;
  status: string;
  /** Gives or throws what the workflow ends with. */
  result: () => unknown;
  /** Answers queries; throws where there is no worker. */
  state: () => unknown;
  readonly signals: [name: string, argument: unknown][];
}

/** An error as Temporal's libraries make it: recognized by its name. */
export function temporalError(name: string, members: object = {}): Error {
  return Object.assign(new Error(`${name} with a secret`), { name, ...members });
}

/** What `handle.result()` throws for a workflow that ended with `cause`. */
export function failedBy(cause: Error): Error {
  return temporalError("WorkflowFailedError", { cause });
}

/** Starts, finds, signals and cancels workflows that are never run. */
export class StandIn implements TemporalClient {
  readonly workflows: Map<string, StandInWorkflow> = new Map();
  /** Thrown by each request, if set. */
  outage: Error | undefined;

  readonly workflow: TemporalClient["workflow"] = {
    start: async (type, options) => {
      await this.#reach();
      const known = this.workflows.get(options.workflowId);
      if (known?.status === "RUNNING") return;
      if (known !== undefined) throw temporalError("WorkflowExecutionAlreadyStartedError");
      const idle = { result: () => undefined, state: () => ({}) };
      this.workflows.set(options.workflowId, { type, options, status: "RUNNING", signals: [], ...idle });
    },
    getHandle: (id) => {
      const running = () => {
        const workflow = this.workflows.get(id);
        if (workflow?.status !== "RUNNING") throw temporalError("WorkflowNotFoundError");
        return workflow;
      };
      return {
        describe: async () => {
          await this.#reach();
          const name = this.workflows.get(id)?.status;
          if (name === undefined) throw temporalError("WorkflowNotFoundError");
          return { status: { name } };
        },
        query: async () => await running().state(),
        signal: async (...signal) => {
          await this.#reach();
          running().signals.push(signal);
        },
        result: async () => await this.workflows.get(id)?.result(),
        cancel: async () => {
          await this.#reach();
          const workflow = this.workflows.get(id);
          if (workflow === undefined) throw temporalError("WorkflowNotFoundError");
          // As a server does: the request is taken in any state.
          if (workflow.status === "RUNNING") workflow.status = "CANCELLED";
        },
      };
    },
  };

  /** The only workflow. */
  get only(): StandInWorkflow {
    const [workflow, ...others] = this.workflows.values();
    if (workflow === undefined || others.length > 0) throw new Error(`There are ${this.workflows.size} workflows`);
    return workflow;
  }

  /** Ends the only workflow. */
  end(status: string, result: () => unknown): void {
    Object.assign(this.only, { status, result });
  }

  withDeadline<Result>(_deadline: number, work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  withAbortSignal<Result>(_signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  #reach(): Promise<void> {
    return this.outage === undefined ? Promise.resolve() : Promise.reject(this.outage);
  }
}
