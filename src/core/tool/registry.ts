import { type ErrorResult, errorResult } from "../call/outcome.ts";
import type { Principal } from "../call/call.ts";
import { closestMatch } from "../../internal/text.ts";
import { isVisibleTo } from "./access.ts";
import { listTool, type ToolListing } from "./listing.ts";
import { SYSTEM_TOOLS } from "./system_tools.ts";
import type { AnyTool, ToolDefinition } from "./definition.ts";

/** Names of the system tools. They are reserved even if a server does not have them. */
const RESERVED: ReadonlySet<string> = new Set(SYSTEM_TOOLS.map(({ name }) => name));

/** Maximum number of names in an error result. */
const MAX_LISTED = 50;

/** The tools of a server's parts. */
export interface PartTools {
  /**
   * Returns the current tools of the parts.
   *
   * @throws {TypeError} If a name is used twice or reserved, at the first call. Later such tools are left out.
   */
  definitions(own: ReadonlyMap<string, ToolDefinition>): readonly ToolDefinition[];
  /** Returns the tool with this name in its own server. `undefined` if there is none, or more than one. */
  alone(name: string): ToolDefinition | undefined;
}

/** A server's tools, by name. */
export class ToolRegistry {
  readonly #own: ReadonlyMap<string, ToolDefinition>;
  readonly #parts: PartTools | undefined;
  #definitions: ReadonlyMap<string, ToolDefinition> = new Map();
  #all: readonly ToolDefinition[] = [];
  #listings: readonly ToolListing[] = [];
  /** Whether all tools are visible to all callers, which avoids filtering long lists. */
  #isOpen = true;
  /** Tools of added toolsets, by their names in tokens and jobs. */
  readonly #attached = new Map<string, ToolDefinition>();

  /**
   * @param tools Tools of the server, in listed order. System tools come first if a tool can return promises.
   * @param parts Tools of the parts, listed last.
   * @throws {TypeError} If a name is used twice or reserved.
   */
  constructor(tools: readonly AnyTool[], parts?: PartTools) {
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
    this.refresh();
  }

  /** Reads the current tools of the parts. */
  refresh(): void {
    const definitions = new Map(this.#own);
    for (const definition of this.#parts?.definitions(definitions) ?? []) definitions.set(definition.name, definition);
    const promising = [...definitions.values()].find(promises);
    // Middleware may ask questions in system tools too, so they get the same schema adapters.
    const system = promising && SYSTEM_TOOLS.map((definition) => ({ ...definition, adapters: promising.adapters }));
    this.#definitions = new Map([
      ...system?.map((definition) => [definition.name, definition] as const) ?? [],
      ...definitions,
    ]);
    this.#all = [...this.#definitions.values()];
    this.#isOpen = this.#all.every(({ isVisible }) => isVisible === undefined);
    // Listed under the names that callers use.
    this.#listings = [...this.#definitions].map(([name, definition]) => ({ ...listTool(definition), name }));
  }

  /** Returns a tool by name. */
  get(name: string): ToolDefinition | undefined {
    return this.#definitions.get(name);
  }

  /** Returns a tool by name, if the caller may see it. */
  getFor(name: string, principal: Principal | undefined): ToolDefinition | undefined {
    const definition = this.#definitions.get(name);
    return definition && isVisibleTo(definition, principal) ? definition : undefined;
  }

  /** Returns the tools that a caller may see, in listed order. */
  definitionsFor(principal: Principal | undefined): readonly ToolDefinition[] {
    return this.#isOpen ? this.#all : this.#all.filter((definition) => isVisibleTo(definition, principal));
  }

  /**
   * Returns the tool of a job by name: of this server, of an added toolset, or of a part under the name in its own
   * server.
   */
  resolve(name: string): ToolDefinition | undefined {
    return this.#definitions.get(name) ?? this.#attached.get(name) ?? this.#parts?.alone(name);
  }

  /** Returns the tool of a token, if the caller may see it. */
  resolveFor(name: string, principal: Principal | undefined): ToolDefinition | undefined {
    const definition = this.resolve(name);
    return definition && isVisibleTo(definition, principal) ? definition : undefined;
  }

  /** Whether some tool can return a promise. */
  get canPromise(): boolean {
    return [...this.#all, ...this.#attached.values()].some(promises);
  }

  /**
   * Creates a registry of further tools. Tokens and jobs refer to them as `<name>@<tag>`, which is not a valid name for
   * callers. A tool that is identical to one of this registry has the same name in both.
   *
   * @throws {TypeError} If a name is used twice or reserved, or the tag was used before.
   */
  attach(tag: string, tools: readonly AnyTool[]): ToolRegistry {
    const tagged = new ToolRegistry(tools.map((tool) => {
      const definition = tool?.["~definition"];
      if (definition === undefined || definition === this.#definitions.get(definition.name)) return tool;
      return { name: definition.name, "~definition": { ...definition, name: `${definition.name}@${tag}` } };
    }));
    for (const definition of tagged.definitions()) {
      if (this.#definitions.has(definition.name) || definition.isSystem) continue;
      if (this.#attached.has(definition.name)) {
        throw new TypeError(`Cannot create server: the toolset "${tag}" is added twice`);
      }
      this.#attached.set(definition.name, definition);
    }
    return tagged;
  }

  /** Returns all tools, in listed order. */
  definitions(): readonly ToolDefinition[] {
    return this.#all;
  }

  /** Returns the listings of all tools, under the names that callers use. */
  listings(): readonly ToolListing[] {
    return this.#listings;
  }

  /** Returns the error result for an unknown tool (docs/spec.md A.5). */
  notFound(requested: string, principal?: Principal): ErrorResult {
    const names = this.definitionsFor(principal).map(({ name }) => name);
    const similar = closestMatch(requested, names.filter((name) => !RESERVED.has(name)));
    return errorResult("tool_not_found", "Tool not found", {
      requested_tool: requested.slice(0, 256),
      available_tools: names.slice(0, MAX_LISTED),
      ...(similar !== undefined && { suggestion: `Did you mean '${similar}'?` }),
    });
  }
}

function promises({ promise, external, remote }: ToolDefinition): boolean {
  return promise !== undefined || external !== undefined || remote?.mayPromise === true;
}

function assertUsable(name: string, taken: ReadonlyMap<string, ToolDefinition>): void {
  if (RESERVED.has(name)) {
    throw new TypeError(`Cannot create server: "${name}" is the name of a system tool; give your tool another one`);
  }
  if (taken.has(name)) {
    throw new TypeError(`Cannot create server: two tools are called "${name}"; rename one, or leave one out`);
  }
}
