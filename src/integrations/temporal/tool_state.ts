/** What a workflow and the tool that started it say to each other. */

/** Default name of the query that returns the {@link ToolState} of a workflow. */
export const STATE_QUERY = "toolwire_state";

/** Name of the signal by which the tool sends a {@link QuestionReply} to the workflow. */
export const REPLY_SIGNAL = "toolwire_reply";

/** A question of a workflow to the caller of its tool. */
export interface WorkflowQuestion {
  /** Text for people. */
  readonly message: string;
  /** JSON Schema of the answer: an object with properties of simple types. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Progress of a workflow, for the promise of the call: completed and total units, and a text. */
export interface WorkflowProgress {
  /** Completed units. */
  readonly done: number;
  /** Total units, if known. */
  readonly total?: number;
  /** Description of the current step. */
  readonly message?: string;
}

/** Progress and open questions of a running workflow, as its query returns them to the tool. */
export interface ToolState {
  /** Progress. */
  readonly progress?: WorkflowProgress | undefined;
  /** Open questions, by key. */
  readonly questions?: Readonly<Record<string, WorkflowQuestion>> | undefined;
}

/** The caller's reply to a question, as the tool sends it to the workflow by a signal. */
export interface QuestionReply {
  /** Key of the question. */
  readonly key: string;
  /** Whether the question is answered, declined or cancelled. */
  readonly action: "accept" | "decline" | "cancel";
  /** Content of an accepted answer, valid by the question's schema. */
  readonly content?: unknown;
}
