/**
 * Search over a list of tools: finds those that a caller may use, and describes them.
 *
 * @module
 */
import { signatureOf } from "../../core/json_schema/signature.ts";
import { subschemasOf } from "../../core/json_schema/subschemas.ts";
import { ToolSet } from "./tool_set.ts";
import { type SearchableTool, SearchIndex, type SearchResult } from "./search_index.ts";

/** A tool that can be found. */
export interface CatalogTool {
  /** Name that callers use. */
  readonly name: string;
  /** Name on its own server, without the prefix of a group. */
  readonly ownName: string;
  /** Group that it belongs to; empty for none. */
  readonly group: string;
  /** Title. */
  readonly title?: string | undefined;
  /** Description. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of the output. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the tool that calls it, if that is not `call_tool`. */
  readonly callWith?: string | undefined;
}

/** Arguments of `search_tools`. */
export interface SearchInput {
  /** A few words of action and object, or the exact name of a tool. */
  readonly query: string;
  /** Searches only in this group. */
  readonly group?: string;
  /** Form of the results: `signature`, or `schema` with the JSON Schemas. Default: `signature`. */
  readonly detail?: "signature" | "schema";
  /** Maximum number of results. Default: 5. */
  readonly limit?: number;
}

/** A found tool, in the form that `detail` of the search selects. */
export interface FoundTool {
  /** Name for `call_tool`. */
  readonly name: string;
  /** Name of the tool that calls it, if that is not `call_tool`: destructive tools have another. */
  readonly callWith?: string;
  /** Group that it belongs to. */
  readonly group?: string;
  /** Names of the same tool in other groups, such as regions or tenants. */
  readonly alsoIn?: readonly string[];
  /** Description; its first sentence in signatures. */
  readonly description: string;
  /** Parameters and output in the notation of TypeScript. */
  readonly signature?: string;
  /** JSON Schema of the arguments, with `detail: "schema"`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** JSON Schema of the output, with `detail: "schema"`. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** Answer of `search_tools`: the best tools, with the number of all that match. */
export interface SearchOutput {
  /** Found tools, best first. */
  readonly tools: readonly FoundTool[];
  /** Number of tools that have a word of the query. */
  readonly total: number;
  /** Words of the query that no tool has. */
  readonly unmatched: readonly string[];
  /** Words of the query that no tool has, with the nearest words, which were searched for in their place. */
  readonly corrected?: Readonly<Record<string, string>>;
  /** Number of tools that have a word of the query, in the 8 groups of the best ones, if the server has groups. */
  readonly groups?: Readonly<Record<string, number>>;
  /** Advice, if nothing was found. */
  readonly hint?: string;
}

/** A tool as {@link Ranking} receives it. */
export interface RankedTool {
  /** Name for `call_tool`. */
  readonly name: string;
  /** Group that it belongs to; empty for none. */
  readonly group: string;
  /** Title. */
  readonly title?: string | undefined;
  /** Description, in full. */
  readonly description: string;
}

/** Ranks tools for a query: returns the names of those that are found, best first. */
export type Ranking = (search: {
  /** Words of the query. */
  readonly query: string;
  /** All tools that the caller may find, in the searched group; those with a word of the query first. */
  readonly tools: readonly RankedTool[];
}) => readonly string[] | Promise<readonly string[]>;

/** Number of tools that a search describes, unless a caller asks for another number. */
export const DEFAULT_LIMIT = 5;
const MAX_SENTENCE = 160;
const MAX_SCHEMA_DEPTH = 6;
const MAX_NAMED_GROUPS = 30;
/** Length of a name of which the nearest are searched, and number of the names that are suggested. */
const MAX_NAME = 64;
const MAX_NEAREST = 3;
/** Maximum number of tools that are ranked so that copies of a tool can be joined. */
const MAX_RANKED = 200;

/** Which tools are equal but for their groups. */
interface CopyGroups {
  /** Position of the first equal tool, by position. */
  readonly of: readonly number[];
  /** Number of tools that the largest set of equal tools has. */
  readonly most: number;
}

/** Search over an unchanging list of tools: ranks those that match a query, and describes them. */
export class ToolCatalog {
  readonly #tools: readonly CatalogTool[];
  readonly #hasGroups: boolean;
  /** The tools that belong to a group, with their positions. */
  readonly #grouped: readonly (readonly [number, CatalogTool])[];
  readonly #described: FoundTool[] = [];
  #index: SearchIndex | undefined = undefined;
  #copies: CopyGroups | undefined = undefined;

