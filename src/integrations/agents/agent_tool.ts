/** A tool in a framework-neutral form, and its calls; the adapters add only the shapes of their framework. */
import type { PromiseOutcome } from "../../core/call/outcome.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import type { CallOptions, ClientMethods } from "../../client/types.ts";
import { NO_PIECES } from "../../client/stream.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject } from "../../internal/json.ts";
import { explainErrorToModel, explainFailure, explainPromise, explainQuestion, isQuestion, toText } from "./explain.ts";
import { type AnswerPart, nameFile, readContent, type TakesMedia } from "./answer_content.ts";
import { dropNulls } from "./nulls.ts";
import type { CheckApproval } from "./approval.ts";
import type { AgentCall, AgentOptions, RunOptions } from "./options.ts";
import type { ModelParameters } from "./parameters.ts";

/** Result of a call that a model made: text for the model, and the value or error for the application. */
export interface ToolCallResult {
  /** Text for the model: the answer, or an explanation of the error with advice. */
  readonly text: string;
  /** The answer; `undefined` if the call failed. */
  readonly value: unknown;
  /** The error; `undefined` if the call succeeded. */
  readonly error: Failure | ToolError | undefined;
  /** The parts of an answer with files that the model takes, which `text` only names. */
  readonly content?: readonly AnswerPart[];
  /** The texts of an answer that has no files and has text resources, for vendors that cite them by their URI. */
  readonly sources?: readonly AnswerPart[];
  /** Whether the answer consists of content blocks or has files: then `text` and `content` are for the model, not the value. */
  readonly isContent?: true;
  /** The promise that a call was answered with, if promises are shown to the model; `text` explains it. */
  readonly promise?: PromiseOutcome;
}

/** Options of one call by a model: its id, and a signal that aborts it. */
export interface AgentCallOptions extends RunOptions {
  /** The model's id of the call. */
  readonly id?: string | undefined;
  /** Answers to the questions that the same call ended with before. */
  readonly answers?: QuestionAnswers | undefined;
}

/** Answers to the questions of a call, by key, and the token with which the questions came. */
export interface QuestionAnswers {
  /** The token. */
  readonly continuation: string;
  /** The answers. */
  readonly responses: Readonly<Record<string, unknown>>;
}

/** A tool as all adapters use it: what the model gets to know of it, and the methods that call it. */
export abstract class AgentTool {
  /** Name that every framework allows. */
  readonly name: string;
  /** The tool as its server lists it. */
  readonly listing: ListedTool;
  /** Parameters that the model fills in. */
  readonly parameters: ModelParameters;
  /** Group that it belongs to; empty for none. */
  readonly group: string;

  constructor(name: string, listing: ListedTool, parameters: ModelParameters, group: string = "") {
    this.name = name;
    this.listing = listing;
    this.parameters = parameters;
    this.group = group;
  }

  /** Description for the model. */
  get description(): string | undefined {
    return this.listing.description;
  }

  /** Calls the tool; yields the pieces of its answer and returns the result. Rejects with the signal's reason if it is aborted. */
  abstract stream(given: unknown, options?: AgentCallOptions): AsyncGenerator<unknown, ToolCallResult, undefined>;

  /** The tool of the server that a call runs. */
  targetOf(_said: unknown): ListedTool {
    return this.listing;
  }

  /** Calls the tool and waits for the whole answer. Rejects with the signal's reason if it is aborted. */
  async call(given: unknown, options?: AgentCallOptions): Promise<ToolCallResult> {
    const pieces = this.stream(given, options);
    let next = await pieces.next();
    while (!next.done) next = await pieces.next();
    return next.value;
  }
}

/** A tool of a server that a model can call: converts the model's arguments, calls the server, and explains errors. */
export class ServerTool extends AgentTool {
  readonly #methods: ClientMethods;
  readonly #options: AgentOptions;
  readonly #approval: CheckApproval | undefined;
  readonly #takes: TakesMedia;

  constructor(
    name: string,
    listing: ListedTool,
    parameters: ModelParameters,
    group: string,
    methods: ClientMethods,
    options: AgentOptions,
    takes: TakesMedia,
    approval?: CheckApproval,
  ) {
    super(name, listing, parameters, group);
    this.#takes = takes;
    this.#approval = approval;
    this.#methods = methods;
    this.#options = options;
  }

  override async *stream(
    given: unknown,
    { id, signal, answers }: AgentCallOptions = {},
  ): AsyncGenerator<unknown, ToolCallResult, undefined> {
    const args = dropNulls(this.listing.inputSchema, this.parameters.toArguments(given));
    if (!isJsonObject(args)) return explained(new ToolError("invalid_input", "The arguments are not a JSON object"));
    const { timeoutMs, onProgress, onPartial, promises } = this.#options;
    const call: AgentCall = { tool: this.listing.name, args, id };
    const options: CallOptions = {
      ...(signal !== undefined && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(answers !== undefined && { meta: { ...answers } }),
      ...(onProgress !== undefined && { onProgress: (progress) => onProgress(progress, call) }),
    };
    try {
      const refusal = await this.#approval?.(this.listing, call);
      signal?.throwIfAborted();
      if (refusal !== undefined) return explained(refusal);
      if (promises === "shown") return await this.#look(args, options);
      const stream = this.#methods.stream(this.listing.name, args, options);
      try {
        for await (const piece of stream) {
          onPartial?.(piece, call);
          yield piece;
        }
      } catch (thrown) {
        // A model gets the whole answer: it needs no pieces.
        if (!(thrown instanceof ToolError) || thrown.details !== NO_PIECES) throw thrown;
      }
      const value = await stream.result;
      return answered(value, this.#takes, stream["~shown"]?.());
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
        return answered(outcome.value, this.#takes, outcome["~shown"]?.());
      case "promise":
        return { ...answered(explainPromise(outcome)), promise: outcome };
      case "failure":
        return explained(new Failure(outcome.code, outcome.message, outcome.data));
      case "unknown":
        return explained(refusalOf(`The server answered with ${outcome.responseType}`, outcome.result));
      default:
        return explained(refusalOf("The tool asks before it goes on", outcome));
    }
  }
}

/**
 * Makes the result of a call that succeeded: the value as text and, if it has files that the model takes, as parts.
 *
 * @param shown What `.render()` shows in place of the value.
 */
export function answered(value: unknown, takes: TakesMedia = takesNone, shown?: unknown): ToolCallResult {
  const content = readContent(value, takes, shown);
  if (content === undefined) return { text: toText(value), value, error: undefined };
  const text = content.map((part) => part.type === "text" ? part.text : nameFile(part)).join("\n");
  const result = { text: text || toText(value), value, error: undefined, isContent: true } as const;
  // Vendors refuse empty texts.
  const parts = content.filter((part) => part.type !== "text" || part.text !== "");
  if (parts.some(({ type }) => type === "file")) return { ...result, content: parts };
  return parts.some((part) => part.type === "text" && part.uri !== undefined) ? { ...result, sources: parts } : result;
}

const takesNone: TakesMedia = () => false;

/** Makes the result of a call that failed: the error, and its explanation as text. @throws Any other exception than `Failure` and `ToolError`. */
export function explained(thrown: unknown): ToolCallResult {
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
