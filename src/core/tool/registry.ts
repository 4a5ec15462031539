import type { ErrorResult } from "../call/outcome.ts";
import { errorResult } from "../call/outcome.ts";
import type { Principal } from "../call/call.ts";
import { closestMatch } from "../../internal/text.ts";
import { isVisibleTo } from "./access.ts";
import { listTool, type ToolListing } from "./listing.ts";
import type { AnyTool, ToolDefinition } from "./definition.ts";

/** Names of the system tools, which are reserved on every server. */
export const SYSTEM_TOOL_NAMES: ReadonlySet<string> = new Set(["redeem", "cancel"]);

/** Most names that a refusal lists. */
const MAX_LISTED = 50;

/** The tools of a server's parts. */
export interface PartTools {
  /**
   * Those that there are now, beside the server's own.
   *
   * @throws {TypeError} If two have the same name, or one has a reserved name, the first time; later they are left out.
   */
  definitions(own: ReadonlyMap<string, ToolDefinition>): readonly ToolDefinition[];
  /** The one that has this name where its server is no part of anything; `undefined` also if there are several. */
  alone(name: string): ToolDefinition | undefined;
}

/** A server's tools, by name. */
export class ToolRegistry {
  readonly #own: ReadonlyMap<string, ToolDefinition>;
  readonly #parts: PartTools | undefined;
  readonly #systemTools: readonly ToolDefinition[];
  #definitions: ReadonlyMap<string, ToolDefinition> = new Map();
  #all: readonly ToolDefinition[] = [];
  #listings: readonly ToolListing[] = [];
  /** Whether every caller may know of all of them, so that a list of thousands need not be gone through for each. */
  #isOpen = true;
  /** Tools of attached sets, by the names under which tokens and jobs know them. */
  readonly #attached = new Map<string, ToolDefinition>();

  /**
   * @param tools The server's tools, in the order in which they are listed; if one of them can promise, the system tools come first.
   * @param systemTools The tools `redeem` and `cancel`; none on a server without an engine.
   * @param parts What comes after them.
   * @throws {TypeError} If two have the same name, or one has a reserved name.
   */
  constructor(tools: readonly AnyTool[], systemTools: readonly ToolDefinition[], parts?: PartTools) {
    const own = new Map<string, ToolDefinition>();
    for (const tool of tools) {
      const definition = tool?.["~definition"];
      if (definition === undefined) {
        throw new TypeError("Cannot create server: a tool is not finished; end its definition with .handle(…)");
      }
      assertUsable(tool.name, own);
      own.set(tool.name, definition);
    }
    this.#own = own;
    this.#parts = parts;
    this.#systemTools = systemTools;
    this.refresh();
  }

  /** Takes the tools that the parts have now. */
  refresh(): void {
    const definitions = new Map(this.#own);
    for (const definition of this.#parts?.definitions(definitions) ?? []) definitions.set(definition.name, definition);
    const promising = [...definitions.values()].find(canPromise);
    // Middleware asks around them, too, with the schemas that it asks with around the server's own.
    const system = promising &&
      this.#systemTools.map((definition) => ({ ...definition, adapters: promising.adapters }));
    this.#definitions = new Map([
      ...system?.map((definition) => [definition.name, definition] as const) ?? [],
      ...definitions,
    ]);
    this.#all = [...this.#definitions.values()];
    this.#isOpen = this.#all.every(({ isVisible }) => isVisible === undefined);
    // Under the names that callers use.
    this.#listings = [...this.#definitions].map(([name, definition]) => ({ ...listTool(definition), name }));
  }

  /** The tool of that name. */
  get(name: string): ToolDefinition | undefined {
    return this.#definitions.get(name);
  }

  /** The tool of that name, if the caller may know of it. */
  getFor(name: string, principal: Principal | undefined): ToolDefinition | undefined {
    const definition = this.#definitions.get(name);
    return definition && isVisibleTo(definition, principal) ? definition : undefined;
  }

  /** Those that a caller may know of, in the order of listing. */
  definitionsFor(principal: Principal | undefined): readonly ToolDefinition[] {
    return this.#isOpen ? this.#all : this.#all.filter((definition) => isVisibleTo(definition, principal));
  }

  /** The tool of that name, here, in an attached set, or in a part that was begun with alone: what a job is about. */
  resolve(name: string): ToolDefinition | undefined {
    return this.#definitions.get(name) ?? this.#attached.get(name) ?? this.#parts?.alone(name);
  }

  /** The same, if the caller may know of it: what a token is about. */
  resolveFor(name: string, principal: Principal | undefined): ToolDefinition | undefined {
    const definition = this.resolve(name);
    return definition && isVisibleTo(definition, principal) ? definition : undefined;
  }

  /** Whether some tool can promise its answer. */
  get canPromise(): boolean {
    return [...this.#all, ...this.#attached.values()].some(canPromise);
  }

  /**
   * A registry of further tools, which may be called as those here are. Tokens and jobs know them as `<name>@<tag>`, which is
   * no name that a caller can use; a tool that is the same as the one here has one name only.
   *
   * @throws {TypeError} If two have the same name, one has a reserved name, or the tag was used.
   */
  attach(tag: string, tools: readonly AnyTool[]): ToolRegistry {
    const tagged = new ToolRegistry(
      tools.map((tool) => {
        const definition = tool?.["~definition"];
        if (definition === undefined || definition === this.#definitions.get(definition.name)) return tool;
        return { name: definition.name, "~definition": { ...definition, name: `${definition.name}@${tag}` } };
      }),
      this.#systemTools,
    );
    for (const definition of tagged.definitions()) {
      if (this.#definitions.has(definition.name) || definition.isSystem) continue;
      if (this.#attached.has(definition.name)) throw new TypeError(`Cannot create server: "${tag}" is there twice`);
      this.#attached.set(definition.name, definition);
    }
    return tagged;
  }

  /** All tools, in the order of listing. */
  definitions(): readonly ToolDefinition[] {
    return this.#all;
  }

  /** All tools as they are listed, under the names that callers use. */
  listings(): readonly ToolListing[] {
    return this.#listings;
  }

  /** What to say to someone who asked for a tool that is not there (docs/spec.md A.5). */
  notFound(requested: string, principal?: Principal): ErrorResult {
    const names = this.definitionsFor(principal).map(({ name }) => name);
    const similar = closestMatch(requested, names.filter((name) => !SYSTEM_TOOL_NAMES.has(name)));
    return errorResult("tool_not_found", "Tool not found", {
      requested_tool: requested.slice(0, 256),
      available_tools: names.slice(0, MAX_LISTED),
      ...(similar !== undefined && { suggestion: `Did you mean '${similar}'?` }),
    });
  }
}

/** Whether calls of a tool may be answered with a promise. */
export function canPromise({ promise, external, remote }: ToolDefinition): boolean {
  return promise !== undefined || external !== undefined || remote?.mayPromise === true;
}

function assertUsable(name: string, taken: ReadonlyMap<string, ToolDefinition>): void {
  if (SYSTEM_TOOL_NAMES.has(name)) {
    throw new TypeError(`Cannot create server: "${name}" is the name of a system tool; give your tool another one`);
  }
  if (taken.has(name)) {
    throw new TypeError(`Cannot create server: two tools are called "${name}"; rename one, or leave one out`);
  }
}
