/**
 * Tools for Google's Gen AI SDK.
 *
 * Types are structural: they are those of the package `@google/genai`, which is not needed.
 */
import type { AgentTool, ToolCallResult } from "./agent_tool.ts";
import { toForm } from "./explain_schema.ts";
import { approvalOf, LOOP_RULES, type LoopOptions } from "./approval.ts";
import { checkOptions } from "../../internal/options.ts";
import {
  type AgentSource,
  ASYNC_RULES,
  type AsyncOptions,
  asyncTools,
  type RunnableTools,
  type RunOptions,
} from "./options.ts";
import { toParameters } from "./parameters.ts";
import { openToolbox, type Toolbox } from "./toolbox.ts";

/**
 * A tool of the server, as Gemini takes it: one of `functionDeclarations`. With the option `async` it has the member `behavior`, too, whose
 * type is an enumeration of the package.
 */
export interface GoogleFunction {
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  parametersJsonSchema: Record<string, unknown>;
}

/** The entry of `tools` in a request's `config`. One entry has all functions. */
export interface GoogleTool {
  /** The functions. */
  functionDeclarations: GoogleFunction[];
}

/** A call of a model, of `response.functionCalls`. */
export interface GoogleFunctionCall {
  /** The model's id of the call. Gemini's API sends none in some modes. */
  readonly id?: string | undefined;
  /** The name that the model knows. */
  readonly name?: string | undefined;
  /** The arguments. */
  readonly args?: Record<string, unknown> | undefined;
}

/** A file of an answer: an image, or a PDF document. */
export interface GoogleFile {
  /** The bytes. */
  inlineData: {
    /** Media type, such as `image/png`. */
    mimeType: string;
    /** The bytes, in base64. */
    data: string;
  };
}

/** The answer to a call, as a part of the user's next content. */
export interface GoogleFunctionResponse {
  /** The answer. */
  functionResponse: {
    /** The call that it answers. */
    id?: string;
    /** Name of the called function. */
    name: string;
    /** The answer as JSON, or an explanation of the error with advice. */
    response: { output: unknown } | { error: string };
    /** Files of the answer. */
    parts?: GoogleFile[];
  };
}

/** Tools and the function that runs calls. It is a `CallableTool`, which the SDK calls by itself. */
export interface GoogleTools extends RunnableTools<GoogleTool, GoogleFunctionCall, GoogleFunctionResponse> {
  /** Returns the functions, for the SDK's automatic function calling. */
  tool(): Promise<GoogleTool>;
  /** Runs calls, for the SDK's automatic function calling. */
  callTool(calls: readonly GoogleFunctionCall[]): Promise<GoogleFunctionResponse[]>;
}

/** Options of {@link googleTools}. The Live API alone takes `async`. */
export interface GoogleOptions extends LoopOptions, AsyncOptions {}

/** Files that Gemini takes in answers of functions. */
const MEDIA = ["image/png", "image/jpeg", "image/webp", "application/pdf"];

/** Names of functions that Gemini takes, with ADK too. Other names of tools are changed to match. */
export const GOOGLE_NAME: RegExp = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Tools for `generateContent`: `tools` for the request's `config`, `run` for the `functionCalls` of the answer. `run` returns the parts of
 * the user's next content. In place of that, `config: { tools: [await googleTools(source)] }` lets the SDK make the calls.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { googleTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => ({ pong: true }));
 * const { tools, run } = await googleTools(createServer({ tools: [ping] })); // config: { tools }
 * console.log(tools[0]?.functionDeclarations.map(({ name }) => name)); // → ["ping"]
 *
 * const parts = await run([{ name: "ping", args: {} }]); // { role: "user", parts } is the next content
 * console.log(parts); // → [{ functionResponse: { name: "ping", response: { output: { pong: true } } } }]
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function googleTools(source: AgentSource, given: GoogleOptions = {}): Promise<GoogleTools> {
  checkOptions("give tools to a model", given, { ...LOOP_RULES, ...ASYNC_RULES });
  const { async: isAsync, ...options } = given;
  const toolbox = await openGoogleToolbox(source, options, MEDIA);
  const isNonBlocking = asyncTools(isAsync);
  const declared: GoogleTool = {
    functionDeclarations: toolbox.tools.map((tool) => ({
      ...declare(tool),
      ...(isNonBlocking(tool.listing) && { behavior: "NON_BLOCKING" }),
    })),
  };
  const answer = async ({ id, name = "", args = {} }: GoogleFunctionCall, options: RunOptions | undefined) => {
    const result = await toolbox.call(name, args, { ...options, id });
    return toResponse(id, name, result);
  };
  const run: GoogleTools["run"] = (calls, options) => Promise.all((calls ?? []).map((call) => answer(call, options)));
  return {
    tools: [declared],
    names: toolbox.names,
    run,
    tool: () => Promise.resolve(declared),
    callTool: (calls) => run(calls),
  };
}

/** Lists the tools of a source for Gemini, whose loop is the application's. */
export async function openGoogleToolbox(
  source: AgentSource,
  given: LoopOptions,
  media: readonly string[],
): Promise<Toolbox> {
  checkOptions("give tools to a model", given, LOOP_RULES);
  const { approve: _approve, needsApproval: _needs, ...options } = given;
  const approval = approvalOf(source, given);
  return await openToolbox(source, options, { toParameters, names: GOOGLE_NAME, approval, media });
}

/** JSON Schema of a tool's arguments in the form that Gemini takes. */
export function toGeminiSchema({ parameters }: AgentTool): Record<string, unknown> {
  return { ...toForm(parameters, "gemini", false).schema };
}

function declare(tool: AgentTool): GoogleFunction {
  const { name, description } = tool;
  return { name, ...(description !== undefined && { description }), parametersJsonSchema: toGeminiSchema(tool) };
}

function toResponse(
  id: string | undefined,
  name: string,
  { text, value, error, content, isContent }: ToolCallResult,
): GoogleFunctionResponse {
  const response = error === undefined ? { output: isContent ? text : value ?? text } : { error: text };
  const parts = content?.flatMap((part): GoogleFile[] =>
    part.type === "file" ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : []
  );
  return { functionResponse: { ...(id !== undefined && { id }), name, response, ...(parts && { parts }) } };
}
