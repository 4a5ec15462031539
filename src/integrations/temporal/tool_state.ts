/** What a workflow and the tool that started it say to each other. */

/** Name of the query that gives a {@link ToolState}. */
export const STATE_QUERY = "toolwire_state";

/** Name of the signal that brings a {@link QuestionReply}. */
export const REPLY_SIGNAL = "toolwire_reply";

/** A question of a workflow to the caller of its tool. */
export interface WorkflowQuestion {
  /** Text for people. */
  readonly message: string;
  /** JSON Schema of the answer: an object with properties of simple types. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Progress of a workflow. */
export interface WorkflowProgress {
  /** Completed units. */
  readonly done: number;
  /** Total units, if known. */
  readonly total?: number;
  /** Description of the current step. */
  readonly message?: string;
}

/** The state of a workflow for the callers of its tool. */
export interface ToolState {
  /** Progress. */
  readonly progress?: WorkflowProgress | undefined;
  /** Open questions, by key. */
  readonly questions?: Readonly<Record<string, WorkflowQuestion>> | undefined;
}

/** The answer to a question, as the signal brings it. */
export interface QuestionReply {
  /** Key of the question. */
  readonly key: string;
  /** Whether the question is answered, declined or cancelled. */
  readonly action: "accept" | "decline" | "cancel";
  /** Content of an accepted answer, valid by the question's schema. */
  readonly content?: unknown;
}
