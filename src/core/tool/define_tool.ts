/** `defineTool`: fluent, immutable definition of a tool. */
import { isJsonObject, OBJECT_MEMBERS } from "../../internal/json.ts";
import type { SchemaAdapter } from "../schema/adapter.ts";
import { type CompiledSchema, compileSchema } from "../schema/compile.ts";
import type { SchemaCheck } from "../schema/json_schema.ts";
import type { Schema } from "../schema/standard_schema.ts";
import type { UnknownArgumentsMode } from "../schema/unknown_arguments.ts";
import { addScopes, type IsVisible } from "./access.ts";
import { type AnyExample, listExamples } from "./examples.ts";
import {
  type AnswerFormat,
  type AnyTool,
  EMPTY_DEFINITION,
  type PromiseOptions,
  type RenderedOutput,
  type ToolConfig,
  type ToolDefinition,
  type ToolDraft,
  type ToolView,
} from "./definition.ts";
import type { ErrorMap, Hosted, OpenState, ToolHost } from "../handler/context.ts";
import { assertMiddleware, type Middleware, type ToolAnnotations } from "../handler/middleware.ts";
import type { EmptyToolBuilder } from "./builder_types.ts";
import type { ExternalWork } from "./last_steps.ts";

/**
 * Type of `defineTool` and of the results of `toolDefiner`: starts the definition of a tool with a name.
 *
 * @typeParam State Type of `ctx.state` before middleware, with the types of {@link DefineTool.for}.
 */
export interface DefineTool<State = OpenState> {
  /**
   * Starts the definition of a tool.
   *
   * @typeParam Name Name of the tool, a literal.
   * @param name 1 to 64 of `A-Z a-z 0-9 _ . -`, unique on its server.
   * @returns A builder; `.describe()` and `.handle()` finish it.
   * @throws {TypeError} If the name is invalid.
   */
  <const Name extends string>(name: Name): EmptyToolBuilder<Name, State>;
  /**
   * The same function, with the types of what the program around the server gives: `ctx.env` and `ctx.principal`.
   *
   * @example The bindings of a Worker, and callers of `auth`
   * ```ts
   * import { createServer, defineTool, type Principal } from "jsr:@toolwire/toolwire";
   * import { testClient } from "jsr:@toolwire/toolwire/testing";
   *
   * const tool = defineTool.for<{ env: { REGION: string }; principal: Principal<{ role: "admin" | "guest" }> }>();
   * const whoami = tool("whoami").describe("Say who calls")
   *   .handle((_, ctx) => `${ctx.principal.id}, ${ctx.principal.claims?.role}`);
   *
   * const client = testClient(createServer({ tools: [whoami] }), { principal: { id: "ada", claims: { role: "admin" } } });
   * console.log(await client.whoami()); // → ada, admin
   * ```
   */
  for<Host extends ToolHost>(): DefineTool<OpenState & Hosted<Host>>;
}

/** Adds {@link DefineTool.for}, which changes types alone. */
export function withFor(define: <const Name extends string>(name: Name) => EmptyToolBuilder<Name>): DefineTool {
  const typed: DefineTool = Object.assign(define, { for: () => typed as unknown as DefineTool<never> });
  return typed;
}

/**
 * Starts the definition of a tool whose schemas implement Standard JSON Schema: zod 4, ArkType, Effect, `jsonSchema(…)`
 * and others. For other schemas, see {@link toolDefiner}.
 *
 * @typeParam Name Name of the tool, a literal.
 * @param name 1 to 64 of `A-Z a-z 0-9 _ . -`, unique on its server.
 * @returns A builder; `.describe()` and `.handle()` finish it.
 * @throws {TypeError} If the name is invalid.
 */
export const defineCoreTool: DefineTool = /* @__PURE__ */ withFor(
  <const Name extends string>(name: Name, ...others: unknown[]): EmptyToolBuilder<Name> => {
    if (others.length > 0) throw new TypeError(`Cannot define tool "${name}" by more than its name: ${IN_STEPS}`);
    return startTool(name, { adapters: [] });
  },
);

