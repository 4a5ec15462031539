/**
 * Tools for OpenAI's Responses.
 *
 * Types are structural: they are those of the package `openai`, which is not needed.
 */
import { checkOptions } from "../../internal/options.ts";
import type { AgentTool, ToolCallResult } from "./agent_tool.ts";
import { type AnswerPart, isImage } from "./answer_content.ts";
import { callersOf } from "./callers.ts";
import {
  assertNoItems,
  OPENAI_RULES,
  type OpenAiFunction,
  type OpenAiFunctions,
  type OpenAiOptions,
  openFunctions,
} from "./openai_functions.ts";
import { describeNamespace, Namespaces } from "./openai_namespaces.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import {
  type AgentSource,
  ASYNC_RULES,
  type AsyncOptions,
  asyncTools,
  CALLER_RULES,
  type CallerOptions,
  type RunnableTools,
  type RunOptions,
} from "./options.ts";

/** A tool of the server as a function of OpenAI's Responses: in `tools` of a request, or found by a search. */
export interface OpenAiResponsesFunction extends OpenAiFunction {
  /** Discriminant. */
  type: "function";
  /** Present if the function was found by a search. */
  defer_loading?: true;
  /** Present if programs of the model may call the function. They need the tool `programmatic_tool_calling` in the request. */
  allowed_callers?: ("direct" | "programmatic")[];
  /** Present if the model does not wait for the answer. */
  async?: true;
  /** JSON Schema of the answers, which are then all JSON. Present for programs, if the server has one. */
  output_schema?: Record<string, unknown>;
}

/** Options of {@link openaiResponsesTools}. */
export interface OpenAiResponsesOptions extends OpenAiOptions, CallerOptions, AsyncOptions {}

/** Options of `run` of {@link OpenAiResponsesTools}. */
export interface OpenAiResponsesRunOptions extends RunOptions {
  /**
   * Called with each call that the model does not wait for: the promise of its answer, for the input of a later request. Default: `run`
   * waits for these calls, too.
   */
  readonly later?: ((answer: Promise<OpenAiResponsesResult>) => void) | undefined;
}

/** Tools for Responses, and the function that runs calls. */
export interface OpenAiResponsesTools
  extends RunnableTools<OpenAiResponsesTool, OpenAiResponseItem, OpenAiResponsesResult> {
  /** Makes the calls of a response; returns the items of the next request's input, in order, without those of `later`. */
  run(
    items: readonly OpenAiResponseItem[] | null | undefined,
    options?: OpenAiResponsesRunOptions,
  ): Promise<OpenAiResponsesResult[]>;
}

/** The tool that lets the model search for deferred tools; `run` answers its calls. */
export interface OpenAiToolSearch {
  /** Discriminant. */
  type: "tool_search";
  /** The application searches. */
  execution: "client";
  /** What the search does, for the model. */
  description: string;
  /** JSON Schema of the search. */
  parameters: Record<string, unknown>;
}

/** An entry of `tools` in a request to OpenAI's Responses API. */
export type OpenAiResponsesTool = OpenAiResponsesFunction | OpenAiToolSearch;

/** Functions of a group, which a search found. */
export interface OpenAiNamespace {
  /** Discriminant. */
  type: "namespace";
  /** The group. */
  name: string;
  /** What the functions are for. */
  description: string;
  /** The functions. */
  tools: OpenAiResponsesFunction[];
}

/** The answer to a search, as an item of the next request's input. */
export interface OpenAiToolSearchOutput {
  /** Discriminant. */
  type: "tool_search_output";
  /** The search that it answers. */
  call_id: string;
  /** The application searched. */
  execution: "client";
  /** The search is over. */
  status: "completed";
  /** Definitions of the found tools. */
  tools: (OpenAiResponsesFunction | OpenAiNamespace)[];
}

/** An item of a response; items other than function calls and searches are skipped. */
export interface OpenAiResponseItem {
  /** Discriminant: `function_call` or `tool_search_call`. */
  readonly type: string;
}

