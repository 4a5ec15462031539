/**
 * `discover`: a server lists few of its tools, and models search for the others.
 *
 * A view over the server between its wires and its dispatcher. It replaces the list of tools and answers two additional tools;
 * every other call passes unchanged, so that a server without discovery pays nothing.
 */
import type { Call, Principal } from "../../core/call/call.ts";
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  invalidInputResult,
  type Sink,
} from "../../core/call/outcome.ts";
import { isForModels } from "../../core/call/views.ts";
import type { RunDefinition } from "../../core/content/content_catalog.ts";
import { authorizationError, isVisibleTo } from "../../core/tool/access.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { listTool, type ToolListing } from "../../core/tool/listing.ts";
import { type Future, toFuture } from "../../internal/future.ts";
import { isJsonObject } from "../../internal/json.ts";
import { checkOptions, FUNCTION, oneOf, type OptionRules, POSITIVE, TEXTS } from "../../internal/options.ts";
import { describeUnknown } from "../../internal/text.ts";
import {
  adviseUnknown,
  CALL_DESTRUCTIVE_TOOL,
  CALL_TOOL,
  SEARCH_TOOLS,
} from "../../inspection/tool_search/search_form.ts";
import { DEFAULT_MIN_TOKENS, measureList } from "../../inspection/tool_search/list_size.ts";
import type { Ranking } from "../../inspection/tool_search/tool_catalog.ts";
import type { WireHost } from "../../wires/wire.ts";
import { ToolSearch } from "./tool_search.ts";
import { assertNames } from "./view_names.ts";
import { viewDispatch } from "./view_dispatch.ts";
import { callToolDefinition, destructiveCallDefinition, searchToolsDefinition } from "./search_tools.ts";

/** Options of {@link discover}. */
export interface DiscoverOptions {
  /** Names of tools that stay in the list, with system tools and tools that have views. Default: none. */
  readonly pinned?: readonly string[] | undefined;
  /**
   * When the list is replaced. `"auto"`: if the server has more than 10 tools whose definitions take more than `minTokens`, which the
   * log states once with the figures; `"always"`: at any number. Default: `"auto"`.
   */
  readonly when?: "auto" | "always" | undefined;
  /** Tokens of the tools' names, descriptions and schemas up to which `"auto"` leaves the list as it is, estimated. Default: 10,000. */
  readonly minTokens?: number | undefined;
  /**
   * Ranks the tools of a search in place of the words, for example by embeddings: receives the query and the tools that the caller may find,
   * returns names, best first. If it throws, the search is by words. Default: by words.
   */
  readonly rank?: Ranking | undefined;
}

/** Value of the option `discovery` of a server: made by {@link discover}. */
export interface Discovery {
  /**
   * Returns the view of a server that its wires have.
   *
   * @internal
   */
  readonly "~view": (host: WireHost, run: RunDefinition) => WireHost;
}

const RULES: OptionRules<DiscoverOptions> = {
  pinned: TEXTS,
  when: oneOf("auto", "always"),
  minTokens: POSITIVE,
  rank: FUNCTION,
};

/** Names of the tools of discovery. */
const OWN: ReadonlySet<string> = new Set([SEARCH_TOOLS, CALL_TOOL, CALL_DESTRUCTIVE_TOOL]);

/**
 * Lists `search_tools` and `call_tool` in place of all tools but the pinned ones, those with views and system tools. Default: only
 * above 10 tools and 10,000 tokens. Every tool stays callable by its name; `call_tool` calls what `search_tools` can find: no hidden
 * tools, and none whose scopes the caller lacks. Tools with `destructiveHint: true` are called with `call_destructive_tool`, which hosts
 * can approve apart; it is listed if there are such tools. Promises, streams, questions and errors of a tool are the same through `call_tool`.
 *
 * The tools of parts are in groups named by their prefix. A client of MCP gets the full list with
 * `_meta: { "toolwire/all-tools": true }` in the parameters of `tools/list`.
 *
 * @example A tool that is found and called
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { discover } from "jsr:@toolwire/toolwire/discovery";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const rate = defineTool("exchange_rate").describe("Look up the exchange rate of a currency").handle(() => 1.08);
 * const server = createServer({ tools: [ping, rate], discovery: discover({ pinned: ["ping"], when: "always" }) });
 * const client = testClient(server);
 *
 * console.log((await client.$.list()).map(({ name }) => name)); // → ["ping", "search_tools", "call_tool"]
 * const { tools } = await client.$.call("search_tools", { query: "currency rate" }) as { tools: { name: string }[] };
 * console.log(tools[0]?.name); // → exchange_rate
 * console.log(await client.$.call("call_tool", { name: "exchange_rate" })); // → 1.08
 * ```
 * @throws {TypeError} If an option is unknown or invalid. `createServer` throws it if the server has no pinned tool of that name,
 * or a tool is called `search_tools`, `call_tool` or `call_destructive_tool`.
 */