/**
 * Creates a `defineTool` with schema adapters, and with `.config()`.
 *
 * For valibot: `toolDefiner(valibotJsonSchema, compiledChecks)`, both of `jsr:@toolwire/toolwire/schema`. For tools that take
 * config: `toolDefiner(toolConfig)`.
 *
 * @param parts Adapters, in order of precedence, and `toolConfig`.
 * @returns A function that starts the definition of a tool.
 */
export function toolDefiner(...parts: readonly (SchemaAdapter | ToolConfig)[]): DefineTool {
  const adapters = parts.filter((part) => "vendor" in part);
  const config = parts.find((part) => "~configure" in part);
  return withFor((name) => startTool(name, { adapters, config }));
}

const IN_STEPS = 'write defineTool(name).describe("…").input(…).handle(…)';

/** Optional code of a tool builder, given as values so that a bundle contains only what is used: schema adapters, `.config()`, schema checks. */
export interface BuilderParts {
  readonly adapters: readonly SchemaAdapter[];
  /** Brings `.config()`. */
  readonly config?: ToolConfig | undefined;
  /** Validates converted schemas. */
  readonly checkSchema?: SchemaCheck;
}

/**
 * Returns the builder of a tool, for the functions `defineTool` of all entries.
 *
 * @param Kind Class of the builder: {@link Builder}, or one that validates what the methods get.
 * @throws {TypeError} If the name is invalid.
 */
export function startTool<const Name extends string>(
  name: Name,
  parts: BuilderParts,
  Kind: typeof Builder = Builder,
): EmptyToolBuilder<Name> {
  if (isJsonObject(name)) throw new TypeError(`Cannot define a tool by ${JSON.stringify(name)}: ${IN_STEPS}`);
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    throw new TypeError(
      `Cannot define tool ${JSON.stringify(name)}: a name is 1 to 64 of the characters A-Z a-z 0-9 _ . -`,
    );
  }
  if (OBJECT_MEMBERS.has(name)) {
    throw new TypeError(
      `Cannot define tool "${name}": JavaScript reads members of that name; choose another name`,
    );
  }
  // The one cast: types follow the steps, the value has all methods from the start.
  const draft = { ...EMPTY_DEFINITION, description: undefined, name, adapters: parts.adapters };
  return new Kind(draft, parts) as unknown as EmptyToolBuilder<Name>;
}

/** Member of `_meta` with words for searches. */
const SEARCH_HINT = "anthropic/searchHint";
const DEFAULT_TTL_MS = 3_600_000;

/** Functions of work in another system, of any types: the argument of {@link Builder.external}. */
export type AnyWork = ExternalWork<unknown, unknown, unknown, ErrorMap, unknown, OpenState>;

/** An unfinished tool, immutable: each method returns a new builder, `handle` and `external` the tool. Most arguments are not validated. */
export class Builder {
  readonly name: string;
  protected readonly draft: ToolDraft;
  readonly #parts: BuilderParts;

  constructor(draft: ToolDraft, parts: BuilderParts) {
    this.name = draft.name;
    this.draft = draft;
    this.#parts = parts;
  }

  describe(description: string): Builder {
    return this.#with({ description });
  }

  type(type: string): Builder {
    return this.#with({ type });
  }

  title(title: string): Builder {
    return this.#with({ title });
  }

  input(schema: Schema): Builder {
    const input = this.#compile("Input schema", schema, true);
    return this.#with({ input, inputSchema: input.jsonSchema });
  }

  unknownArguments(unknownArguments: UnknownArgumentsMode): Builder {
    return this.#with({ unknownArguments });
  }

  config(schema: Schema): Builder {
    const configure = this.#parts.config?.["~configure"];
    if (configure === undefined) {
      throw new TypeError(
        `Cannot define ${this.label}: .config() needs toolDefiner(toolConfig), from "toolwire/core"`,
      );
    }
    return this.#with({ config: this.#compile("Config schema", schema, true), configure });
  }

  output(schema: Schema): Builder {
    return this.#with({ output: this.#compile("Output schema", schema) });
  }

  partial(schema: Schema): Builder {
    return this.#with({ partial: this.#compile("Partial schema", schema) });
  }

