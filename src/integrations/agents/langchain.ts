/**
 * Tools for LangChain.js.
 *
 * Types are structural: they are those of the package `@langchain/core`, which is not needed.
 */
import type { Failure } from "../../core/errors/failure.ts";
import type { ToolError } from "../../core/errors/tool_error.ts";
import { checkOptions } from "../../internal/options.ts";
import { approvalOf, LOOP_RULES, type LoopOptions } from "./approval.ts";
import { type AgentSource, isDestructive } from "./options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { LANGCHAIN_MEDIA, type LangChainBlock, toLangChainContent } from "./langchain_content.ts";
import { toLangChainSchema } from "./langchain_schema.ts";
import { openToolbox } from "./toolbox.ts";

/** What LangChain passes to `func` of a {@link LangChainTool} beside the arguments. Only these members are used. */
export interface LangChainConfig {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** The model's call. */
  readonly toolCall?: {
    /** The model's id of the call. */
    readonly id?: string | undefined;
  } | undefined;
  /** The state of the agent, with its messages. Files are sent in the form that its model takes. */
  readonly state?: unknown;
}

/** Result of a call besides the text for the model: the message's `artifact`. */
export interface LangChainArtifact {
  /** The answer; `undefined` if the call failed. */
  readonly value: unknown;
  /** The error; `undefined` if the call succeeded. */
  readonly error: Failure | ToolError | undefined;
}

/** A tool of the server as the argument of `new DynamicStructuredTool(…)`; `bindTools` of a model takes it directly. */
export interface LangChainTool {
  /** The name that the model knows. */
  readonly name: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments. LangChain does not check it: the server does. */
  readonly schema: Record<string, unknown> & { type: "object" };
  /** `func` returns content and artifact. */
  readonly responseFormat: "content_and_artifact";
  /** The tool's name on its server. */
  readonly metadata: {
    /** The name. */
    tool: string;
  };
  /**
   * Calls the tool. Yields the pieces of its answer (LangChain's tool events), then returns the content for the model and the artifact. An
   * error is explained in the text; as a method of a tool of LangChain it returns the error as a `ToolMessage` with the status
   * `error`. Throws the signal's reason if the call is aborted.
   */
  readonly func: (
    this: unknown,
    input: unknown,
    runManager?: unknown,
    config?: LangChainConfig,
  ) => AsyncGenerator<unknown, [content: string | LangChainBlock[], artifact: LangChainArtifact], undefined>;
}

/**
 * Tools for agents and models of LangChain: `(await langchainTools(source)).map((tool) => new DynamicStructuredTool(tool))`.
 *
 * @example What LangChain gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { langchainTools } from "jsr:@toolwire/toolwire/agents";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const [tool] = await langchainTools(createServer({ tools: [ping] })); // new DynamicStructuredTool(tool)
 *
 * const { value } = await tool!.func({}).next();
 * deepStrictEqual(value, ["pong", { value: "pong", error: undefined }]);
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function langchainTools(source: AgentSource, given: LoopOptions = {}): Promise<LangChainTool[]> {
  checkOptions("give tools to a model", given, LOOP_RULES);
  const { approve, needsApproval, ...options } = given;
  // Interrupts of LangGraph are by name: a call through another tool would pass them.
  const isByName = approve === "never" ? needsApproval ?? isDestructive : undefined;
  const approval = approvalOf(source, given);
  const { tools } = await openToolbox(source, options, {
    approval,
    media: LANGCHAIN_MEDIA,
    ...(isByName && { isByName }),
  });
  return tools.map((tool) => toLangChainTool(tool, given.media));
}

function toLangChainTool(tool: AgentTool, media: readonly string[] | undefined): LangChainTool {
  const { name, description = name } = tool.listing;
  return {
    name: tool.name,
    description,
    schema: toLangChainSchema(tool.parameters.schema),
    responseFormat: "content_and_artifact",
    metadata: { tool: name },
    async *func(input, _, config) {
      const id = config?.toolCall?.id;
      const { text, value, error, content } = yield* tool.stream(input, { id, signal: config?.signal });
      const shown = content === undefined ? text : toLangChainContent(content, config?.state, media);
      const answer: Answer = [shown, { value, error }];
      if (error === undefined || id === undefined || !isInvokable(this)) return answer;
      const message = await toErrorMessage(this, { type: "tool_call", id, name: tool.name, args: input }, answer);
      // LangChain passes a message through as the result, although its type for content does not name messages.
      return [message as string, answer[1]];
    },
  };
}

type Answer = [content: string | LangChainBlock[], artifact: LangChainArtifact];

interface Invokable {
  invoke(call: object): Promise<unknown>;
}

function isInvokable(value: unknown): value is Invokable {
  return Object(value) === value && typeof (value as Partial<Invokable>).invoke === "function";
}

/**
 * Makes a message with the status `error`. LangChain gives the status `success` to the content of every function, and ends the agent if a
 * function throws. The class of messages is not available here, so that a copy of the tool makes the message, without the
 * tool's callbacks.
 */
async function toErrorMessage(tool: Invokable, call: object, answer: Answer): Promise<unknown> {
  const copy: Invokable = Object.create(tool, {
    func: { value: () => Promise.resolve(answer) },
    callbacks: { value: undefined, writable: true },
  });
  return Object.assign(await copy.invoke(call) as object, { status: "error" });
}