export function discover(options: DiscoverOptions = {}): Discovery {
  checkOptions("discover tools", options, RULES);
  return { "~view": (host, run) => new DiscoveryHost(host, run, options).host };
}

/** The list of a server at one time. */
interface ListSnapshot {
  /** Listed tools: system tools, pinned ones, and those of discovery. */
  readonly listed: readonly ToolListing[];
  /** Definitions of the listed tools, in the same order. */
  readonly listedDefinitions: readonly ToolDefinition[];
  readonly definitions: readonly ToolDefinition[];
  /** The server's tools, without those of discovery. */
  readonly byName: ReadonlyMap<string, ToolDefinition>;
  readonly search: ToolSearch;
  readonly searchTools: ToolDefinition;
}

/** The host of a server with `discover()`: a list that is long is replaced by the pinned tools and the tools of the search. */
class DiscoveryHost {
  readonly host: WireHost;
  readonly #inner: WireHost;
  readonly #run: RunDefinition;
  readonly #pinned: ReadonlySet<string>;
  /** `undefined`: the list is replaced at any number of tools. */
  readonly #minTokens: number | undefined;
  readonly #rank: Ranking | undefined;
  #source: readonly ToolListing[] = [];
  #view: ListSnapshot | undefined;
  /** Whether the list was long when the log last stated it. */
  #wasLong: boolean | undefined;

