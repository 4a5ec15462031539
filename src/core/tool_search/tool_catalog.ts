/**
 * Search over a list of tools: finds those that a caller may use, and describes them.
 *
 * @module
 */
import { signatureOf } from "../json_schema/signature.ts";
import { subschemasOf } from "../json_schema/subschemas.ts";
import { type SearchableTool, SearchIndex } from "./search_index.ts";

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
  /** Number of tools that have a word of the query, in the 8 groups of the best ones, if the server has groups. */
  readonly groups?: Readonly<Record<string, number>>;
  /** Advice, if nothing was found. */
  readonly hint?: string;
}

/** Number of tools that a search describes, unless a caller asks for another number. */
export const DEFAULT_LIMIT = 5;
const MAX_SENTENCE = 160;
const MAX_SCHEMA_DEPTH = 6;
const MAX_NAMED_GROUPS = 30;
const MAX_FACETS = 8;
/** Length of a name of which the nearest are searched, and number of the names that are suggested. */
const MAX_NAME = 64;
const MAX_NEAREST = 3;

/** Search over an unchanging list of tools: ranks those that match a query, and describes them. */
export class ToolCatalog {
  readonly #tools: readonly CatalogTool[];
  readonly #hasGroups: boolean;
  #index: SearchIndex | undefined = undefined;

  /** @param hasGroups Whether results have the numbers of tools by group. */
  constructor(tools: readonly CatalogTool[], hasGroups: boolean) {
    this.#tools = tools;
    this.#hasGroups = hasGroups;
  }

  /**
   * Ranks the tools that have a word of the query.
   *
   * @param isFindable Whether a tool, by its position, may be found.
   * @returns Positions of the found tools, best first, and the words that none of them has.
   */
  rank(
    { query, group }: Pick<SearchInput, "query" | "group">,
    isFindable: (index: number) => boolean,
  ): { readonly found: readonly number[]; readonly unmatched: readonly string[] } {
    // Created at the first search: most processes of a short life never search.
    this.#index ??= new SearchIndex(this.#tools.map(toSearchable));
    return this.#index.search(
      query,
      (index) => (group === undefined || this.#at(index).group === group) && isFindable(index),
    );
  }

  /** Describes the best tools for a query, up to its limit, with the number of all that match. Gives a hint if there is no match. */
  find(input: SearchInput, isFindable: (index: number) => boolean): SearchOutput {
    const { group, detail = "signature", limit = DEFAULT_LIMIT } = input;
    const { found: indexes, unmatched } = this.rank(input, isFindable);
    const found = indexes.map((index) => this.#at(index));
    return {
      tools: found.slice(0, limit).map((tool) => describe(tool, detail)),
      total: found.length,
      unmatched,
      ...this.#hasGroups && { groups: Object.fromEntries([...countGroups(found)].slice(0, MAX_FACETS)) },
      ...found.length === 0 && { hint: this.#hintFor(group, isFindable) },
    };
  }

  /** Returns the names of the tools that have the most words of a name that does not exist, best first. */
  nearest(name: string, isFindable: (index: number) => boolean): readonly string[] {
    const query = name.slice(0, MAX_NAME).replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[^A-Za-z0-9]+/g, " ");
    return this.rank({ query }, isFindable).found.slice(0, MAX_NEAREST).map((index) => this.#at(index).name);
  }

  #at(index: number): CatalogTool {
    return this.#tools[index] as CatalogTool;
  }

  #hintFor(group: string | undefined, isFindable: (index: number) => boolean): string {
    const names = [...countGroups(this.#tools.filter((_, index) => isFindable(index))).keys()];
    const groups = names.length === 0 ? "" : ` Groups: ${names.slice(0, MAX_NAMED_GROUPS).join(", ")}.`;
    const advice = group === undefined
      ? "Try other words for the action and the object, such as a synonym, in English."
      : "Try it without the group.";
    return `No tool has these words, so this server may have no such tool. ${advice}${groups}`;
  }
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
