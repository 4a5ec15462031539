/**
 * `codeMode`: a server lists a search and a tool that runs programs, in which models call the server's other tools.
 *
 * A view over the server between its wires and its dispatcher, as `discover` is one. A program calls tools as its caller would: with
 * the caller's principal, through the dispatcher.
 */
import type { Call, Principal } from "../../core/call/call.ts";
import type { CallResult, Sink } from "../../core/call/outcome.ts";
import { isForModels } from "../../core/call/views.ts";
import type { Toolset } from "../../core/dispatch/dispatcher.ts";
import { isVisibleTo } from "../../core/tool/access.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { listTool, type ToolListing } from "../../core/tool/listing.ts";
import type { Future } from "../../internal/future.ts";
import { checkOptions, FUNCTION, type OptionRules, required, rule, TEXTS } from "../../internal/options.ts";
import type { Executor } from "../../sandbox/executor.ts";
import type { WireHost } from "../../wires/wire.ts";
import type { Discovery } from "../discovery/discover.ts";
import { ToolSearch } from "../discovery/tool_search.ts";
import { viewDispatch } from "../discovery/view_dispatch.ts";
import { assertNames } from "../discovery/view_names.ts";
import { addOwnTools, OWN_NAMES } from "./own_tools.ts";
import { LIMIT_RULES, type ProgramLimits, resolveLimits } from "./limits.ts";
import { CallableTools } from "./callable_tools.ts";

/** Options of {@link codeMode}. */
export interface CodeModeOptions {
  /** What runs the programs: `quickjs()`. */
  readonly executor: Executor;
  /** Limits of each program. */
  readonly limits?: ProgramLimits | undefined;
  /** Whether programs may call a tool. System tools are never called by programs. Default: all of them. */
  readonly callable?: ((tool: ToolListing) => boolean) | undefined;
  /**
   * Whether the caller has to approve a call of a tool in the middle of a program. Default: of tools with `destructiveHint: true`. The
   * approval is a question, for which the server needs an engine: without one such calls fail.
   */
  readonly asks?: ((tool: ToolListing) => boolean) | undefined;
  /** Names of tools that stay in the list, with system tools and tools that have views. Default: none. */
  readonly pinned?: readonly string[] | undefined;
}

const RULES: OptionRules<CodeModeOptions> = {
  executor: required(rule("what quickjs() gives", (value) => typeof (value as Executor | null)?.create === "function")),
  limits: rule("an object", (value) => typeof value === "object" && value !== null),
  callable: FUNCTION,
  asks: FUNCTION,
  pinned: TEXTS,
};

/**
 * Lists `search_tools`, `describe_tools` and `run_code` in place of all tools but the pinned ones, those with views and system tools. A
 * model writes a program that calls many tools, and reads what the program returns, in place of every answer between.
 *
 * Each call in a program is a call like any other: with the caller's rights, validated, limited and observed. Every tool stays callable
 * by its name.
 *
 * @example A program over two calls
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { codeMode, quickjs } from "jsr:@toolwire/toolwire/code";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const rate = defineTool("exchange_rate").describe("Look up the exchange rate of a currency").handle(() => 1.08);
 * const server = createServer({ tools: [rate], discovery: codeMode({ executor: quickjs() }) });
 * const source = "const rate = await tools.exchange_rate({}); return Math.round(rate * 250)";
 * const { value } = await testClient(server).$.call("run_code", { source }) as { value: number };
 * console.log(value); // → 270
 * await server.close();
 * ```
 * @throws {TypeError} If an option is unknown or invalid. `createServer` throws it if the server has no pinned tool of that name, a tool
 * is called `search_tools`, `describe_tools` or `run_code`, or two tools have the same name in programs.
 */
export function codeMode(options: CodeModeOptions): Discovery {
  checkOptions("use code mode", options, RULES);
  checkOptions("limit programs", options.limits ?? {}, LIMIT_RULES);
  return { "~view": (host) => new CodeModeHost(host, options).host };
}