/** A text, an image or a PDF document in the output of a function call. Outputs without files are one string. */
export type OpenAiOutputPart = {
  /** Discriminant. */
  type: "input_text";
  /** The text. */
  text: string;
} | {
  /** Discriminant. */
  type: "input_image";
  /** A `data:` URL. */
  image_url: string;
  /** Level of detail. */
  detail: "auto";
} | {
  /** Discriminant. */
  type: "input_file";
  /** Name of the file. */
  filename: string;
  /** A `data:` URL. */
  file_data: string;
};

/** The answer to a function call, as an item of the next request's input. */
export interface OpenAiFunctionOutput {
  /** Discriminant. */
  type: "function_call_output";
  /** The call that it answers. */
  call_id: string;
  /** The answer, or an explanation of the error with advice; parts if the answer has files. */
  output: string | OpenAiOutputPart[];
  /** What made the call: the model, or a program that it wrote. Repeated from the call. */
  caller?: OpenAiCaller | null;
  /** Namespace of the function. Repeated from the call. */
  namespace?: string;
}

/** What `run` returns for a call of the model: an item of the next request's input. */
export type OpenAiResponsesResult = OpenAiFunctionOutput | OpenAiToolSearchOutput;

/** What made a function call of Responses: the model itself, or a program of programmatic tool calling. */
export type OpenAiCaller = {
  /** Discriminant: the model. */
  type: "direct";
} | {
  /** Discriminant: a program. */
  type: "program";
  /** Id of the program's item. */
  caller_id: string;
};

/**
 * Tools for Responses: `tools` for the request, `run` for the `output` of the response.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { openaiResponsesTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const { run } = await openaiResponsesTools(createServer({ tools: [ping] }));
 *
 * const output = [{ type: "function_call", call_id: "call_1", name: "ping", arguments: "{}" }];
 * console.log(await run(output)); // → [{ type: "function_call_output", call_id: "call_1", output: "pong" }]
 * ```
 * With `defer` the request has a `tool_search`, and `run` answers its calls with the found definitions, in namespaces of their groups.
 * Models before GPT-5.4 do not search.
 *
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function openaiResponsesTools(
  source: AgentSource,
  given: OpenAiResponsesOptions = {},
): Promise<OpenAiResponsesTools> {
  checkOptions("give tools to a model", given, { ...OPENAI_RULES, ...CALLER_RULES, ...ASYNC_RULES });
  const { callers, async: isAsync, ...options } = given;
  const functions = await openFunctions(source, options, true);
  const responses = new Responses(functions, callers, asyncTools(isAsync));
  const { tools, names } = functions.toolbox;
  return {
    tools: tools.map((tool) => responses.describe(tool)),
    names,
    async run(items, { later, ...runOptions } = {}) {
      assertNoItems(items, "function", "Chat Completions: take openaiTools");
      const own = (items ?? []).filter((item): item is OwnItem => isFunctionCall(item) || isSearch(item));
      const isLater = (item: OwnItem) => later !== undefined && isFunctionCall(item) && item.async === true;
      for (const item of own.filter(isLater)) later?.(responses.answer(item, runOptions));
      return await Promise.all(own.filter((item) => !isLater(item)).map((item) => responses.answer(item, runOptions)));
    },
  };
}

/** The calls of Responses. */
class Responses {
  readonly #functions: OpenAiFunctions;
  readonly #namespaces: Namespaces;
  readonly #callers: CallerOptions["callers"];
  readonly #isAsync: (tool: ListedTool) => boolean;

  constructor(
    functions: OpenAiFunctions,
    callers: CallerOptions["callers"],
    isAsync: (tool: ListedTool) => boolean,
  ) {
    this.#functions = functions;
    this.#callers = callers;
    this.#isAsync = isAsync;
    this.#namespaces = new Namespaces(functions.toolbox.deferred);
  }

