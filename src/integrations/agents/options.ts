import type { Progress } from "../../core/call/outcome.ts";
import type { ListedTool, Transport } from "../../core/call/transport.ts";
import { FUNCTION, oneOf, type OptionRules, POSITIVE } from "../../internal/options.ts";
import { createClient } from "../../client/client.ts";
import type { ClientMethods } from "../../client/types.ts";
import { type MemoryServer, memoryTransport } from "../../wires/memory/client/transport.ts";

/** A call that a model made. */
export interface AgentCall {
  /** Name of the tool on its server. */
  readonly tool: string;
  /** The arguments, as the server gets them. */
  readonly args: unknown;
  /** The model's id of the call; `undefined` if the framework passes none. */
  readonly id: string | undefined;
}

/** Options of the adapters: which tools a model gets, and how its calls are made. */
export interface AgentOptions {
  /** Selects the tools that the model gets. Default: all. System tools are not passed to it. */
  readonly select?: (tool: ListedTool) => boolean;
  /**
   * How promises are handled. `"awaited"`: they are redeemed, and the model gets only the answer. `"shown"`: the model gets the
   * token, and the system tools `redeem` and `cancel`; `onPartial` is then not called. Default: `"awaited"`.
   */
  readonly promises?: "awaited" | "shown";
  /** Total time limit of a call, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number;
  /** Called with the progress of a call. */
  readonly onProgress?: (progress: Progress, call: AgentCall) => void;
  /** Called with each piece of a streamed answer; the model gets the whole answer. */
  readonly onPartial?: (piece: unknown, call: AgentCall) => void;
}

/** Options that a framework passes with a call. */
export interface RunOptions {
  /** Aborts the calls; pending calls then reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export const AGENT_RULES: OptionRules<AgentOptions> = {
  select: FUNCTION,
  promises: oneOf("awaited", "shown"),
  timeoutMs: POSITIVE,
  onProgress: FUNCTION,
  onPartial: FUNCTION,
};

/** A client: of `createClient`, typed or not. Its `onElicitation` and `onMoreRequested` answer the tools' questions. */
export interface ClientSource {
  /** The client's own methods. */
  readonly $: ClientMethods;
}

/**
 * Source of tools: a server in this process, called directly; a client, for any server and with its
 * options; or a transport, for any server with default options.
 */
export type AgentSource = MemoryServer | ClientSource | Transport;

/**
 * Opens a source: lists and calls its tools.
 *
 * @throws {TypeError} If the value is not a source, such as the text of a URL.
 */
export function methodsOf(source: AgentSource): ClientMethods {
  if (Object(source) !== source) {
    throw new TypeError(
      "Cannot give tools to a model: pass what createServer() or createClient(url) gives, or a transport, such as http(url)",
    );
  }
  if ("$" in source) return source.$;
  return createClient("~server" in source ? memoryTransport(source) : source).$;
}