  /** @param hasGroups Whether results have the numbers of tools by group. */
  constructor(tools: readonly CatalogTool[], hasGroups: boolean) {
    this.#tools = tools;
    this.#hasGroups = hasGroups;
    this.#grouped = [...tools.entries()].filter(([, { group }]) => group !== "");
  }

  /**
   * Ranks the tools that have a word of the query.
   *
   * @param limit Maximum number of tools in the result.
   * @param findable The tools that may be found. Default: all.
   */
  rank(
    { query, group }: Pick<SearchInput, "query" | "group">,
    limit: number,
    findable?: ToolSet,
  ): SearchResult {
    // Created at the first search: most processes of a short life never search.
    this.#index ??= new SearchIndex(this.#tools.map(toSearchable));
    if (group === undefined) return this.#index.search(query, limit, findable);
    const inGroup = new ToolSet(this.#tools.length);
    for (const [index, tool] of this.#grouped) if (tool.group === group) inGroup.add(index);
    if (findable !== undefined) inGroup.keep(findable);
    return this.#index.search(query, limit, inGroup);
  }

  /** Describes the best tools for a query, up to its limit, with the number of all that match. Gives a hint if there is no match. */
  find(input: SearchInput, findable?: ToolSet): SearchOutput {
    const { group, detail = "signature", limit = DEFAULT_LIMIT } = input;
    const copies = this.#copies ??= copiesIn(this.#tools);
    const wanted = Math.min(limit * copies.most, Math.max(limit, MAX_RANKED));
    const { found, total, groups, unmatched, corrected } = this.rank(input, wanted, findable);
    return {
      tools: this.#withoutCopies(found, copies.of, limit, detail),
      total,
      unmatched,
      ...corrected.size > 0 && { corrected: Object.fromEntries(corrected) },
      ...this.#hasGroups && { groups: Object.fromEntries(groups) },
      ...total === 0 && { hint: hintFor(group, this.#groupNames(findable)) },
    };
  }

  /**
   * Describes tools as an application ranks them.
   *
   * @param ranking The application's function.
   * @throws What the function throws.
   */
  async findBy(
    ranking: Ranking,
    input: SearchInput,
    findable?: ToolSet,
  ): Promise<SearchOutput> {
    const { query, group, detail = "signature", limit = DEFAULT_LIMIT } = input;
    const byWords = this.rank(input, this.#tools.length, findable);
    const isFound = new Set(byWords.found);
    const others = this.#tools.flatMap((tool, index) =>
      isFound.has(index) || (group !== undefined && tool.group !== group) || findable?.has(index) === false
        ? []
        : [index]
    );
    const candidates = new Map([...byWords.found, ...others].map((index) => [this.#at(index).name, index]));
    const tools = [...candidates.values()].map((index) => {
      const { name, group, title, description } = this.#at(index);
      return { name, group, title, description };
    });
    const names = await ranking({ query, tools });
    const found = [...new Set(names)].flatMap((name) => candidates.get(name) ?? []);
    const { of } = this.#copies ??= copiesIn(this.#tools);
    return {
      tools: this.#withoutCopies(found, of, limit, detail),
      total: found.length,
      unmatched: byWords.unmatched,
      ...found.length === 0 && { hint: hintFor(group, this.#groupNames(findable)) },
    };
  }

  #withoutCopies(
    found: readonly number[],
    copyOf: readonly number[],
    limit: number,
    detail: "signature" | "schema",
  ): readonly FoundTool[] {
    const entries = new Map<number, number[]>();
    for (const index of found) {
      const copies = entries.get(copyOf[index] as number);
      if (copies !== undefined) copies.push(index);
      else if (entries.size < limit) entries.set(copyOf[index] as number, [index]);
    }
    return [...entries.values()].map(([first, ...others]) => {
      const tool = this.#describe(first as number, detail);
      return others.length === 0 ? tool : { ...tool, alsoIn: others.map((index) => this.#at(index).name) };
    });
  }

  /** Returns the names of the tools that have the most words of a name that does not exist, best first. */
  nearest(name: string, findable?: ToolSet): readonly string[] {
    const query = name.slice(0, MAX_NAME).replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[^A-Za-z0-9]+/g, " ");
    return this.rank({ query }, MAX_NEAREST, findable).found.map((index) => this.#at(index).name);
  }

  /** Signatures are made once: that of a large schema takes longer than the search. */
  #describe(index: number, detail: "signature" | "schema"): FoundTool {
    if (detail === "schema") return describe(this.#at(index), detail);
    return (this.#described[index] ??= describe(this.#at(index), detail));
  }

  /** Names of the first groups that have a findable tool. */
  #groupNames(findable: ToolSet | undefined): readonly string[] {
    const names = new Set<string>();
    for (const [index, { group }] of this.#grouped) {
      if (names.size === MAX_NAMED_GROUPS) break;
      if (!names.has(group) && (findable?.has(index) ?? true)) names.add(group);
    }
    return [...names];
  }

  #at(index: number): CatalogTool {
    return this.#tools[index] as CatalogTool;
  }
}

/** Finds equal tools: the same name within different groups, description, title and schemas, called in the same way. */
function copiesIn(tools: readonly CatalogTool[]): CopyGroups {
  const firsts = new Map<string, { readonly first: number; count: number }>();
  let most = 1;
  const of = tools.map(({ ownName, group, title, description, inputSchema, outputSchema, callWith }, index) => {
    if (group === "") return index;
    const key = JSON.stringify([ownName, title, description, inputSchema, outputSchema, callWith]);
    const known = firsts.get(key);
    if (known === undefined) firsts.set(key, { first: index, count: 1 });
    else most = Math.max(most, ++known.count);
    return known?.first ?? index;
  });
  return { of, most };
}

function hintFor(group: string | undefined, names: readonly string[]): string {
  const groups = names.length === 0 ? "" : ` Groups: ${names.join(", ")}.`;
  const advice = group === undefined
    ? "Try other words for the action and the object, such as a synonym, in English."
    : "Try it without the group.";
  return `No tool has these words, so this server may have no such tool. ${advice}${groups}`;
}

/** Returns the number of tools of each group, in the order of the list. Tools without a group are left out. */
export function countGroups(tools: readonly Pick<CatalogTool, "group">[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { group } of tools) if (group !== "") counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

function describe(tool: CatalogTool, detail: "signature" | "schema"): FoundTool {
  const { name, group, description, inputSchema, outputSchema, callWith } = tool;
  const head = { name, ...callWith !== undefined && { callWith }, ...group !== "" && { group } };
  if (detail === "schema") {
    return { ...head, description, inputSchema, ...outputSchema !== undefined && { outputSchema } };
  }
  return { ...head, description: firstSentence(description), signature: signatureOf(inputSchema, outputSchema) };
}

function firstSentence(text: string): string {
  const [sentence = ""] = /^[\s\S]*?(?:[.!?](?=\s|$)|\n\s*\n|$)/.exec(text.trim()) ?? [];
  const line = sentence.replace(/\s+/g, " ").trim();
  return line.length > MAX_SENTENCE ? `${line.slice(0, MAX_SENTENCE - 1)}…` : line;
}

function toSearchable({ name, ownName, group, title = "", description, inputSchema }: CatalogTool): SearchableTool {
  const parameters: string[] = [];
  const descriptions: string[] = [];
  collectParameters(inputSchema, 0, parameters, descriptions);
  return {
    name,
    ownName,
    group,
    description: `${title} ${description}`,
    parameters: parameters.join(" "),
    parameterDescriptions: descriptions.join(" "),
  };
}

function collectParameters(
  schema: Readonly<Record<string, unknown>>,
  depth: number,
  names: string[],
  descriptions: string[],
): void {
  if (depth > MAX_SCHEMA_DEPTH) return;
  for (const [part, property] of subschemasOf(schema)) {
    if (property !== undefined) names.push(property);
    if (typeof part["description"] === "string") descriptions.push(part["description"]);
    collectParameters(part, depth + 1, names, descriptions);
  }
}
