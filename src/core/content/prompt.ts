import type { Icon, PromptMessage } from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { Ctx } from "../handler/context.ts";
import type { PartDefinition } from "../tool/part.ts";
import type { CreateContentCatalog } from "./catalog.ts";
import type { Completers } from "./completion.ts";
import type { PromptArgumentListing } from "./listing.ts";

/** What a prompt's handler gives: messages, or the text of one that the user says. */
export type PromptAnswer = string | PromptMessage | readonly PromptMessage[];

/** What handlers of prompts and resources get beside their input: all that those of tools do, but declared failures. */
export type ContentCtx = Ctx<Record<never, never>>;

/** What lists and completions get: they cannot ask, and say nothing on the way. */
export type ListingCtx = Pick<
  ContentCtx,
  "signal" | "principal" | "metadata" | "requestId" | "client" | "state" | "log" | "callerState"
>;

/** Everything about a prompt that does not change from request to request; made once, by `definePrompt`. */
export interface PromptDefinition {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly icons: readonly Icon[] | undefined;
  readonly arguments: readonly PromptArgumentListing[];
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly input: CompiledSchema;
  readonly completers: Completers;
  /** What callers have to have, all of them. */
  readonly scopes: readonly string[];
  /** The part of the server that it is of; `undefined` for the server itself. */
  readonly part: PartDefinition | undefined;
  readonly handler: (args: unknown, ctx: ContentCtx) => MaybePromise<PromptAnswer>;
}

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
