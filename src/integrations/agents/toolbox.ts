/** The tools of a source in a framework-neutral form; the adapters add only the shapes of their framework. */
import { isSystemTool, type ListedTool } from "../../core/call/transport.ts";
import type { CallOptions, ClientMethods } from "../../client/types.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject, nestsDeeperThan } from "../../internal/json.ts";
import { explainErrorToModel, explainFailure, explainPromise, explainQuestion, isQuestion, toText } from "./explain.ts";
import { describeUnknown, shorten } from "../../internal/text.ts";
import { checkOptions } from "../../internal/options.ts";
import {
  AGENT_RULES,
  type AgentCall,
  type AgentOptions,
  type AgentSource,
  methodsOf,
  type RunOptions,
} from "./options.ts";
import { mapNames, type Parameters, toNamedParameters } from "./parameters.ts";

interface ToolCallResult {
  /** Text for the model: the answer, or an explanation of the error with advice. */
  readonly text: string;
  /** The answer; `undefined` if the call failed. */
  readonly value: unknown;
  /** The error; `undefined` if the call succeeded. */
  readonly error: Failure | ToolError | undefined;
}

interface AgentCallOptions extends RunOptions {
  /** The model's id of the call. */
  readonly id?: string | undefined;
}

/** A tool under the name that the model knows. */
export class AgentTool {
  /** Name that every framework allows. */
  readonly name: string;
  readonly listing: ListedTool;
  /** Parameters that the model fills in. */
  readonly parameters: Parameters;
  readonly #methods: ClientMethods;
  readonly #options: AgentOptions;

  constructor(
    name: string,
    listing: ListedTool,
    parameters: Parameters,
    methods: ClientMethods,
    options: AgentOptions,
  ) {
    this.name = name;
    this.listing = listing;
    this.parameters = parameters;
    this.#methods = methods;
    this.#options = options;
  }

  /** Calls the tool and waits for the whole answer. Rejects with the signal's reason if it is aborted. */
  async call(said: unknown, options?: AgentCallOptions): Promise<ToolCallResult> {
    const pieces = this.stream(said, options);
    let next = await pieces.next();
    while (!next.done) next = await pieces.next();
    return next.value;
  }

  /** Calls the tool; yields the pieces of its answer and returns the result. Rejects with the signal's reason if it is aborted. */
  async *stream(
    said: unknown,
    { id, signal }: AgentCallOptions = {},
  ): AsyncGenerator<unknown, ToolCallResult, undefined> {
    const args = this.parameters.toArguments(said);
    if (!isJsonObject(args)) return explained(new ToolError("invalid_input", "The arguments are not a JSON object"));
    const { timeoutMs, onProgress, onPartial, promises } = this.#options;
    const call: AgentCall = { tool: this.listing.name, args, id };
    const options: CallOptions = {
      ...(signal !== undefined && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(onProgress !== undefined && { onProgress: (progress) => onProgress(progress, call) }),
    };
    try {
      if (promises === "shown") return await this.#look(args, options);
      const stream = this.#methods.stream(this.listing.name, args, options);
      for await (const piece of stream) {
        onPartial?.(piece, call);
        yield piece;
      }
      return answered(await stream.result);
    } catch (thrown) {
      // An aborted call needs no explanation.
      signal?.throwIfAborted();
      return explained(thrown);
    }
  }

  /** Calls the tool once; a promise is returned as the result. */
  async #look(args: unknown, options: CallOptions): Promise<ToolCallResult> {
    const outcome = await this.#methods.outcome(this.listing.name, args, options);
    switch (outcome.kind) {
      case "answer":
        return answered(outcome.value);
      case "promise":
        return answered(explainPromise(outcome));
      case "failure":
        return explained(new Failure(outcome.code, outcome.message, outcome.data));
      case "unknown":
        return explained(refusalOf(`The server answered with ${outcome.responseType}`, outcome.result));
      default:
        return explained(refusalOf("The tool asks before it goes on", outcome));
    }
  }
}

/** Tools that a model gets. */
export class Toolbox {
  /** The tools, in the order of the server's list. */
  readonly tools: readonly AgentTool[];
  /** The tools' names on their server, by the names that the model knows. */
  readonly names: ReadonlyMap<string, string>;

  constructor(tools: readonly AgentTool[]) {
    this.tools = tools;
    this.names = new Map(tools.map(({ name, listing }) => [name, listing.name]));
  }

  /** Calls a tool by the name that the model knows. Models may invent names. */
  call(name: string, said: unknown, options: AgentCallOptions): Promise<ToolCallResult> {
    const tool = this.tools.find((one) => one.name === name);
    if (tool !== undefined) return tool.call(said, options);
    const details = describeUnknown("tool", name, [...this.names.keys()]);
    const message = `There is no tool ${shorten(name, MAX_LENGTH)}`;
    return Promise.resolve(explained(new ToolError("tool_not_found", message, { details })));
  }
}

/**
 * Lists the tools of a source.
 *
 * @param toParameters Converts input schemas. Default: to the form that models of any vendor take.
 * @throws {ToolError} If they cannot be listed.
 */
export async function openToolbox(
  source: AgentSource,
  options: AgentOptions,
  toParameters: typeof toNamedParameters = toNamedParameters,
): Promise<Toolbox> {
  checkOptions("give tools to a model", options, AGENT_RULES);
  const methods = methodsOf(source);
  const { select = () => true, promises } = options;
  const offered = (await methods.list()).filter((tool) => isSystemTool(tool) ? promises === "shown" : select(tool));
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const names = mapNames([...byName.keys()], TOOL_NAME);
  const tools = [...byName].map(([tool, listing]) =>
    new AgentTool(names.get(tool) ?? tool, listing, toParameters(listing.inputSchema), methods, options)
  );
  return new Toolbox(tools);
}

function answered(value: unknown): ToolCallResult {
  return { text: toText(value), value, error: undefined };
}

function explained(thrown: unknown): ToolCallResult {
  if (thrown instanceof Failure) return { text: explainFailure(thrown), value: undefined, error: thrown };
  // Exceptions of the caller's callbacks pass through.
  if (!(thrown instanceof ToolError)) throw thrown;
  const { code, message, details } = thrown;
  const text = isQuestion(details) ? explainQuestion(details) : explainErrorToModel(code, message, details);
  return { text, value: undefined, error: thrown };
}

function refusalOf(message: string, details: unknown): ToolError {
  return new ToolError("invalid_request", message, { details });
}

/** Nesting limit of arguments, as servers have it by default. */
const MAX_DEPTH = 512;

/** Parses the JSON of a model; `undefined` if it is invalid or nested too deeply. Some models write nothing if a tool has no arguments. */
export function readArguments(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  if (text.trim() === "") return {};
  if (nestsDeeperThan(text, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Longest name in the text of an error, in characters. */
const MAX_LENGTH = 64;

/** Names that every framework takes. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
