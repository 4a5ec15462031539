/** `definePrompt`: fluent, immutable definition of a prompt. */
import { checkOptions, OBJECT, required } from "../../internal/options.ts";
import type { Icon } from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { PlainArguments, PlainSchema } from "../schema/plain_schema.ts";
import type { Schema } from "../schema/standard_schema.ts";
import { addScopes } from "../tool/access.ts";
import type { DescribeFirst } from "../tool/builder_types.ts";
import { checkDescription } from "./definition_rules.ts";
import { assertCompleters, type Completers } from "./completion.ts";
import { createContentCatalog } from "./create_content_catalog.ts";
import type { PromptAnswer, PromptDefinition } from "./prompt.ts";
import { compilePromptInput, NO_ARGUMENTS } from "./prompt_arguments.ts";
import type { ContentCtx } from "../handler/context.ts";
import type { Prompt } from "./content_catalog.ts";

/** Step `.handle(handler)` of a prompt's builder: sets the handler and returns the finished prompt. */
export type PromptHandle<Name extends string, Args> = (
  handler: (args: Args, ctx: ContentCtx) => MaybePromise<PromptAnswer>,
) => Prompt<Name>;

/**
 * An unfinished prompt. Each step returns a new builder, so that builders can be shared and extended separately.
 *
 * @typeParam Name Name of the prompt.
 * @typeParam Described Whether `.describe()` was called.
 * @typeParam Input Type that callers send.
 * @typeParam Args Type that the handler receives.
 */
export interface PromptBuilder<Name extends string, Described extends boolean, Input, Args> {
  /** Sets the description for people and models. Required. */
  describe(description: string): PromptBuilder<Name, true, Input, Args>;
  /** Sets the title for people. */
  title(title: string): PromptBuilder<Name, Described, Input, Args>;
  /** Sets the icons. */
  icons(icons: readonly Icon[]): PromptBuilder<Name, Described, Input, Args>;
  /** Adds members to the prompt's `_meta` in listings. */
  meta(members: Readonly<Record<string, unknown>>): PromptBuilder<Name, Described, Input, Args>;
  /**
   * Declares the arguments. They are strings on every wire; the handler receives the schema's output.
   *
   * @throws {TypeError} If the schema has no JSON Schema, its root is not an object, or a member does not accept
   * strings.
   */
  input<In, Out>(schema: Schema<In, Out>): PromptBuilder<Name, Described, In, Out>;
  /** Declares the arguments by plain JSON Schema, or a schema of TypeBox. */
  input<const Plain extends PlainSchema>(
    schema: Plain,
  ): PromptBuilder<Name, Described, PlainArguments<Plain>, PlainArguments<Plain>>;
  /**
   * Restricts the prompt to callers with all of these scopes. It is still listed for others.
   *
   * @throws {TypeError} If there are no scopes, or one is empty or contains spaces.
   */
  scopes(...scopes: readonly string[]): PromptBuilder<Name, Described, Input, Args>;
  /**
   * Adds completers of arguments: `{ language: (value) => languages.filter((one) => one.startsWith(value)) }`. At most
   * 100 values are sent. Call `.input()` first: it declares the arguments, and removes earlier completers.
   *
   * @throws {TypeError} If there is no such argument.
   */
  complete(completers: Completers<keyof Input & string>): PromptBuilder<Name, Described, Input, Args>;
  /** Ends the definition. The handler returns messages, or the text of one user message. */
  readonly handle: Described extends true ? PromptHandle<Name, Args> : DescribeFirst<
    (args: Args, ctx: ContentCtx) => MaybePromise<PromptAnswer>,
    Prompt<Name>
  >;
}

/** Return type of `definePrompt`: a builder without arguments. */
export type EmptyPromptBuilder<Name extends string> = PromptBuilder<
  Name,
  false,
  Readonly<Record<never, never>>,
  Readonly<Record<never, never>>
>;

