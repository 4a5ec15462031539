/**
 * The tools of a source as every framework needs them; the adapters add nothing but their framework's shapes.
 *
 * @module
 */
import { isSystemTool, type ListedTool } from "../../core/call/transport.ts";
import type { CallOptions, ClientMethods } from "../../client/types.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject, nestsDeeperThan } from "../../internal/json.ts";
import { explainFailure, explainPromise, explainQuestion, explainRefusal, isQuestion, toText } from "./explain.ts";
import { mapNames } from "./names.ts";
import { checkOptions } from "../../internal/options.ts";
import { AGENT_RULES, type AgentCall, type AgentOptions, type RunOptions } from "./options.ts";
import { type Parameters, toParameters } from "./parameters.ts";
import { type AgentSource, methodsOf } from "./source.ts";

/** What came of a call. */
export interface CallResult {
  /** For the model: the answer, or why there is none and what to do. */
  readonly text: string;
  /** The answer itself; `undefined` where there is none. */
  readonly value: unknown;
  /** Why there is no answer; `undefined` where there is one. */
  readonly error: Failure | ToolError | undefined;
}

/** Options of one call. */
export interface AgentCallOptions extends RunOptions {
  /** The model's own id of the call. */
  readonly id?: string | undefined;
}

/** A tool under the name that the model knows. */
export class AgentTool {
  /** Allowed by every framework. */
  readonly name: string;
  /** As its server lists it. */
  readonly listing: ListedTool;
  /** What the model has to say. */
  readonly parameters: Parameters;
  readonly #methods: ClientMethods;
  readonly #options: AgentOptions;

  constructor(name: string, listing: ListedTool, methods: ClientMethods, options: AgentOptions) {
    this.name = name;
    this.listing = listing;
    this.parameters = toParameters(listing.inputSchema);
    this.#methods = methods;
    this.#options = options;
  }

  /** Calls the tool, and waits for all of it. Rejects if it is aborted, with the signal's reason. */
  async call(said: unknown, options?: AgentCallOptions): Promise<CallResult> {
    const pieces = this.stream(said, options);
    let next = await pieces.next();
    while (!next.done) next = await pieces.next();
    return next.value;
  }

  /** Calls the tool; gives the pieces of its answer, then what came of it. Rejects if it is aborted, with the signal's reason. */
  async *stream(said: unknown, { id, signal }: AgentCallOptions = {}): AsyncGenerator<unknown, CallResult, undefined> {
    const args = this.parameters.toArguments(said);
    if (!isJsonObject(args)) return explained(new ToolError("invalid_input", "The arguments are no JSON object"));
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
      // Whoever aborts wants no explanation.
      signal?.throwIfAborted();
      return explained(thrown);
    }
  }

  /** Calls the tool once: a promise is what came of it. */
  async #look(args: unknown, options: CallOptions): Promise<CallResult> {
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

/** The tools that a model gets. */
export class Toolbox {
  /** In the order in which the server lists them. */
  readonly tools: readonly AgentTool[];
  /** The tools' names on their server, by the names that the model knows. */
  readonly names: ReadonlyMap<string, string>;

  constructor(tools: readonly AgentTool[]) {
    this.tools = tools;
    this.names = new Map(tools.map(({ name, listing }) => [name, listing.name]));
  }

  /** Calls a tool by the name that the model knows; a model may well make one up. */
  call(name: string, said: unknown, options: AgentCallOptions): Promise<CallResult> {
    const tool = this.tools.find((one) => one.name === name);
    if (tool !== undefined) return tool.call(said, options);
    const known = { available_tools: [...this.names.keys()] };
    return Promise.resolve(explained(new ToolError("tool_not_found", `There is no tool ${name}`, { details: known })));
  }
}

/** Lists the tools of a source. Rejects with `ToolError` if they cannot be had. */
export async function openToolbox(source: AgentSource, options: AgentOptions): Promise<Toolbox> {
  checkOptions("give tools to a model", options, AGENT_RULES);
  const methods = methodsOf(source);
  const { select = () => true, promises } = options;
  const offered = (await methods.list()).filter((tool) => isSystemTool(tool) ? promises === "shown" : select(tool));
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const names = mapNames([...byName.keys()]);
  const tools = [...byName].map(([tool, listing]) => new AgentTool(names.get(tool) ?? tool, listing, methods, options));
  return new Toolbox(tools);
}

function answered(value: unknown): CallResult {
  return { text: toText(value), value, error: undefined };
}

function explained(thrown: unknown): CallResult {
  if (thrown instanceof Failure) return { text: explainFailure(thrown), value: undefined, error: thrown };
  // What the caller's own functions throw is theirs.
  if (!(thrown instanceof ToolError)) throw thrown;
  const { code, message, details } = thrown;
  const text = isQuestion(details) ? explainQuestion(details) : explainRefusal(code, message, details);
  return { text, value: undefined, error: thrown };
}

function refusalOf(message: string, details: unknown): ToolError {
  return new ToolError("invalid_request", message, { details });
}

/** As deep as servers take arguments unless they say otherwise. */
const MAX_DEPTH = 512;

/** What a model wrote as JSON; `undefined` if it is none, or nests too deeply. Some write nothing at all where there are no arguments. */
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
