import { type Icon, isContentBlock, type PromptMessage, user } from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import type { ContentCtx } from "../handler/context.ts";
import type { PartDefinition } from "../tool/part.ts";
import type { Completers } from "./completion.ts";
import { isJsonObject, omitUndefined } from "../../internal/json.ts";

/** What a prompt's handler gives: messages, or the text of one that the user says. */
export type PromptAnswer = string | PromptMessage | readonly PromptMessage[];

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
 * A prompt as it is given.
 *
 * @throws {TypeError} If its handler gave something else than messages.
 */
export function toPromptContent({ name, description }: PromptDefinition, answer: PromptAnswer): PromptContent {
  const messages = typeof answer === "string" ? [user(answer)] : [answer].flat();
  if (!messages.every(isMessage)) {
    throw new TypeError(
      `The handler of prompt "${name}" has to return text, or messages that user(…) and assistant(…) make`,
    );
  }
  return { description, messages };
}

function isMessage(value: unknown): value is PromptMessage {
  if (!isJsonObject(value)) return false;
  return (value["role"] === "user" || value["role"] === "assistant") && isContentBlock(value["content"]);
}

/** A prompt's argument as it is listed. */
export interface PromptArgumentListing {
  /** Its name. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What it is for. */
  readonly description?: string;
  /** Whether it has to be given. */
  readonly required?: boolean;
}

/** A prompt as it is listed to callers. Members that are absent are left out. */
export interface PromptListing {
  /** Unique on a server. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What the prompt is for. */
  readonly description: string;
  /** Images that stand for it. */
  readonly icons?: readonly Icon[];
  /** What it takes, in order. */
  readonly arguments?: readonly PromptArgumentListing[];
  /** The prompt's own metadata. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Describes a prompt to callers. */
export function listPrompt(definition: PromptDefinition): PromptListing {
  const { name, title, description, icons, arguments: args, meta } = definition;
  return {
    name,
    ...omitUndefined({ title }),
    description,
    ...omitUndefined({ icons, arguments: args.length > 0 ? args : undefined, _meta: meta }),
  };
}

/** A prompt as it is given. */
export interface PromptContent {
  /** What the prompt is for. */
  readonly description: string;
  /** Its messages. */
  readonly messages: readonly PromptMessage[];
}
