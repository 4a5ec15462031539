import type { Progress } from "../../core/call/outcome.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import { FUNCTION, oneOf, type OptionRules, POSITIVE } from "../../internal/options.ts";

/** A call that a model made. */
export interface AgentCall {
  /** Name of the tool on its server. */
  readonly tool: string;
  /** The arguments, as the server gets them. */
  readonly args: unknown;
  /** The model's own id of the call; `undefined` where the framework does not tell. */
  readonly id: string | undefined;
}

/** Which tools a model gets, and what else is done with its calls. */
export interface AgentOptions {
  /** Whether the model gets a tool. Default: all but the system tools, which are not asked about. */
  readonly select?: (tool: ListedTool) => boolean;
  /**
   * What becomes of promises. `"awaited"`: they are redeemed, and the model sees the answer alone. `"shown"`: the model gets the
   * token, and the system tools `redeem` and `cancel`; pieces are then not told. Default: `"awaited"`.
   */
  readonly promises?: "awaited" | "shown";
  /** How long a call may take in all, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number;
  /** Told how far a call has come. */
  readonly onProgress?: (progress: Progress, call: AgentCall) => void;
  /** Told each piece of an answer as it comes; the model gets the whole. */
  readonly onPartial?: (piece: unknown, call: AgentCall) => void;
}

/** What a framework says beside the arguments of a call. */
export interface RunOptions {
  /** Aborts the calls; what waits for them then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What options have to be. */
export const AGENT_RULES: OptionRules<AgentOptions> = {
  select: FUNCTION,
  promises: oneOf("awaited", "shown"),
  timeoutMs: POSITIVE,
  onProgress: FUNCTION,
  onPartial: FUNCTION,
};
