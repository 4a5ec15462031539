import type { ErrorResult } from "../call/outcome.ts";
import { errorResult } from "../call/outcome.ts";
import type { Principal } from "../call/call.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import type { NameIndex } from "../../internal/name_index.ts";
import { RecentMap } from "../../internal/recent_map.ts";
import { describeUnknown, MAX_LISTED } from "../../internal/text.ts";
import type { GuardArguments, GuardedDefinition } from "../schema/unknown_arguments.ts";
import { isVisibleTo } from "./access.ts";
import { listTool, type ToolListing } from "./listing.ts";
import type { AnyTool, ToolDefinition } from "./definition.ts";

/** Names of the system tools of promises. They are reserved: a server with a tool of such a name cannot be created. */
export const SYSTEM_TOOL_NAMES: ReadonlySet<string> = new Set(["redeem", "cancel"]);

/** Creates the tools `redeem` and `cancel` for a server with these tools; none if no call of them may return a promise. */
export type SystemTools = (definitions: readonly ToolDefinition[]) => readonly ToolDefinition[];

/** Supplies the tools of a server's parts, such as groups and gateways. They can change while the server runs. */
export interface PartTools {
  /**
   * The current tools of the parts.
   *
   * @throws {TypeError} At the first call, if a name is taken or reserved. Later such tools are left out.
   */
  definitions(own: ReadonlyMap<string, ToolDefinition>): readonly ToolDefinition[];
  /** The tool that has this name on its own or an inner server, for jobs that these stored; `undefined` if none or several have it. */
  findByOriginalName(name: string): ToolDefinition | undefined;
}

/** Maximum number of lists that are kept for callers that see different tools. */
const MAX_VIEWS = 16;

/** Loaded with the first unknown name on a server of many tools. */
let indexCode: typeof import("../../internal/name_index.ts") | undefined;

/** Finds and lists the tools of a server by name: its own tools, the system tools, and those of its parts. */
export class ToolRegistry {
  declare readonly parts: PartTools | undefined;
  declare readonly systemTools: SystemTools | undefined;
  /** Changes definitions for this server: what happens to unknown arguments. */
  declare readonly guard: GuardArguments;
  readonly #own: ReadonlyMap<string, ToolDefinition>;
  #definitions: Map<string, ToolDefinition> = new Map();
  #all: readonly ToolDefinition[] = [];
  #listings: readonly ToolListing[] = [];
  /** Positions of the tools that only some callers may see. Most servers have none, and a list of thousands is not filtered for each caller. */
  #restricted: readonly number[] = [];
  /** The latest lists of visible tools, by the positions of those that are left out. */
  readonly #views = new RecentMap<readonly ToolListing[]>(MAX_VIEWS);
  /** The tools that may be suggested for an unknown name: all but system tools. */
  #suggested: readonly string[] = [];
  /** An index of many such tools; made with the first unknown name. */
  #index: NameIndex | undefined;
  /** Tools of added toolsets, and of notifiers, by their names in tokens and jobs. Not listed. */
  readonly attached: Map<string, ToolDefinition> = new Map();

  /**
   * @param tools The server's tools, in the order of listing. If one of them can promise, the system tools come first.
   * @param systemTools `undefined` on a server without an engine.
   * @param parts Tools of the parts, which follow.
   * @param guard Changes the definitions of the server's tools.
   * @throws {TypeError} If two tools have the same name, or one has a reserved name.
   */
  constructor(
    tools: readonly AnyTool[],
    systemTools?: SystemTools,
    parts?: PartTools,
    guard: GuardArguments = assertUnguarded,
  ) {
    this.guard = guard;
    const own = new Map<string, ToolDefinition>();
    for (const tool of tools) {
      const definition = tool?.["~definition"];
      if (definition === undefined) {
        throw new TypeError(
          "Cannot create server: a tool is not finished; end it with .handle(…) or .external(…)",
        );
      }
      assertUsable(tool.name, own);
      own.set(tool.name, guard(definition));
    }
    this.#own = own;
    this.parts = parts;
    this.systemTools = systemTools;
    this.refresh();
  }