  errors(schemas: Readonly<Record<string, Schema | null>>): Builder {
    const errors = new Map<string, CompiledSchema | undefined>();
    for (const [code, schema] of Object.entries(schemas)) {
      errors.set(code, schema === null ? undefined : this.#compile(`Schema of error "${code}"`, schema));
    }
    return this.#with({ errors });
  }

  answer(format: AnswerFormat): Builder {
    return this.#with({ format });
  }

  examples(examples: readonly AnyExample[]): Builder {
    return this.#with({ examples });
  }

  annotate(annotations: ToolAnnotations): Builder {
    return this.#with({ annotations: { ...this.draft.annotations, ...annotations } });
  }

  keywords(words: readonly string[]): Builder {
    const before = this.draft.meta?.[SEARCH_HINT];
    return this.meta({ [SEARCH_HINT]: [...typeof before === "string" ? [before] : [], ...words].join(" ") });
  }

  meta(members: Readonly<Record<string, unknown>>): Builder {
    return this.#with({ meta: { ...this.draft.meta, ...members } });
  }

  view(view: ToolView): Builder {
    return this.#with(view["~apply"](this.draft));
  }

  timeout(timeoutMs: number): Builder {
    // The comparison alone would accept "30".
    if (typeof timeoutMs !== "number" || !(timeoutMs > 0)) {
      throw new RangeError(
        `Cannot set the timeout of ${this.label}: it must be a number above 0, not ${timeoutMs}`,
      );
    }
    return this.#with({ timeoutMs });
  }

  promise(options: PromiseOptions = {}): Builder {
    const { budgetMs = 2_000, ttlMs = DEFAULT_TTL_MS, retries = 2, jobTimeoutMs = ttlMs } = options;
    const { required = false, keepFailed = false, durable = "budget", tags = [], undoMs = 60_000 } = options;
    return this.#with({
      promise: { budgetMs, ttlMs, retries, jobTimeoutMs, required, keepFailed, durable, undoMs, tags },
    });
  }

  revision(revision: string): Builder {
    return this.#with({ revision });
  }

  before(tool: AnyTool): Builder {
    const earlier = tool["~definition"];
    return this.#with({ earlierRevisions: [...this.draft.earlierRevisions, earlier, ...earlier.earlierRevisions] });
  }

  use(...middleware: readonly Middleware[]): Builder {
    assertMiddleware(middleware, this.label);
    return this.#with({ middleware: [...this.draft.middleware, ...middleware] });
  }

  scopes(...scopes: readonly string[]): Builder {
    return this.#with({ scopes: addScopes(this.draft.scopes, scopes, this.label) });
  }

  visibleTo(isVisible: IsVisible): Builder {
    return this.#with({ isVisible });
  }

  render(render: (output: unknown) => RenderedOutput): Builder {
    return this.#with({ render });
  }

  external(work: AnyWork): AnyTool {
    const { start, check, cancel, ttlMs = DEFAULT_TTL_MS } = work;
    const external = { ttlMs, check: check.bind(work), cancel: cancel?.bind(work) };
    return this.#with({ external }).#finish(start.bind(work));
  }

  handle(handler: ToolDefinition["handler"]): AnyTool {
    return this.#finish(handler);
  }

  #finish(handler: ToolDefinition["handler"]): AnyTool {
    const { description = "", examples, format, ...draft } = this.draft;
    const listed = examples && listExamples(examples, draft);
    const definition = { ...draft, ...listed, description, handler };
    return { name: this.name, "~definition": format?.["~apply"](definition) ?? definition };
  }

  #compile(what: string, schema: Schema, isObject: boolean = false): CompiledSchema {
    return compileSchema(schema, {
      where: `${what} of ${this.label}`,
      isObject,
      adapters: this.draft.adapters,
      check: this.#parts.checkSchema,
    });
  }

  protected get label(): string {
    return `tool "${this.name}"`;
  }

  #with(change: Partial<ToolDraft>): Builder {
    const Kind = this.constructor as typeof Builder;
    return new Kind({ ...this.draft, ...change }, this.#parts);
  }
}
