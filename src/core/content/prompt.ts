import { type Icon, isContentBlock, type PromptMessage, user } from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { ContentCtx } from "../handler/context.ts";
import type { PartDefinition } from "../tool/part.ts";
import type { Completers } from "./completion.ts";
import { isJsonObject, omitUndefined } from "../../internal/json.ts";

/** Messages with their own description, as a prompt's handler may return them. */
export interface DescribedMessages {
  /** Description of these messages. Default: that of the prompt. */
  readonly description?: string | undefined;
  /** The messages of the prompt: one, or several in order. */
  readonly messages: PromptMessage | readonly PromptMessage[];
}

/** Return value of a prompt's handler: messages, also with their own description, or the text of one user message. */
export type PromptAnswer = string | PromptMessage | readonly PromptMessage[] | DescribedMessages;

/** Definition of a prompt, created by `definePrompt`, or from the listing of a remote server. */
export interface PromptDefinition {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly icons: readonly Icon[] | undefined;
  readonly arguments: readonly PromptArgumentListing[];
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly input: CompiledSchema;
  readonly completers: Completers;
  /** Scopes that callers need, all of them. */
  readonly scopes: readonly string[];
  /** Part of the server that the prompt belongs to. `undefined` for the server itself. */
  readonly part: PartDefinition | undefined;
  readonly handler: (args: unknown, ctx: ContentCtx) => MaybePromise<PromptAnswer>;
}

/**
 * Converts the return value of a prompt's handler to the content that its caller receives. Text becomes one user message.
 *
 * @throws {TypeError} If it is neither text nor messages of the roles `user` and `assistant`, with or without a description.
 */
export function toPromptContent(definition: PromptDefinition, answer: PromptAnswer): PromptContent {
  const { description = definition.description, messages: given } = isDescribed(answer) ? answer : { messages: answer };
  const messages = typeof given === "string" ? [user(given)] : [given].flat();
  if (typeof description !== "string" || !messages.every(isMessage)) {
    throw new TypeError(
      `The handler of prompt "${definition.name}" has to return text, messages that user(…) and assistant(…) make, ` +
        "or { description, messages }",
    );
  }
  return { description, messages };
}

function isDescribed(answer: PromptAnswer): answer is DescribedMessages {
  return isJsonObject(answer) && "messages" in answer && typeof answer["messages"] === "object";
}

function isMessage(value: unknown): value is PromptMessage {
  if (!isJsonObject(value)) return false;
  return (value["role"] === "user" || value["role"] === "assistant") && isContentBlock(value["content"]);
}

/** An argument in the entry of a prompt in `prompts/list`. Its value is text. */
export interface PromptArgumentListing {
  /** Name of the argument, by which callers pass its value. */
  readonly name: string;
  /** Title for people. */
  readonly title?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Whether it is required. */
  readonly required?: boolean | undefined;
}

/** Entry of a prompt in `prompts/list`. Undefined members are omitted. */
export interface PromptListing {
  /** Name, unique on a server. */
  readonly name: string;
  /** Title for people. */
  readonly title?: string | undefined;
  /** Description. */
  readonly description: string;
  /** Icons. */
  readonly icons?: readonly Icon[] | undefined;
  /** Arguments, in order. */
  readonly arguments?: readonly PromptArgumentListing[] | undefined;
  /** Metadata of the prompt. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Creates the entry of a prompt for `prompts/list`. */
export function listPrompt(definition: PromptDefinition): PromptListing {
  const { name, title, description, icons, arguments: args, meta } = definition;
  return {
    name,
    ...omitUndefined({ title }),
    description,
    ...omitUndefined({ icons, arguments: args.length > 0 ? args : undefined, _meta: meta }),
  };
}

/** What a prompt returns to its caller: a description and messages for a model. */
export interface PromptContent {
  /** Description of the prompt. */
  readonly description: string;
  /** Messages. */
  readonly messages: readonly PromptMessage[];
}
