import type { Peer } from "../../core/call/call.ts";
import { authorizationError, isVisibleTo } from "../../core/tool/access.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { ToolSearch } from "../discovery/tool_search.ts";

/** Who asks: the principal, and the session if there is one. */
type Caller = Pick<Peer, "principal" | "session">;

/** The tools that programs may call, by their names and by the identifiers that programs may write in place of them. */
export class CallableTools {
  readonly search: ToolSearch;
  readonly #byName: ReadonlyMap<string, ToolDefinition>;
  /** Names by identifier, if they differ. One that several tools would have is left out. */
  readonly #byIdentifier = new Map<string, ToolDefinition>();
  readonly #clashes = new Map<string, readonly [string, string]>();
  readonly #asks: (tool: ToolDefinition) => boolean;

  constructor(definitions: readonly ToolDefinition[], search: ToolSearch, asks: (tool: ToolDefinition) => boolean) {
    this.search = search;
    this.#asks = asks;
    this.#byName = new Map(definitions.map((definition) => [definition.name, definition]));
    for (const definition of definitions) {
      const identifier = identifierOf(definition.name);
      if (identifier === definition.name) continue;
      const other = this.#byName.get(identifier) ?? this.#byIdentifier.get(identifier);
      if (other !== undefined) this.#clashes.set(identifier, [other.name, definition.name]);
      else this.#byIdentifier.set(identifier, definition);
    }
    for (const identifier of this.#clashes.keys()) this.#byIdentifier.delete(identifier);
  }

  /** @throws {TypeError} If two tools have the same identifier. */
  assertIdentifiers(): void {
    const [clash] = this.#clashes;
    if (clash === undefined) return;
    const [identifier, [one, other]] = clash;
    throw new TypeError(
      `Cannot create server: "${one}" and "${other}" are both tools.${identifier} in programs; rename one, or leave it out with callable`,
    );
  }

  /** The tool of a name or an identifier, whether or not it is visible to a caller. */
  find(name: string): ToolDefinition | undefined {
    return this.#byName.get(name) ?? this.#byIdentifier.get(name);
  }

  /** The tool of a name or an identifier, if the caller may call it. */
  findFor(name: string, { principal, session }: Caller): ToolDefinition | undefined {
    const found = this.find(name);
    const isOpen = found !== undefined && isVisibleTo(found, principal, session) &&
      authorizationError(found, principal) === undefined;
    return isOpen ? found : undefined;
  }

  /** Whether the caller has to approve a call of a tool. If the function of the application throws, it has to. */
  asks(tool: ToolDefinition): boolean {
    try {
      return this.#asks(tool);
    } catch {
      return true;
    }
  }

  /** How a program writes a tool: `tools.name`. */
  expressionOf(name: string): string {
    const identifier = identifierOf(name);
    const isOwn = identifier === name || this.#byIdentifier.get(identifier)?.name === name;
    return isOwn ? `tools.${identifier}` : `tools[${JSON.stringify(name)}]`;
  }
}

/** The name of a tool as an identifier of JavaScript: `API-post-search` is `API_post_search`. */
function identifierOf(name: string): string {
  const identifier = name.replace(/[^A-Za-z0-9_$]/g, "_");
  return /^\d/.test(identifier) ? `_${identifier}` : identifier;
}