/**
 * Starts the definition of a prompt: messages for a model, made by a handler from arguments.
 *
 * @example A prompt with an argument
 * ```ts
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { definePrompt, user } from "jsr:@toolwire/toolwire/mcp";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const review = definePrompt("review")
 *   .describe("Review a piece of code")
 *   .input(v.object({ code: v.pipe(v.string(), v.description("What to review")), language: v.optional(v.string(), "any") }))
 *   .complete({ language: (value) => ["go", "rust", "typescript"].filter((one) => one.startsWith(value)) })
 *   .handle(({ code, language }) => [user(`Review this code (language: ${language}):`), user(code)]);
 *
 * createServer({ tools: [], prompts: [review] });
 * ```
 * @typeParam Name Name of the prompt, a literal.
 * @param name 1 to 64 of `A-Z a-z 0-9 _ . -`, unique on its server.
 * @returns A builder; `.describe()` and `.handle()` finish it.
 * @throws {TypeError} If the name is invalid.
 */
export function definePrompt<const Name extends string>(name: Name): EmptyPromptBuilder<Name> {
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    throw new TypeError(
      `Cannot define prompt ${JSON.stringify(name)}: a name is 1 to 64 of the characters A-Z a-z 0-9 _ . -`,
    );
  }
  // The one cast: types follow the steps, the value has all methods from the start.
  return new Builder({ ...BLANK, name }) as unknown as EmptyPromptBuilder<Name>;
}

/** A prompt whose definition is not finished. */
type Draft = Omit<PromptDefinition, "description" | "handler"> & { readonly description: string | undefined };

const BLANK: Omit<Draft, "name"> = {
  title: undefined,
  description: undefined,
  icons: undefined,
  meta: undefined,
  completers: {},
  scopes: [],
  part: undefined,
  ...NO_ARGUMENTS,
};

/** Sets one member of a prompt with each method, in a copy. */
class Builder {
  readonly #draft: Draft;
  /** Lets `createServer` report an unfinished prompt. */
  readonly "~catalog": typeof createContentCatalog = createContentCatalog;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  describe(description: string): Builder {
    if (typeof description !== "string" || description.trim() === "") {
      throw new TypeError(
        `Cannot describe ${this.#label}: people choose prompts by their description, so it cannot be empty`,
      );
    }
    return this.#with({ description });
  }

  title(title: string): Builder {
    checkDescription(this.#label, { title });
    return this.#with({ title });
  }

  icons(icons: readonly Icon[]): Builder {
    checkDescription(this.#label, { icons });
    return this.#with({ icons });
  }

  meta(members: Readonly<Record<string, unknown>>): Builder {
    checkOptions(`define ${this.#label}`, { meta: members }, { meta: required(OBJECT) });
    return this.#with({ meta: { ...this.#draft.meta, ...members } });
  }

  input(schema: Schema): Builder {
    return this.#with({ ...compilePromptInput(schema, this.#label), completers: {} });
  }

  scopes(...scopes: readonly string[]): Builder {
    return this.#with({ scopes: addScopes(this.#draft.scopes, scopes, this.#label) });
  }

  complete(completers: Completers): Builder {
    assertCompleters(completers, this.#draft.arguments.map(({ name }) => name), this.#label);
    return this.#with({ completers: { ...this.#draft.completers, ...completers } });
  }

  handle(handler: PromptDefinition["handler"]): Prompt {
    if (typeof handler !== "function") throw new TypeError(`Cannot finish ${this.#label}: .handle() takes a function`);
    const { description, name } = this.#draft;
    if (description === undefined) {
      throw new TypeError(
        `Cannot finish ${this.#label}: call .describe("…") before .handle(…), people choose prompts by it`,
      );
    }
    return { name, "~prompt": { ...this.#draft, description, handler }, "~catalog": createContentCatalog };
  }

  get #label(): string {
    return `prompt "${this.#draft.name}"`;
  }

  #with(change: Partial<Draft>): Builder {
    return new Builder({ ...this.#draft, ...change });
  }
}