  constructor(
    inner: WireHost,
    run: RunDefinition,
    { pinned = [], when = "auto", minTokens = DEFAULT_MIN_TOKENS, rank }: DiscoverOptions,
  ) {
    this.#rank = rank;
    this.#inner = inner;
    this.#run = run;
    this.#pinned = new Set(pinned);
    this.#minTokens = when === "always" ? undefined : minTokens;
    assertNames("discover", inner.tools.map(({ name }) => name), OWN, pinned);
    const current = () => this.#current();
    // Inherits the other members, some of which are computed when they are read.
    this.host = Object.create(
      inner,
      {
        tools: { get: () => current()?.listed ?? inner.tools },
        definitions: { get: () => current()?.definitions ?? inner.definitions },
        toolsFor: {
          value: (principal: Principal | undefined, session?: string) => this.#toolsFor(principal, session),
        },
        allTools: { get: () => current() && inner },
        targetOf: { value: targetOf },
        dispatch: { value: viewDispatch(inner.dispatch, (call, sink) => this.#call(call, sink)) },
      } satisfies Partial<Record<keyof WireHost, PropertyDescriptor>>,
    ) as WireHost;
  }

  /** The current view; `undefined` while the list is short enough. Tools of parts can change. */
  #current(): ListSnapshot | undefined {
    const { tools } = this.#inner;
    if (tools !== this.#source) {
      this.#source = tools;
      this.#view = this.#isLong(tools) ? this.#createView() : undefined;
    }
    return this.#view;
  }

  #isLong(tools: readonly ToolListing[]): boolean {
    if (this.#minTokens === undefined) return true;
    const { isLong, line } = measureList(tools, this.#minTokens);
    if (isLong !== this.#wasLong) this.#inner.dispatch.log("info", `discover(): ${line}`, {});
    this.#wasLong = isLong;
    return isLong;
  }

  #createView(): ListSnapshot {
    const { definitions } = this.#inner;
    const searched = definitions.filter(({ isSystem, meta }) => !isSystem && isForModels({ _meta: meta }));
    const rank = this.#rank;
    const { dispatch } = this.#inner;
    const onFailure = (error: unknown) =>
      dispatch.log("warn", "rank of discover() failed; the search is by words", { error });
    const search = new ToolSearch(searched, rank && { rank, onFailure });
    const searchTools = searchToolsDefinition(search);
    const destructive = searched.filter(({ name }) => search.isDestructive(name));
    const harmless = searched.filter(({ name }) => !search.isDestructive(name));
    const own = [
      searchTools,
      callToolDefinition(harmless),
      ...destructive.length === 0 ? [] : [destructiveCallDefinition(destructive, search)],
    ];
    // Hosts find the view of a tool, and what the view may call, in the list.
    const kept = definitions.filter(({ name, isSystem, meta = {} }) =>
      isSystem || this.#pinned.has(name) || "ui" in meta
    );
    const listedDefinitions = [...kept, ...own];
    return {
      listed: listedDefinitions.map(listTool),
      listedDefinitions,
      definitions: [...definitions, ...own],
      byName: new Map(definitions.map((definition) => [definition.name, definition])),
      search,
      searchTools,
    };
  }

  #toolsFor(principal: Principal | undefined, session: string | undefined): readonly ToolListing[] {
    const view = this.#current();
    if (view === undefined) return this.#inner.toolsFor(principal, session);
    const { listed, listedDefinitions } = view;
    // Wires compare lists by identity.
    if (listedDefinitions.every((definition) => isVisibleTo(definition, principal, session))) return listed;
    return listed.filter((_, index) => isVisibleTo(listedDefinitions[index] as ToolDefinition, principal, session));
  }

  #call(call: Call, sink: Sink | undefined): CallResult | Future<CallResult> {
    const view = OWN.has(call.tool) ? this.#current() : undefined;
    if (view === undefined) return this.#inner.dispatch.call(call, sink);
    if (call.tool === SEARCH_TOOLS) return toFuture(this.#run(view.searchTools, call, sink));
    const forwarded = forward(call, view);
    return "kind" in forwarded ? forwarded : this.#inner.dispatch.call(forwarded, sink);
  }
}

/** Name of the tool that a call runs. */
function targetOf(tool: string, args: unknown): string {
  const calls = tool === CALL_TOOL || tool === CALL_DESTRUCTIVE_TOOL;
  const name = calls && isJsonObject(args) ? args["name"] : undefined;
  return typeof name === "string" ? name : tool;
}

/** The call that a call of `call_tool` or `call_destructive_tool` asks for, or the error for a tool that the caller could not have found. */
function forward(call: Call, view: ListSnapshot): Call | ErrorResult {
  const { search } = view;
  const { name, arguments: args = {}, ...unknown } = isJsonObject(call.args) ? call.args : {};
  if (typeof name !== "string") {
    return invalidInputResult(`${call.tool} needs the name of a tool`, ["name"], "string", name);
  }
  const [other] = Object.keys(unknown);
  if (other !== undefined) {
    const message = `${call.tool} takes name and arguments: pass the arguments of the tool in "arguments"`;
    return invalidInputResult(message, [other], "never", unknown[other]);
  }
  const { peer } = call;
  const { principal, session } = peer;
  if (search.isFindable(name, peer)) {
    if (call.tool === CALL_DESTRUCTIVE_TOOL || !search.isDestructive(name)) return { ...call, tool: name, args };
    // An approval of call_tool is not one of a tool that destroys.
    return errorResult("invalid_request", `"${name}" is destructive: call it with ${CALL_DESTRUCTIVE_TOOL}`);
  }
  const hidden = view.byName.get(name);
  if (hidden !== undefined && !hidden.isSystem && isVisibleTo(hidden, principal, session)) {
    const error = authorizationError(hidden, principal);
    if (error !== undefined) return error;
  }
  const names = search.namesFor(peer);
  const suggestion = adviseUnknown(search.closest(name, peer), search.nearest(name, peer), SEARCH_TOOLS);
  return errorResult("tool_not_found", "Tool not found", {
    ...describeUnknown("tool", name, names, () => undefined),
    suggestion,
  });
}
