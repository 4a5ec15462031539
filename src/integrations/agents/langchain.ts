/**
 * Tools for LangChain.js.
 *
 * Types are structural: they are those of the package `@langchain/core`, which is not needed.
 */
import type { Failure } from "../../core/errors/failure.ts";
import type { ToolError } from "../../core/errors/tool_error.ts";
import { BOOLEAN, checkOptions, oneOf, type OptionRules } from "../../internal/options.ts";
import { StrictBudget } from "./anthropic_strict.ts";
import { approvalOf, LOOP_RULES, type LoopOptions } from "./approval.ts";
import { type AgentSource, isDestructive } from "./options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { LANGCHAIN_MEDIA, type LangChainBlock, toLangChainContent } from "./langchain_content.ts";
import { takeExamples } from "./examples.ts";
import { toLangChainSchema } from "./langchain_schema.ts";
import { openToolbox } from "./toolbox.ts";

/** Options of {@link langchainTools}. */
export interface LangChainOptions extends LoopOptions {
  /**
   * Whether deferred tools have `extras.defer_loading`, for `providerToolSearchMiddleware()` of LangChain: the vendor searches. Models of Anthropic
   * and OpenAI's Responses do. Default: false; they are called with `call_tool`, which every model can.
   */
  readonly toolSearch?: boolean | undefined;
  /**
   * The vendor of the agent's models, whose features tools then have in `extras`: examples as `input_examples` instead of in the schema, and
   * `strict`. Default: none, since other vendors would not get the examples.
   */
  readonly vendor?: "anthropic" | undefined;
  /** With `vendor: "anthropic"`, whether to use strict mode, as in {@link anthropicTools}. Default: false. */
  readonly strict?: boolean | undefined;
}

/** What LangChain's packages for vendors read of a tool. A type, because interfaces are not records. */
export type LangChainExtras = {
  /** Present if the model gets the definition only after it searched for the tool. */
  readonly defer_loading?: true;
  /** Examples of arguments. */
  readonly input_examples?: Record<string, unknown>[];
  /** Present if the model's output is constrained to the schema. */
  readonly strict?: true;
};

const RULES: OptionRules<LangChainOptions> = {
  ...LOOP_RULES,
  toolSearch: BOOLEAN,
  vendor: oneOf("anthropic"),
  strict: BOOLEAN,
};

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
  /** Features of vendors. */
  readonly extras?: LangChainExtras;
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
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const [tool] = await langchainTools(createServer({ tools: [ping] })); // new DynamicStructuredTool(tool)
 *
 * const { value } = await tool!.func({}).next();
 * console.log(value); // → ["pong", { value: "pong", error: undefined }]
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 * @throws {TypeError} If an option is invalid or unknown, or `strict` is given without a vendor.
 */
export async function langchainTools(source: AgentSource, given: LangChainOptions = {}): Promise<LangChainTool[]> {
  checkOptions("give tools to a model", given, RULES);
  const { approve, needsApproval, toolSearch = false, vendor, strict = false, ...options } = given;
  if (strict && vendor === undefined) throw new TypeError(STRICT_WITHOUT_VENDOR);
  // Interrupts of LangGraph are by name: a call through another tool would pass them.
  const isByName = approve === "never" && !toolSearch ? needsApproval ?? isDestructive : undefined;
  const toolbox = await openToolbox(source, options, {
    approval: approvalOf(source, given),
    media: LANGCHAIN_MEDIA,
    loadsFound: toolSearch,
    ...(isByName && { isByName }),
  });
  const budget = strict ? new StrictBudget() : undefined;
  const toTool = (tool: AgentTool, isDeferred: boolean): LangChainTool => ({
    ...toLangChainTool(tool, given.media),
    ...(vendor === "anthropic" ? describeForAnthropic(tool, budget, isDeferred) : isDeferred && DEFERRED),
  });
  return [
    // The vendor searches.
    ...toolbox.tools.filter((tool) => !toolSearch || tool !== toolbox.search).map((tool) => toTool(tool, false)),
    ...(toolSearch ? toolbox.deferred.map((tool) => toTool(tool, true)) : []),
  ];
}

const STRICT_WITHOUT_VENDOR =
  'Cannot give tools to a model: strict needs vendor: "anthropic". For models of OpenAI, write: ' +
  "model.bindTools(tools, { strict: true })";

const DEFERRED = { extras: { defer_loading: true } } as const;

/** Schema and features of a tool for Anthropic's models. */
function describeForAnthropic(
  { parameters, listing: { inputSchema } }: AgentTool,
  budget: StrictBudget | undefined,
  isDeferred: boolean,
): Pick<LangChainTool, "schema" | "extras"> {
  const strict = budget?.reduce(parameters, isDeferred);
  // The API refuses examples beside definitions that it defers. They stay in the schema.
  const { schema, examples } = isDeferred
    ? { schema: strict ?? parameters.schema, examples: [] }
    : takeExamples(inputSchema, parameters, strict);
  const extras: LangChainExtras = {
    ...(isDeferred && { defer_loading: true }),
    ...(examples.length > 0 && { input_examples: [...examples] }),
    ...(strict !== undefined && { strict: true }),
  };
  return { schema: toLangChainSchema(schema), ...(Object.keys(extras).length > 0 && { extras }) };
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

/** Result of a tool of LangChain: what the model gets, and what the program gets. */
type Answer = [content: string | LangChainBlock[], artifact: LangChainArtifact];

/** The member of a tool of LangChain that calls it. */
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
