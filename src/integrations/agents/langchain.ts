/**
 * Tools for LangChain.js.
 *
 * Types are structural: they are those of the package `@langchain/core`, which is not needed.
 *
 * @module
 */
import type { Failure } from "../../core/errors/failure.ts";
import type { ToolError } from "../../core/errors/tool_error.ts";
import type { AgentOptions } from "./options.ts";
import type { AgentSource } from "./source.ts";
import { type AgentTool, openToolbox } from "./toolbox.ts";

/** What LangChain says of a call. */
export interface LangChainConfig {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** The call, as the model made it. */
  readonly toolCall?: {
    /** The model's id of it. */
    readonly id?: string | undefined;
  } | undefined;
}

/** What comes of a call besides the text for the model: the message's `artifact`. */
export interface LangChainArtifact {
  /** The answer itself; `undefined` where there is none. */
  readonly value: unknown;
  /** Why there is no answer; `undefined` where there is one. */
  readonly error: Failure | ToolError | undefined;
}

/** What `new DynamicStructuredTool(…)` takes; for `bindTools` of a model it is enough as it is. */
export interface LangChainTool {
  /** The name that the model knows. */
  readonly name: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: Record<string, unknown> & { type: "object" };
  /** `func` gives both. */
  readonly responseFormat: "content_and_artifact";
  /** The tool's name on its server. */
  readonly metadata: {
    /** The name. */
    tool: string;
  };
  /**
   * Calls the tool: gives the pieces of its answer (LangChain's tool events), then the text for the model and the artifact. What
   * goes wrong is explained in the text. Throws if it is aborted, with the signal's reason.
   */
  readonly func: (
    input: unknown,
    runManager?: unknown,
    config?: LangChainConfig,
  ) => AsyncGenerator<unknown, [content: string, artifact: LangChainArtifact], undefined>;
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
export async function langchainTools(source: AgentSource, options: AgentOptions = {}): Promise<LangChainTool[]> {
  const { tools } = await openToolbox(source, options);
  return tools.map(toLangChainTool);
}

function toLangChainTool(tool: AgentTool): LangChainTool {
  const { name, description = name } = tool.listing;
  return {
    name: tool.name,
    description,
    schema: { ...tool.parameters.schema, type: "object" },
    responseFormat: "content_and_artifact",
    metadata: { tool: name },
    async *func(input, _, config) {
      const { text, value, error } = yield* tool.stream(input, { id: config?.toolCall?.id, signal: config?.signal });
      return [text, { value, error }];
    },
  };
}