  describe(tool: AgentTool): OpenAiResponsesTool {
    if (tool !== this.#functions.toolbox.search) return this.#describe(tool);
    const { description = "", parameters } = tool;
    return { type: "tool_search", execution: "client", description, parameters: { ...parameters.schema } };
  }

  #describe(tool: AgentTool, name: string = tool.name): OpenAiResponsesFunction {
    const { model, program } = callersOf(tool, this.#callers);
    const schema = this.#outputSchemaOf(tool);
    return {
      type: "function",
      ...this.#functions.describe(tool, name),
      ...(program && { allowed_callers: model ? ["direct", "programmatic"] : ["programmatic"] }),
      // A program waits for its calls.
      ...(!program && this.#isAsync(tool.listing) && { async: true }),
      ...(schema !== undefined && { output_schema: schema }),
    };
  }

  /** Schema of the answers of a tool, if programs may call it. */
  #outputSchemaOf(tool: AgentTool): Record<string, unknown> | undefined {
    const { outputSchema } = tool.listing;
    return outputSchema !== undefined && callersOf(tool, this.#callers).program ? { ...outputSchema } : undefined;
  }

  async answer(item: OwnItem, options: RunOptions | undefined): Promise<OpenAiResponsesResult> {
    if (!isFunctionCall(item)) return this.#search(item);
    const { name, arguments: text, call_id: id, caller, namespace } = item;
    const called = this.#namespaces.find(namespace, String(name))?.name ?? String(name);
    const result = await this.#functions.call(called, text, { ...options, id });
    const tool = this.#functions.toolbox.find(called);
    const isJson = tool !== undefined && this.#outputSchemaOf(tool) !== undefined;
    const output = isJson ? toJson(result) : toOutput(result, caller?.type === "program");
    return {
      type: "function_call_output",
      call_id: id,
      output,
      ...(caller !== undefined && { caller }),
      ...(namespace !== undefined && { namespace }),
    };
  }

  #search({ call_id, arguments: given }: SearchItem): OpenAiToolSearchOutput {
    const { search } = this.#functions.toolbox;
    const found = search === undefined ? [] : search.findTools(given);
    return { type: "tool_search_output", call_id, execution: "client", status: "completed", tools: this.#list(found) };
  }

  /** Lists found tools, each group as a namespace. */
  #list(found: readonly AgentTool[]): OpenAiToolSearchOutput["tools"] {
    const listed: OpenAiToolSearchOutput["tools"] = [];
    const namespaces = new Map<string, OpenAiNamespace>();
    for (const tool of found) {
      const { namespace, name } = this.#namespaces.nameOf(tool);
      const described: OpenAiResponsesFunction = { ...this.#describe(tool, name), defer_loading: true };
      const open = namespace === undefined ? undefined : namespaces.get(namespace);
      if (open !== undefined) open.tools.push(described);
      else if (namespace === undefined) listed.push(described);
      else {
        const description = describeNamespace(namespace);
        const added: OpenAiNamespace = { type: "namespace", name: namespace, description, tools: [described] };
        namespaces.set(namespace, added);
        listed.push(added);
      }
    }
    return listed;
  }
}

/** With an output schema all answers are JSON, errors, too. */
function toJson({ text, value, error }: ToolCallResult): string {
  return JSON.stringify(error === undefined ? value ?? null : { error: text });
}

/** Programs take text alone. */
function toOutput({ text, content }: ToolCallResult, isProgram: boolean): string | OpenAiOutputPart[] {
  return isProgram ? text : content?.map(toOutputPart) ?? text;
}

function toOutputPart(part: AnswerPart): OpenAiOutputPart {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const url = `data:${part.mimeType};base64,${part.data}`;
  if (isImage(part)) return { type: "input_image", image_url: url, detail: "auto" };
  return { type: "input_file", filename: part.name ?? "file", file_data: url };
}

/** A call that OpenAI's model requests, in the Responses API. */
interface FunctionCallItem extends OpenAiResponseItem {
  readonly call_id: string;
  readonly name: unknown;
  readonly arguments: unknown;
  readonly caller?: OpenAiCaller | null;
  readonly namespace?: string;
  readonly async?: unknown;
}

/** A search for tools that OpenAI's model requests. */
interface SearchItem extends OpenAiResponseItem {
  readonly call_id: string;
  readonly arguments: unknown;
}

type OwnItem = FunctionCallItem | SearchItem;

function isFunctionCall(item: OpenAiResponseItem): item is FunctionCallItem {
  return item.type === "function_call";
}

/** Whether an item is a search that the application answers; OpenAI answers the others. */
function isSearch(item: OpenAiResponseItem): item is SearchItem {
  return item.type === "tool_search_call" && (item as { readonly execution?: unknown }).execution === "client";
}
