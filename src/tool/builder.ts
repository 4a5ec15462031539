/**
 * `defineTool`: the fluent, immutable definition of a tool.
 *
 * @module
 */
import { OBJECT_MEMBERS } from "../internal/object_members.ts";
import { type CompiledSchema, compileSchema } from "../schema/compile.ts";
import type { Schema } from "../schema/schema.ts";
import type { Principal } from "../call/call.ts";
import { addScopes } from "./access.ts";
import { BLANK_PLAN } from "./blank_plan.ts";
import type {
  DeclaredExternal,
  DeclaredHandle,
  DescribeFirst,
  ExternalWork,
  Inferred,
  InferringExternal,
  InferringHandle,
} from "./endings.ts";
import { assertMiddleware } from "./middleware.ts";
import type { ErrorMap, Middleware } from "./context.ts";
import type { AnyTool, PromiseOptions, Rendered, ToolAnnotations, ToolPlan } from "./tool.ts";

/** Data of declared failures, from their schemas; `null` declares a code without data. */
export type ErrorData<Schemas> = {
  readonly [Code in keyof Schemas]: Schemas[Code] extends Schema<infer Data, unknown> ? Data : undefined;
};

/**
 * A tool in the making. Each step returns a new builder, so that builders can be shared and forked.
 *
 * @typeParam Name The tool's name.
 * @typeParam Described Whether `.describe()` was called.
 * @typeParam Input What callers send.
 * @typeParam Args What the handler gets.
 * @typeParam Output What callers get; {@link Inferred} until it is declared.
 * @typeParam Partial What is streamed before that.
 * @typeParam Errors Data of declared failures, by code.
 * @typeParam Config What the handler gets from the environment.
 */
export interface ToolBuilder<
  Name extends string,
  Described extends boolean,
  Input,
  Args,
  Output,
  Partial,
  Errors extends ErrorMap,
  Config,
