/**
 * What a server offers beside its tools: resources and prompts, as its wires see them.
 *
 * Everything that is run goes through dispatch: deadlines, middleware, masking, asks and continuations are the same as those
 * of tools. Ends are values; nothing is thrown, no promise rejects.
 *
 * @module
 */
import type { Call, CallMeta, Peer } from "../call/call.ts";
import type { ResourceContents } from "../call/content.ts";
import type { AnswerOutcome, CallResult, ErrorResult, Outcome, Sink } from "../call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { PromptContent, PromptDefinition, PromptListing } from "./prompt.ts";
import type { ResourceDefinition, ResourceListing, ResourceTemplateListing } from "./resource.ts";
import type { Completion } from "./completion.ts";

/** How a request ends: with a value of this type, or otherwise. */
export type CallResultOf<Value> = AnswerOutcome<Value> | Exclude<Outcome, AnswerOutcome> | ErrorResult;

/** Who asks, and what is said beside the request. */
export interface ContentRequest {
  /** Who asks. */
  readonly peer: Peer;
  /** Deadline, continuation with responses, and context count; there are no promises and no idempotency keys here. */
  readonly meta?: CallMeta | undefined;
}

/** What is to be completed. */
export interface CompletionRequest extends ContentRequest {
  /** A prompt by its name, or a resource by its URI or URI template. */
  readonly of: { readonly prompt: string } | { readonly resource: string };
  /** Name of the prompt's argument, or of the template's variable. */
  readonly argument: string;
  /** What has been typed of it. */
  readonly value: string;
  /** The other arguments, as far as they are known. */
  readonly given?: Readonly<Record<string, string>> | undefined;
}

/** The resources and prompts of a server. */
export interface ContentCatalog {
  /** The prompts, as they are listed. */
  readonly prompts: readonly PromptListing[];
  /** The templates of resources, as they are listed. */
  readonly templates: readonly ResourceTemplateListing[];
  /** Whether there are resources or templates of them. */
  readonly hasResources: boolean;
  /** Whether something can be completed. */
  readonly canComplete: boolean;
  /** Lists the resources: those with a URI of their own, and what templates list. */
  listResources(request: ContentRequest): MaybePromise<CallResultOf<readonly ResourceListing[]>>;
  /** Reads a resource. An unknown one is `resource_not_found`, with `data.uri`. It may ask its caller. */
  readResource(
    uri: string,
    request: ContentRequest,
    sink?: Sink,
  ): MaybePromise<CallResultOf<readonly ResourceContents[]>>;
  /** Gives a prompt. An unknown one is `prompt_not_found`, unfit arguments are `invalid_input`. It may ask its caller. */
  getPrompt(
    name: string,
    args: unknown,
    request: ContentRequest,
    sink?: Sink,
  ): MaybePromise<CallResultOf<PromptContent>>;
  /** Completes an argument; what has nothing to complete it with has no values. */
  complete(request: CompletionRequest): MaybePromise<CallResultOf<Completion>>;
}

/** Runs what is no tool the way tools are run. */
export type RunDefinition = (definition: ToolDefinition, call: Call, sink?: Sink) => MaybePromise<CallResult>;

/**
 * Makes a catalog. Each prompt and resource carries this, so that a server without any does not carry the code.
 *
 * @throws {TypeError} If a definition is not finished, or two have the same name or URI.
 */
export type CreateContentCatalog = (
  resources: readonly { readonly "~resource": ResourceDefinition }[],
  prompts: readonly { readonly "~prompt": PromptDefinition }[],
  run: RunDefinition,
) => ContentCatalog;

/**
 * A finished prompt: what `createServer({ prompts })` takes.
 *
 * @typeParam Name The prompt's name, a literal.
 */
export interface Prompt<Name extends string = string> {
  /** Unique on a server. */
  readonly name: Name;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~prompt": PromptDefinition;
  /** @internal */
  readonly "~catalog": CreateContentCatalog;
}

/**
 * A finished resource, or template of resources: what `createServer({ resources })` takes.
 *
 * @typeParam Uri The URI or template, a literal.
 */
export interface Resource<Uri extends string = string> {
  /** Unique on a server. */
  readonly uri: Uri;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~resource": ResourceDefinition;
  /** @internal */
  readonly "~catalog": CreateContentCatalog;
}
