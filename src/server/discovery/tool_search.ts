import type { Peer } from "../../core/call/call.ts";
import { authorizationError, type IsVisible, isVisibleTo } from "../../core/tool/access.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import { NameIndex } from "../../internal/name_index.ts";
import { MAX_LISTED } from "../../internal/text.ts";
import { listTool } from "../../core/tool/listing.ts";
import { CALL_DESTRUCTIVE_TOOL } from "../../inspection/tool_search/search_form.ts";
import { ToolSet } from "../../inspection/tool_search/tool_set.ts";
import {
  type CatalogTool,
  countGroups,
  type Ranking,
  type SearchInput,
  type SearchOutput,
  ToolCatalog,
} from "../../inspection/tool_search/tool_catalog.ts";

/** Who searches: the principal, and the session if there is one. */
type Searcher = Pick<Peer, "principal" | "session">;

/** A ranking of the application, and what is called with its error if it fails. */
interface CustomRanking {
  readonly rank: Ranking;
  readonly onFailure: (error: unknown) => void;
}

/** Search over the tools of a server. A caller finds the tools that are visible to it and whose scopes it has. */
export class ToolSearch {
  /** Number of tools by group, the prefixes of the part that they are in. Tools with a rule of visibility are not counted. */
  readonly groups: ReadonlyMap<string, number>;
  readonly #definitions: readonly ToolDefinition[];
  readonly #byName: ReadonlyMap<string, ToolDefinition>;
  readonly #catalog: ToolCatalog;
  readonly #ranked: CustomRanking | undefined;
  readonly #names: NameIndex;
  readonly #rules: Rules;
  /** The tools of callers with the same rights, by the answers of the rules. */
  readonly #sets = new Map<string, ToolSet>();

  /** @param ranked The application's ranking, if it has one. */
  constructor(definitions: readonly ToolDefinition[], ranked?: CustomRanking) {
    this.#ranked = ranked;
    this.#definitions = definitions;
    this.#byName = new Map(definitions.map((definition) => [definition.name, definition]));
    this.#names = new NameIndex([...this.#byName.keys()]);
    this.#rules = rulesOf(definitions);
    const tools = definitions.map(toCatalogTool);
    this.groups = countGroups(tools.filter((_, index) => definitions[index]?.isVisible === undefined));
    this.#catalog = new ToolCatalog(tools, this.groups.size > 0);
  }

  /** Whether a search of this caller can find the tool of that name. */
  isFindable(name: string, caller: Searcher): boolean {
    const definition = this.#byName.get(name);
    return definition !== undefined && mayCall(definition, caller);
  }

  /** Whether the tool of that name is called with `call_destructive_tool`. */
  isDestructive(name: string): boolean {
    return this.#byName.get(name)?.annotations?.destructiveHint === true;
  }

  /** Names of the tools that have the most words of a name that does not exist, for this caller. */
  nearest(name: string, caller: Searcher): readonly string[] {
    return this.#catalog.nearest(name, this.#findableBy(caller));
  }

  /** Names of the first tools that a search of this caller can find, for an error. */
  namesFor(caller: Searcher): readonly string[] {
    const names: string[] = [];
    for (const definition of this.#definitions) {
      if (names.length === MAX_LISTED) break;
      if (mayCall(definition, caller)) names.push(definition.name);
    }
    return names;
  }

  /** The close name of a tool that the caller may call. */
  closest(name: string, caller: Searcher): string | undefined {
    return closestMatch(name, this.#names.find(name, (one) => this.isFindable(one, caller)));
  }

  /** Searches for tools that the caller may call, by words. */
  find(input: SearchInput, caller: Searcher = { principal: undefined }): SearchOutput {
    return this.#catalog.find(input, this.#findableBy(caller));
  }

  /** Searches as {@link find} does, in the order of the application's ranking if there is one. */
  findRanked(input: SearchInput, caller: Searcher): SearchOutput | Promise<SearchOutput> {
    if (this.#ranked === undefined) return this.find(input, caller);
    const { rank, onFailure } = this.#ranked;
    return this.#catalog.findBy(rank, input, this.#findableBy(caller)).catch((error: unknown) => {
      onFailure(error);
      return this.find(input, caller);
    });
  }

  /** The tools that a caller may call; `undefined` if it may call all. Asks once for all tools with the same rule, which may be the application's. */
  #findableBy(caller: Searcher): ToolSet | undefined {
    const { samples, ruleOf } = this.#rules;
    const answers = samples.map((sample) => mayCall(sample, caller));
    if (!answers.includes(false)) return undefined;
    const key = answers.map(Number).join("");
    let findable = this.#sets.get(key);
    if (findable === undefined) {
      findable = new ToolSet(ruleOf.length);
      ruleOf.forEach((rule, index) => answers[rule] && findable?.add(index));
      if (this.#sets.size === MAX_SETS) this.#sets.clear();
      this.#sets.set(key, findable);
    }
    return findable;
  }
}

/** Maximum number of sets of tools that are kept, for callers with the same rights. */
const MAX_SETS = 32;

/** The rules of access of some tools: an example of the tools with each rule, and the number of the rule of each tool. */
interface Rules {
  readonly samples: readonly ToolDefinition[];
  readonly ruleOf: readonly number[];
}

function rulesOf(definitions: readonly ToolDefinition[]): Rules {
  const samples: ToolDefinition[] = [];
  const known = new Map<IsVisible | undefined, Map<string, number>>();
  const ruleOf = definitions.map((definition) => {
    const { isVisible, scopes } = definition;
    const byScopes = known.get(isVisible) ?? new Map<string, number>();
    known.set(isVisible, byScopes);
    const key = scopes.join(" ");
    const rule = byScopes.get(key) ?? samples.push(definition) - 1;
    byScopes.set(key, rule);
    return rule;
  });
  return { samples, ruleOf };
}

function mayCall(definition: ToolDefinition, caller: Searcher): boolean {
  const { principal, session } = caller;
  return isVisibleTo(definition, principal, session) && authorizationError(definition, principal) === undefined;
}

function toCatalogTool(definition: ToolDefinition): CatalogTool {
  const { name, part, annotations, meta } = definition;
  const hint = meta?.["anthropic/searchHint"];
  const { description, inputSchema, outputSchema } = listTool(definition);
  return {
    name,
    title: [definition.title, hint].filter((text) => typeof text === "string").join(" "),
    description,
    inputSchema,
    outputSchema,
    callWith: annotations?.destructiveHint === true ? CALL_DESTRUCTIVE_TOOL : undefined,
    ownName: part?.ownNames[0] ?? name,
    // The prefixes of the parts that it is in.
    group: part?.path.join("/") ?? "",
  };
}