> {
  /** Says what the tool does, for people and models. Required. */
  describe(description: string): ToolBuilder<Name, true, Input, Args, Output, Partial, Errors, Config>;
  /** Sets the category, the specification's `@type`: `"query"`, `"action"`, … */
  type(category: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /** Sets a title for people. */
  title(title: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /**
   * Declares the arguments. The handler gets what the schema makes of them, with defaults and transforms.
   *
   * @throws {TypeError} If the schema cannot become JSON Schema, or its root is not an object.
   */
  input<In, Out>(schema: Schema<In, Out>): ToolBuilder<Name, Described, In, Out, Output, Partial, Errors, Config>;
  /**
   * Declares the output in wire form: it is validated, never transformed.
   *
   * @throws {TypeError} If the schema cannot become JSON Schema.
   */
  output<Value>(
    schema: Schema<Value, unknown>,
  ): ToolBuilder<Name, Described, Input, Args, Value, Partial, Errors, Config>;
  /**
   * Declares the pieces that an async generator yields, in wire form: validated, never transformed.
   *
   * @throws {TypeError} If the schema cannot become JSON Schema.
   */
  partial<Piece>(
    schema: Schema<Piece, unknown>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Piece, Errors, Config>;
  /**
   * Declares failures by code, with the schema of what goes with each (`null` for nothing).
   *
   * @throws {TypeError} If a schema cannot become JSON Schema.
   */
  errors<const Schemas extends Readonly<Record<string, Schema | null>>>(
    schemas: Schemas,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, ErrorData<Schemas>, Config>;
  /**
   * Declares what the environment has to supply beside the arguments: keys to other services, units, defaults of a user. The
   * handler gets it as `ctx.config`; models never see it. Webtools callers send it; other wires give what the server has
   * (`createServer({ config })`).
   *
   * @throws {TypeError} If the schema cannot become JSON Schema, or its root is not an object.
   */
  config<Out>(
    schema: Schema<unknown, Out>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Out>;
  /** Adds hints, with MCP's names. */
  annotate(annotations: ToolAnnotations): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /** Adds to the tool's own `_meta` in listings. */
  meta(
    members: Readonly<Record<string, unknown>>,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /**
   * Sets how long a call may take in all, in milliseconds. Default: the server's `timeoutMs`.
   *
   * @throws {RangeError} If it is not a positive number.
   */
  timeout(timeoutMs: number): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /**
   * Lets the tool promise its answer when it is not ready in time: an engine goes on with the work, and the caller redeems the
   * promise, here or at another replica. The work may be run more than once: see `ctx.callId`, `ctx.attempt`, `ctx.step`.
   *
   * @throws {RangeError} If an option is not a positive number of milliseconds, or `retries` not a whole number.
   */
  promise(options?: PromiseOptions): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /** Names what the tool does now: work that was deferred, or stopped to ask, under another name is not gone on with. */
  revision(revision: string): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /** Adds middleware around this tool; the first added is the outermost. */
  use(...middleware: readonly Middleware[]): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /**
   * Lets only callers use the tool that have all of these scopes, on every wire, and to redeem its promises as well. Others are
   * refused before anything is run: `unauthenticated` who is not known, `permission_denied` who is. It stays listed.
   *
   * @throws {TypeError} If there is none, or one is empty or has spaces.
   */
  scopes(...scopes: readonly string[]): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /**
   * Keeps the tool from callers that may not know of it: to them it is neither listed nor there. Asked for each of their lists
   * and calls; anything but `true` hides it. The principal is `undefined` if nobody is known.
   */
  visibleTo(
    isVisible: (principal: Principal | undefined) => boolean,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /** Sets how the output reads to people and models, on wires that send text beside it. */
  render(
    render: (output: [Output] extends [Inferred] ? unknown : Output) => Rendered,
  ): ToolBuilder<Name, Described, Input, Args, Output, Partial, Errors, Config>;
  /** Ends the definition. The handler may be synchronous, asynchronous, or an async generator; it may return nothing. */
  readonly handle: Described extends true
    ? [Output] extends [Inferred] ? InferringHandle<Name, Input, Args, Partial, Errors, Config>
    : DeclaredHandle<Name, Input, Args, Output, Partial, Errors, Config>
    : DescribeFirst;
  /** Ends the definition of a tool whose work goes on elsewhere. Its calls give a promise at once. */
  readonly external: Described extends true
    ? [Output] extends [Inferred] ? InferringExternal<Name, Input, Args, Partial, Errors, Config>
    : DeclaredExternal<Name, Input, Args, Output, Partial, Errors, Config>
    : DescribeFirst;
}

/** What `defineTool` starts from: arguments of any names, an inferred output, no declared failures. */
export type FreshTool<Name extends string> = ToolBuilder<
  Name,
  false,
  Record<string, unknown>,
  Record<string, unknown>,
  Inferred,
  unknown,
  Record<never, never>,
  undefined
>;

/**
 * Starts the definition of a tool.
 *
 * @example A tool, defined and called
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const add = defineTool("add")
 *   .describe("Add two numbers")
 *   .input(v.object({ a: v.number(), b: v.number() }))
 *   .handle(({ a, b }) => a + b);
 *
 * const client = testClient(createServer({ tools: [add] }));
 * strictEqual(await client.add({ a: 1, b: 2 }), 3);
 * ```
 * @typeParam Name The tool's name, a literal.
 * @param name 1 to 64 of `A-Z a-z 0-9 _ . -`, unique on its server.
 * @returns A builder; `.describe()` and `.handle()` finish it.
 * @throws {TypeError} If the name does not fit.
 */
export function defineTool<const Name extends string>(name: Name): FreshTool<Name> {
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    throw new TypeError(
      `Cannot define tool ${JSON.stringify(name)}: a name is 1 to 64 of the characters A-Z a-z 0-9 _ . -`,
    );
  }
  if (OBJECT_MEMBERS.has(name)) {
    throw new TypeError(
      `Cannot define tool "${name}": JavaScript calls a client's method of that name by itself; choose another name`,
    );
  }
  // The one cast: the builder's type follows the steps, its value does not need to.
  return new Builder({ ...BLANK_PLAN, description: undefined, name }) as unknown as FreshTool<Name>;
}

type Draft = Omit<ToolPlan, "description" | "handler"> & { readonly description: string | undefined };

const DEFAULT_TTL_MS = 3_600_000;

/** A hundred years: later than that is no date. */
const MAX_TTL_MS = 3_155_760_000_000;

class Builder {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  describe(description: string): Builder {
    if (typeof description !== "string" || description.trim() === "") {
      throw new TypeError(
        `Cannot describe ${this.#label}: callers choose tools by their description, so it cannot be empty`,
      );
    }
    return this.#with({ description });
  }

  type(type: string): Builder {
    return this.#with({ type });
  }

  title(title: string): Builder {
    return this.#with({ title });
  }

  input(schema: Schema): Builder {
    const input = compileSchema(schema, { where: `Input schema of ${this.#label}`, isObject: true });
    return this.#with({ input, inputSchema: input.jsonSchema });
  }

  config(schema: Schema): Builder {
    return this.#with({ config: compileSchema(schema, { where: `Config schema of ${this.#label}`, isObject: true }) });
  }

  output(schema: Schema): Builder {
    return this.#with({ output: compileSchema(schema, { where: `Output schema of ${this.#label}` }) });
  }

  partial(schema: Schema): Builder {
    return this.#with({ partial: compileSchema(schema, { where: `Partial schema of ${this.#label}` }) });
  }

  errors(schemas: Readonly<Record<string, Schema | null>>): Builder {
    const errors = new Map<string, CompiledSchema | undefined>();
    for (const [code, schema] of Object.entries(schemas)) {
      const where = `Schema of error "${code}" of ${this.#label}`;
      errors.set(code, schema === null ? undefined : compileSchema(schema, { where }));
    }
    return this.#with({ errors });
  }

  annotate(annotations: ToolAnnotations): Builder {
    return this.#with({ annotations: { ...this.#draft.annotations, ...annotations } });
  }

  meta(members: Readonly<Record<string, unknown>>): Builder {
    return this.#with({ meta: { ...this.#draft.meta, ...members } });
  }

  timeout(timeoutMs: number): Builder {
    this.#assertPositive("timeout", timeoutMs);
    return this.#with({ timeoutMs });
  }

  promise(options: PromiseOptions = {}): Builder {
    const { budgetMs = 2_000, ttlMs = DEFAULT_TTL_MS, retries = 2, jobTimeoutMs = ttlMs, required = false } = options;
    this.#assertPositive("budgetMs", budgetMs);
    for (const [name, ms] of Object.entries({ ttlMs, jobTimeoutMs })) this.#assertPositive(name, ms, MAX_TTL_MS);
    if (!(Number.isInteger(retries) && retries >= 0)) {
      throw new RangeError(`Cannot set retries of ${this.#label}: it must be a whole number, not ${retries}`);
    }
    return this.#with({ promise: { budgetMs, ttlMs, retries, jobTimeoutMs, required } });
  }

  revision(revision: string): Builder {
    return this.#with({ revision });
  }

  use(...middleware: readonly Middleware[]): Builder {
    assertMiddleware(middleware, this.#label);
    return this.#with({ middleware: [...this.#draft.middleware, ...middleware] });
  }

  scopes(...scopes: readonly string[]): Builder {
    return this.#with({ scopes: addScopes(this.#draft.scopes, scopes, this.#label) });
  }

  visibleTo(isVisible: (principal: Principal | undefined) => boolean): Builder {
    return this.#with({ isVisible });
  }

  render(render: (output: unknown) => Rendered): Builder {
    return this.#with({ render });
  }

  external(work: ExternalWork<unknown, unknown, unknown, ErrorMap, unknown>): AnyTool {
    const { start, check, cancel, ttlMs = DEFAULT_TTL_MS } = work;
    if (typeof start !== "function" || typeof check !== "function") {
      throw new TypeError(`Cannot finish ${this.#label}: .external() takes { start, check, cancel? }`);
    }
    if (this.#draft.promise !== undefined) {
      throw new TypeError(`Cannot finish ${this.#label}: .external() promises by itself; leave .promise() out`);
    }
    this.#assertPositive("ttlMs", ttlMs, MAX_TTL_MS);
    const external = { ttlMs, check: check.bind(work), cancel: cancel?.bind(work) };
    return this.#with({ external }).#finish(start.bind(work), ".external(…)");
  }

  handle(handler: ToolPlan["handler"]): AnyTool {
    if (typeof handler !== "function") throw new TypeError(`Cannot finish ${this.#label}: .handle() takes a function`);
    if (Object.prototype.toString.call(handler) === "[object GeneratorFunction]") {
      throw new TypeError(`Cannot finish ${this.#label}: to stream, write \`async function*\`, not \`function*\``);
    }
    return this.#finish(handler, ".handle(…)");
  }

  #finish(handler: ToolPlan["handler"], step: string): AnyTool {
    const { description } = this.#draft;
    if (description === undefined) {
      throw new TypeError(
        `Cannot finish ${this.#label}: call .describe("…") before ${step}, callers choose tools by it`,
      );
    }
    return { name: this.#draft.name, "~plan": { ...this.#draft, description, handler } };
  }

  #assertPositive(name: string, ms: number, most: number = Number.POSITIVE_INFINITY): void {
    if (ms > 0 && ms <= most) return;
    throw new RangeError(
      `Cannot set the ${name} of ${this.#label}: it must be a positive number of milliseconds${
        most === MAX_TTL_MS ? ", at most a hundred years" : ""
      }, not ${ms}`,
    );
  }

  get #label(): string {
    return `tool "${this.#draft.name}"`;
  }

  #with(change: Partial<Draft>): Builder {
    return new Builder({ ...this.#draft, ...change });
  }
}