/** The list of a server at one time. */
interface ListSnapshot {
  readonly listed: readonly ToolListing[];
  readonly listedDefinitions: readonly ToolDefinition[];
  readonly definitions: readonly ToolDefinition[];
}

class CodeModeHost {
  readonly host: WireHost;
  readonly #inner: WireHost;
  readonly #options: CodeModeOptions;
  readonly #own: Toolset;
  readonly #ownNames: ReadonlySet<string>;
  #source: readonly ToolListing[] | undefined;
  #view: ListSnapshot | undefined;
  #callable: CallableTools | undefined;

  constructor(inner: WireHost, options: CodeModeOptions) {
    this.#inner = inner;
    this.#options = options;
    assertNames("codeMode", inner.tools.map(({ name }) => name), OWN_NAMES, options.pinned ?? []);
    const callable = () => this.#currentCallable();
    callable().assertIdentifiers();
    const { executor, limits = {} } = options;
    const added = addOwnTools({
      callable,
      executor,
      limits: resolveLimits(limits),
      clock: inner.clock,
      isDurable: inner.dispatch.deferral !== undefined,
    });
    this.#own = inner.addToolset(added);
    this.#ownNames = new Set(this.#own.definitions.map(({ name }) => name));
    this.host = Object.create(
      inner,
      {
        tools: { get: () => this.#current().listed },
        definitions: { get: () => this.#current().definitions },
        toolsFor: {
          value: (principal: Principal | undefined, session?: string) => this.#toolsFor(principal, session),
        },
        allTools: { get: () => inner },
        dispatch: { value: viewDispatch(inner.dispatch, (call, sink) => this.#call(call, sink)) },
      } satisfies Partial<Record<keyof WireHost, PropertyDescriptor>>,
    ) as WireHost;
  }

  /** What programs may call now. Tools of parts can change. */
  #currentCallable(): CallableTools {
    if (this.#callable === undefined || this.#inner.tools !== this.#source) this.#refresh();
    return this.#callable!;
  }

  #current(): ListSnapshot {
    if (this.#inner.tools !== this.#source) this.#refresh();
    return this.#view ??= this.#createView();
  }

  #refresh(): void {
    const { tools, definitions } = this.#inner;
    const { callable = () => true, asks = isDestructive } = this.#options;
    const kept = definitions.filter((definition) =>
      !definition.isSystem && isForModels({ _meta: definition.meta }) && callable(listTool(definition)) === true
    );
    this.#callable = new CallableTools(kept, new ToolSearch(kept), (tool) => asks(listTool(tool)) !== false);
    this.#source = tools;
    this.#view = undefined;
  }

  #createView(): ListSnapshot {
    const { definitions } = this.#inner;
    const pinned = new Set(this.#options.pinned);
    // The server has redeem and cancel if a tool of the server needs them, and the programs may need them, too.
    const others = definitions.filter(({ name }) => !this.#ownNames.has(name));
    const kept = others.filter(({ name, isSystem, meta = {} }) => isSystem || pinned.has(name) || "ui" in meta);
    const listedDefinitions = [...kept, ...this.#own.definitions];
    return {
      listed: listedDefinitions.map(listTool),
      listedDefinitions,
      definitions: [...others, ...this.#own.definitions],
    };
  }

  #toolsFor(principal: Principal | undefined, session: string | undefined): readonly ToolListing[] {
    const { listed, listedDefinitions } = this.#current();
    // Wires compare lists by identity.
    if (listedDefinitions.every((definition) => isVisibleTo(definition, principal, session))) return listed;
    return listed.filter((_, index) => isVisibleTo(listedDefinitions[index] as ToolDefinition, principal, session));
  }

  #call(call: Call, sink: Sink | undefined): CallResult | Future<CallResult> {
    return this.#ownNames.has(call.tool) ? this.#own.call(call, sink) : this.#inner.dispatch.call(call, sink);
  }
}

function isDestructive({ annotations }: ToolListing): boolean {
  return annotations?.["destructiveHint"] === true;
}
