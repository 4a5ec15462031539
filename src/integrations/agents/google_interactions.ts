/**
 * Tools for the Interactions of Google's Gen AI SDK.
 *
 * Types are structural: they are those of the package `@google/genai`, which is not needed.
 */
import { isJsonObject } from "../../internal/json.ts";
import type { AgentTool, ToolCallResult } from "./agent_tool.ts";
import type { AnswerPart } from "./answer_content.ts";
import type { LoopOptions } from "./approval.ts";
import { openGoogleToolbox, toGeminiSchema } from "./google.ts";
import type { AgentSource, RunnableTools } from "./options.ts";

/** An entry of `tools` in a request for an interaction. */
export interface GoogleInteractionFunction {
  /** Discriminant. */
  type: "function";
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

/** A step of an interaction; steps other than `function_call` are skipped. */
export interface GoogleInteractionStep {
  /** Discriminant: `function_call`. */
  readonly type: string;
}

/** A text or a file in the result of a function. Results without files are a text or a JSON object. */
export type GoogleInteractionPart = {
  /** Discriminant. */
  type: "text";
  /** The text. */
  text: string;
} | {
  /** Discriminant. */
  type: "image" | "audio" | "video" | "document";
  /** The bytes, in base64. */
  data: string;
  /** Media type. */
  mime_type: string;
};

/** The answer to a `function_call`, as a step of the next interaction's `input`. */
export interface GoogleInteractionResult {
  /** Discriminant. */
  type: "function_result";
  /** The call that it answers. */
  call_id: string;
  /** The name of the called function. */
  name: string;
  /** The answer, or an explanation of the error with advice; parts if the answer has files. */
  result: string | Record<string, unknown> | GoogleInteractionPart[];
  /** Present if the call failed. */
  is_error?: true;
}

/** Files that the API takes in results of functions. */
const MEDIA = [
  ...["png", "jpeg", "webp", "heic", "heif", "gif", "bmp", "tiff"].map((format) => `image/${format}`),
  ...["wav", "mp3", "mpeg", "aiff", "aac", "ogg", "flac", "m4a", "opus", "webm"].map((format) => `audio/${format}`),
  ...["mp4", "mpeg", "mov", "avi", "webm", "wmv", "3gpp"].map((format) => `video/${format}`),
  "application/pdf",
];

/**
 * Tools for interactions: `tools` for the request, `run` for the `steps` of the interaction. `run` returns the `input` of the next
 * interaction, whose `previous_interaction_id` is the id of this one.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { googleInteractionsTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => ({ pong: true }));
 * const { run } = await googleInteractionsTools(createServer({ tools: [ping] }));
 *
 * const steps = [{ type: "function_call", id: "call_1", name: "ping", arguments: {} }];
 * console.log(await run(steps));
 * // → [{ type: "function_result", call_id: "call_1", name: "ping", result: { pong: true } }]
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function googleInteractionsTools(
  source: AgentSource,
  options: LoopOptions = {},
): Promise<RunnableTools<GoogleInteractionFunction, GoogleInteractionStep, GoogleInteractionResult>> {
  const toolbox = await openGoogleToolbox(source, options, MEDIA);
  return {
    tools: toolbox.tools.map(declare),
    names: toolbox.names,
    run: (steps, runOptions) =>
      Promise.all(
        (steps ?? []).filter(isCall).map(async ({ id, name, arguments: args }) => {
          const result = await toolbox.call(name, args, { ...runOptions, id });
          return toResult(id, name, result);
        }),
      ),
  };
}

function declare(tool: AgentTool): GoogleInteractionFunction {
  const { name, description } = tool;
  return {
    type: "function",
    name,
    ...(description !== undefined && { description }),
    parameters: toGeminiSchema(tool),
  };
}

function toResult(
  id: string,
  name: string,
  { text, value, error, content, isContent }: ToolCallResult,
): GoogleInteractionResult {
  // An array would be read as parts.
  const answer = isContent || !isJsonObject(value) ? text : value;
  const result = content?.map(toPart) ?? answer;
  return { type: "function_result", call_id: id, name, result, ...(error !== undefined && { is_error: true }) };
}

function toPart(part: AnswerPart): GoogleInteractionPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mimeType } = part;
  const [top] = mimeType.split("/");
  const type = top === "image" || top === "audio" || top === "video" ? top : "document";
  return { type, data, mime_type: mimeType };
}

/** A call that Google's model requests, in the Interactions API. */
interface FunctionCall extends GoogleInteractionStep {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

function isCall(step: GoogleInteractionStep): step is FunctionCall {
  return step.type === "function_call";
}
