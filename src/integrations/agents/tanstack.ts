/**
 * Tools for TanStack AI.
 *
 * Types are structural: they are those of the package `@tanstack/ai`, which is not needed.
 */
import { checkOptions } from "../../internal/options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { type AnswerPart, IMAGES_AND_PDF, isImage } from "./answer_content.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { CallTool } from "./search_tool.ts";
import { openToolbox } from "./toolbox.ts";
import { withValueTypes } from "./value_types.ts";

/** What TanStack AI passes to `execute` of a {@link TanStackTool} beside the arguments. Only these members are used. */
export interface TanStackContext {
  /** The model's id of the call. */
  readonly toolCallId?: string | undefined;
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Sends an event to the user interface. */
  readonly emitCustomEvent?: ((name: string, value: Record<string, unknown>) => void) | undefined;
}

/** A tool of the server for `chat({ tools })` of TanStack AI. */
export interface TanStackTool {
  /** The name that the model knows. */
  readonly name: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: { type: "object"; [keyword: string]: unknown };
  /** Present if a person has to approve calls. */
  readonly needsApproval?: true;
  /** The tool's name on its server. */
  readonly metadata: {
    /** The name. */
    tool: string;
  };
  /**
   * Calls the tool. Pieces of a streamed answer are custom events `toolwire.partial` with `{ tool, piece }`. Throws if the call fails;
   * the message explains the error to the model.
   */
  readonly execute: (input: unknown, context?: TanStackContext) => Promise<unknown>;
}

/**
 * Tools for `chat` of TanStack AI, which asks a person before calls of destructive tools. It asks by name: with `defer` the deferred ones
 * are called with `call_destructive_tool`, so that only its calls ask.
 *
 * @example What TanStack AI gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { tanstackTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => "dropped");
 * const [tool] = await tanstackTools(createServer({ tools: [drop] })); // chat({ adapter, messages, tools })
 * console.log(tool?.needsApproval); // → true
 * console.log(await tool?.execute({})); // → dropped
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function tanstackTools(source: AgentSource, given: ApprovalOptions = {}): Promise<TanStackTool[]> {
  checkOptions("give tools to a model", given, APPROVAL_RULES);
  const { needsApproval = isDestructive, ...options } = given;
  const { tools } = await openToolbox(source, options, { media: IMAGES_AND_PDF, isApart: needsApproval });
  return tools.map((tool) =>
    toTanStackTool(tool, tool instanceof CallTool ? tool.isApart : needsApproval(tool.listing))
  );
}

function toTanStackTool(tool: AgentTool, needsApproval: boolean): TanStackTool {
  const { name, description = name, parameters, listing } = tool;
  return {
    name,
    description,
    inputSchema: { ...withValueTypes(parameters.schema), type: "object" },
    ...(needsApproval && { needsApproval }),
    metadata: { tool: listing.name },
    execute: (input, context) => execute(tool, input, context),
  };
}

async function execute(tool: AgentTool, input: unknown, context: TanStackContext = {}): Promise<unknown> {
  const { toolCallId: id, abortSignal: signal, emitCustomEvent } = context;
  const stream = tool.stream(input, { id, signal });
  let next = await stream.next();
  for (; !next.done; next = await stream.next()) {
    emitCustomEvent?.("toolwire.partial", { tool: tool.listing.name, piece: next.value });
  }
  const { text, value, error, content, isContent } = next.value;
  if (error !== undefined) throw new Error(text, { cause: error });
  return content?.map(toPart) ?? (isContent ? text : value ?? text);
}

/** A part of an answer as a `ContentPart` of TanStack AI. */
function toPart(part: AnswerPart): object {
  if (part.type === "text") return { type: "text", content: part.text };
  const { data: value, mimeType } = part;
  return { type: isImage(part) ? "image" : "document", source: { type: "data", value, mimeType } };
}