  /** Reads the current tools of the parts, and adds system tools and `more` if they need them. Throws if one has the name `more` then. */
  refresh(): void {
    const definitions = new Map(this.#own);
    for (const definition of this.parts?.definitions(definitions) ?? []) definitions.set(definition.name, definition);
    const system = this.systemTools?.([...definitions.values()]) ?? [];
    this.#definitions = new Map([
      ...system.map((definition) => [definition.name, definition] as const),
      ...definitions,
    ]);
    for (const { continuationTool } of definitions.values()) {
      if (continuationTool === undefined) continue;
      const { name } = continuationTool;
      if (definitions.has(name)) throw reserved(name);
      this.#definitions.set(name, continuationTool);
    }
    this.#all = [...this.#definitions.values()];
    this.#restricted = [...this.#all.keys()].filter((index) => this.#all[index]?.isVisible !== undefined);
    this.#views.clear();
    this.#suggested = [...this.#definitions.keys()].filter((name) => !SYSTEM_TOOL_NAMES.has(name));
    this.#index = undefined;
    // Listed under the names that callers use.
    this.#listings = [...this.#definitions].map(([name, definition]) => ({ ...listTool(definition), name }));
  }

  /** Returns the tool of that name, whether or not it is visible to a caller. */
  get(name: string): ToolDefinition | undefined {
    return this.#definitions.get(name);
  }

  /** Returns the tool of that name, if it is visible to the caller. */
  getFor(name: string, principal: Principal | undefined, session?: string): ToolDefinition | undefined {
    const definition = this.#definitions.get(name);
    return definition && isVisibleTo(definition, principal, session) ? definition : undefined;
  }

  /** Returns all tools, in the order of listing. */
  definitions(): readonly ToolDefinition[] {
    return this.#all;
  }

  /**
   * Returns the listings of the tools that are visible to a caller, in the order of listing. Callers that see the same tools get the same
   * array, so that wires encode it once: a list of thousands would otherwise be encoded for each request.
   */
  listingsFor(principal: Principal | undefined, session?: string): readonly ToolListing[] {
    const isHidden = (index: number) => !isVisibleTo(this.#all[index] as ToolDefinition, principal, session);
    const hidden = this.#restricted.filter(isHidden);
    if (hidden.length === 0) return this.#listings;
    return this.#views.getOrMake(hidden.join(), () => {
      const left = new Set(hidden);
      return this.#listings.filter((_, index) => !left.has(index));
    });
  }

  /** Returns the listings of all tools, under the names that callers use. */
  listings(): readonly ToolListing[] {
    return this.#listings;
  }

  /**
   * The error `tool_not_found`, with similar and available names of tools that the caller may see. Source: docs/spec.md A.5.
   *
   * @returns A promise if the code of the index has to be loaded.
   */
  notFound(requested: string, principal?: Principal, session?: string): MaybePromise<ErrorResult> {
    const names = this.#firstNamesFor(principal, session);
    const isVisible = this.#restricted.length === 0
      ? undefined
      : (name: string) => this.getFor(name, principal, session) !== undefined;
    const describe = (candidates: readonly string[]) => {
      const details = describeUnknown("tool", requested, names, () => closestMatch(requested, candidates));
      return errorResult("tool_not_found", "Tool not found", details);
    };
    const suggested = this.#suggested;
    if (suggested.length <= MAX_LISTED) {
      return describe(isVisible === undefined ? suggested : suggested.filter(isVisible));
    }
    if (names.length === 0) return describe(names);
    const index = this.#loadedIndex;
    if (index !== undefined) return describe(index.find(requested, isVisible));
    return this.#loadIndex().then((loaded) => describe(loaded.find(requested, isVisible)));
  }

  /** The index, if its code has been loaded. */
  get #loadedIndex(): NameIndex | undefined {
    return (this.#index ??= indexCode && new indexCode.NameIndex(this.#suggested));
  }

  async #loadIndex(): Promise<NameIndex> {
    indexCode ??= await import("../../internal/name_index.ts");
    return this.#loadedIndex!;
  }

  /** The names that an error lists. */
  #firstNamesFor(principal: Principal | undefined, session: string | undefined): readonly string[] {
    const names: string[] = [];
    for (const definition of this.#all) {
      if (names.length === MAX_LISTED) break;
      if (isVisibleTo(definition, principal, session)) names.push(definition.name);
    }
    return names;
  }
}

/** Whether calls of a tool may be answered with a promise: it has `.promise()` or `.external()`, or its remote server may promise. */
export function canPromise({ promise, external, remote }: ToolDefinition): boolean {
  return promise !== undefined || external !== undefined || remote?.mayPromise === true;
}

/** The guard of a server without the option `unknownArguments`. */
function assertUnguarded<Definition extends GuardedDefinition>(definition: Definition): Definition {
  if (definition.unknownArguments === undefined) return definition;
  throw new TypeError(
    `Cannot create server: the tool "${definition.name}" needs unknownArguments(…), from "toolwire/schema"`,
  );
}

function reserved(name: string): TypeError {
  return new TypeError(`Cannot create server: "${name}" is reserved; rename your tool`);
}

function assertUsable(name: string, taken: ReadonlyMap<string, ToolDefinition>): void {
  if (SYSTEM_TOOL_NAMES.has(name)) throw reserved(name);
  if (taken.has(name)) {
    throw new TypeError(`Cannot create server: two tools are called "${name}"; rename one`);
  }
}
