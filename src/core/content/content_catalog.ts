/**
 * A server's resources and prompts, as wires use them.
 *
 * Requests run through dispatch, so that deadlines, middleware, error masking, questions and continuations work as for
 * tools. Methods return all results as values; they never throw and never reject.
 */
import type { Call, CallMeta, Peer, Principal } from "../call/call.ts";
import type { ResourceContents } from "../call/content.ts";
import type { AnswerOutcome, CallResult, ErrorResult, Outcome, Sink } from "../call/outcome.ts";
import type { MaybeFuture } from "../../internal/future.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { PromptContent, PromptDefinition, PromptListing } from "./prompt.ts";
import type { ResourceDefinition, ResourceListing, ResourceTemplateListing } from "./resource.ts";
import type { Completion } from "./completion.ts";
import type { ContentExtension } from "./extension.ts";

/** Result of a request for resources, prompts or completions: an answer of type `Value`, or another outcome or error result. */
export type CallResultOf<Value> = AnswerOutcome<Value> | Exclude<Outcome, AnswerOutcome> | ErrorResult;

/** Caller and metadata of one request for resources, prompts or completions. */
export interface ContentCall {
  /** The caller. */
  readonly peer: Peer;
  /** Deadline, continuation with responses, and caller state apply. Promises and idempotency keys do not exist here. */
  readonly meta?: CallMeta | undefined;
}

/** A request for completions. */
export interface CompletionRequest extends ContentCall {
  /** Name of a prompt, or URI or URI template of a resource. */
  readonly of: { readonly prompt: string } | { readonly resource: string };
  /** Name of the prompt's argument or the template's variable. */
  readonly argument: string;
  /** Text typed so far. */
  readonly value: string;
  /** Other arguments known so far. */
  readonly otherArguments?: Readonly<Record<string, string>> | undefined;
}

/** Lists, reads and completes the resources and prompts of a server, for its wires. Failed requests give error results. */
export interface ContentCatalog {
  /** Whether there are prompts. */
  readonly hasPrompts: boolean;
  /** JSON-RPC methods of the prompts that MCP-lite has beside those of tools, by name; empty without prompts. */
  readonly methods: ReadonlyMap<string, ContentMethod>;
  /** Whether there are resources or resource templates. */
  readonly hasResources: boolean;
  /** Whether anything has completers. */
  readonly canComplete: boolean;
  /** Extensions that the resources bring, of those that the caller may see. Each is there for every caller. */
  extensionsFor(principal: Principal | undefined, session?: string): readonly ContentExtension[];
  /** The prompts that the caller may see, in listed form: the same array for all callers from whom no prompt is hidden. */
  promptsFor(principal: Principal | undefined, session?: string): readonly PromptListing[];
  /** The resource templates that the caller may see, in listed form: the same array for all callers from whom none is hidden. */
  templatesFor(principal: Principal | undefined, session?: string): readonly ResourceTemplateListing[];
  /** Lists resources: those with a fixed URI, and those that templates list. */
  listResources(request: ContentCall): MaybeFuture<CallResultOf<readonly ResourceListing[]>>;
  /** Reads a resource. An unknown one is `resource_not_found`, with `data.uri`. The reader may ask questions. */
  readResource(
    uri: string,
    request: ContentCall,
    sink?: Sink,
  ): MaybeFuture<CallResultOf<readonly ResourceContents[]>>;
  /**
   * Gets a prompt. An unknown one is `prompt_not_found`, invalid arguments are `invalid_input`. The handler may ask
   * questions.
   */
  getPrompt(
    name: string,
    args: unknown,
    request: ContentCall,
    sink?: Sink,
  ): MaybeFuture<CallResultOf<PromptContent>>;
  /** Completes an argument; empty if it has no completer. Errors: `prompt_not_found` and `resource_not_found`. */
  complete(request: CompletionRequest): MaybeFuture<CallResultOf<Completion>>;
}

/** A JSON-RPC method for prompts in MCP-lite, with one of two members: a function that lists, or a function that runs a call. */
export interface ContentMethod {
  /** The list for a caller, as JSON text of one member. */
  readonly list?: ((principal: Principal | undefined) => string) | undefined;
  /** Path of the endpoint that returns the list, too. */
  readonly path?: string | undefined;
  /** Runs a call, whose tool is the name of the content. */
  readonly run?: ((call: Call) => MaybeFuture<CallResult>) | undefined;
}

/** Runs the handler of a resource or prompt through dispatch, as a tool call is run. */
export type RunDefinition = (definition: ToolDefinition, call: Call, sink?: Sink) => MaybeFuture<CallResult>;

/**
 * Creates a catalog. Prompts and resources carry this function, so that a server without them does not bundle the code.
 *
 * @throws {TypeError} If a definition is not finished, or two have the same name or URI.
 */
export type CreateContentCatalog = (
  resources: readonly { readonly "~resource": ResourceDefinition }[],
  prompts: readonly { readonly "~prompt": PromptDefinition }[],
  run: RunDefinition,
) => ContentCatalog;

/**
 * A finished prompt, for `createServer({ prompts })`.
 *
 * @typeParam Name Name of the prompt, a literal.
 */
export interface Prompt<Name extends string = string> {
  /** Name, unique on a server. */
  readonly name: Name;
  /**
   * The definition, for servers. Not part of the public interface.
   *
   * @internal
   */
  readonly "~prompt": PromptDefinition;
  /** @internal */
  readonly "~catalog": CreateContentCatalog;
}

/**
 * A finished resource or resource template, for `createServer({ resources })`.
 *
 * @typeParam Uri URI or template, a literal.
 */
export interface Resource<Uri extends string = string> {
  /** URI or template, unique on a server. */
  readonly uri: Uri;
  /**
   * The definition, for servers. Not part of the public interface.
   *
   * @internal
   */
  readonly "~resource": ResourceDefinition;
  /** @internal */
  readonly "~catalog": CreateContentCatalog;
}
