/**
 * Tools for OpenAI's Chat Completions, and for compatible services.
 *
 * Types are structural: they are those of the package `openai`, which is not needed.
 */
import { type AnswerFile, type AnswerPart, isImage } from "./answer_content.ts";
import { assertNoItems, type OpenAiFunction, type OpenAiOptions, openFunctions } from "./openai_functions.ts";
import type { AgentSource, RunnableTools } from "./options.ts";

/** An entry of `tools` in a request to OpenAI's Chat Completions. */
export interface OpenAiTool {
  /** Discriminant. */
  type: "function";
  /** The function. */
  function: OpenAiFunction;
}

/** A tool call of a message of Chat Completions; calls of other types are skipped. */
export interface OpenAiToolCall {
  /** Discriminant: `function`. */
  readonly type: string;
  /** The model's id of the call. */
  readonly id: string;
  /** The called function. */
  readonly function?: {
    /** The name that the model knows. */
    readonly name: string;
    /** Arguments as JSON text. */
    readonly arguments: string;
  };
}

/** The answer to a tool call, as a message of the next request. */
export interface OpenAiToolMessage {
  /** Discriminant. */
  role: "tool";
  /** The call that it answers. */
  tool_call_id: string;
  /** The answer, or an explanation of the error with advice. */
  content: string;
}

/** A part of an {@link OpenAiFilesMessage}. */
export type OpenAiFilePart = {
  /** Discriminant. */
  type: "text";
  /** Names the call that the files after it answer. */
  text: string;
} | {
  /** Discriminant. */
  type: "image_url";
  /** The image. */
  image_url: {
    /** A `data:` URL. */
    url: string;
  };
} | {
  /** Discriminant. */
  type: "input_audio";
  /** The sound. */
  input_audio: {
    /** The bytes, in base64. */
    data: string;
    /** Format of the sound. */
    format: "wav" | "mp3";
  };
} | {
  /** Discriminant. */
  type: "file";
  /** The file. */
  file: {
    /** Name of the file. */
    filename: string;
    /** A `data:` URL. */
    file_data: string;
  };
};

/** The files of answers, as a message after those of the tools: the API takes texts alone in these. */
export interface OpenAiFilesMessage {
  /** Discriminant. */
  role: "user";
  /** The files, with the calls that they answer. */
  content: OpenAiFilePart[];
}

/** Options of {@link openaiTools} with files. */
export interface OpenAiFilesOptions extends OpenAiOptions {
  /**
   * Media types of files that the model takes, such as `["image/*", "application/pdf"]`. They are sent in a user message after those of the
   * tools.
   */
  readonly media: readonly string[];
}

/**
 * Tools for Chat Completions: `tools` for the request, `run` for the `tool_calls` of the answer.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { openaiTools } from "jsr:@toolwire/toolwire/agents";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const add = defineTool("math.add").describe("Add").input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b);
 * const { tools, run } = await openaiTools(createServer({ tools: [add] }));
 * console.log(tools[0]?.function.name); // → math_add
 *
 * // What a model answers to a request with these tools:
 * const call = { type: "function", id: "call_1", function: { name: "math_add", arguments: '{"a":1,"b":2}' } };
 * console.log(await run([call])); // → [{ role: "tool", tool_call_id: "call_1", content: "3" }]
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export function openaiTools(
  source: AgentSource,
  options: OpenAiFilesOptions,
): Promise<RunnableTools<OpenAiTool, OpenAiToolCall, OpenAiToolMessage | OpenAiFilesMessage>>;
/**
 * Tools for Chat Completions without files: `run` gives the messages of the tools alone.
 *
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export function openaiTools(
  source: AgentSource,
  options?: OpenAiOptions,
): Promise<RunnableTools<OpenAiTool, OpenAiToolCall, OpenAiToolMessage>>;
export async function openaiTools(
  source: AgentSource,
  options: OpenAiOptions = {},
): Promise<RunnableTools<OpenAiTool, OpenAiToolCall, OpenAiToolMessage | OpenAiFilesMessage>> {
  const functions = await openFunctions(source, options, false);
  const { tools, names } = functions.toolbox;
  return {
    tools: tools.map((tool) => ({ type: "function", function: functions.describe(tool) })),
    names,
    async run(calls, runOptions) {
      assertNoItems(calls, "function_call", "Responses: take openaiResponsesTools");
      // A call without its function is answered, too: the API refuses a request that leaves a call without an answer.
      const own = (calls ?? []).filter((call) => Boolean(call.function) || call.type === "function");
      const answers = await Promise.all(own.map(async ({ id, function: called }) => {
        const name = String(called?.name);
        const { text, content = [] } = await functions.call(name, called?.arguments, { ...runOptions, id });
        return {
          message: { role: "tool", tool_call_id: id, content: text } as const,
          files: toFiles(name, id, content),
        };
      }));
      const files = answers.flatMap((answer) => answer.files);
      return [
        ...answers.map(({ message }) => message),
        ...(files.length === 0 ? [] : [{ role: "user", content: files } as const]),
      ];
    },
  };
}

/** The files of an answer, after a text that names the call. */
function toFiles(name: string, id: string, content: readonly AnswerPart[]): OpenAiFilePart[] {
  const files = content.filter((part) => part.type === "file");
  return files.length === 0 ? [] : [{ type: "text", text: `Files of ${name} (${id}):` }, ...files.map(toPart)];
}

function toPart(file: AnswerFile): OpenAiFilePart {
  const { mimeType, data, name = "file" } = file;
  const url = `data:${mimeType};base64,${data}`;
  if (isImage(file)) return { type: "image_url", image_url: { url } };
  const format = AUDIO.get(mimeType);
  if (format !== undefined) return { type: "input_audio", input_audio: { data, format } };
  return { type: "file", file: { filename: name, file_data: url } };
}

/** Formats of sounds that the API takes, by media type. */
const AUDIO: ReadonlyMap<string, "wav" | "mp3"> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);
