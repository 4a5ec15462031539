import type { Principal } from "../../core/call/call.ts";
import { signatureOf } from "../../core/json_schema/signature.ts";
import { subschemasOf } from "../../core/json_schema/subschemas.ts";
import { authorizationError, isVisibleTo } from "../../core/tool/access.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { listTool } from "../../core/tool/listing.ts";
import type { JsonSchema } from "../../core/schema/standard_schema.ts";
import { type SearchableTool, SearchIndex } from "./search_index.ts";

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

/** A found tool. */
export interface FoundTool {
  /** Name for `call_tool`. */
  readonly name: string;
  /** Group that it belongs to. */
  readonly group?: string;
  /** Description; its first sentence in signatures. */
  readonly description: string;
  /** Parameters and output in the notation of TypeScript. */
  readonly signature?: string;
  /** JSON Schema of the arguments, with `detail: "schema"`. */
  readonly inputSchema?: JsonSchema;
  /** JSON Schema of the output, with `detail: "schema"`. */
  readonly outputSchema?: JsonSchema;
}

/** Answer of `search_tools`. */
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

const DEFAULT_LIMIT = 5;
const MAX_SENTENCE = 160;
const MAX_SCHEMA_DEPTH = 6;
const MAX_NAMED_GROUPS = 30;
const MAX_FACETS = 8;

/** Search over the tools of a server, as each caller may see them. */
export class ToolSearch {
  /** Number of tools of each group that every caller may see, in the order of the list. */
  readonly groups: ReadonlyMap<string, number>;
  readonly #definitions: readonly ToolDefinition[];
  readonly #byName: ReadonlyMap<string, ToolDefinition>;
  #index: SearchIndex | undefined;

  constructor(definitions: readonly ToolDefinition[]) {
    this.#definitions = definitions;
    this.#byName = new Map(definitions.map((definition) => [definition.name, definition]));
    this.groups = countGroups(definitions.filter(({ isVisible }) => isVisible === undefined));
  }

  /** Whether a search of this caller can find the tool of that name. */
  isFindable(name: string, principal: Principal | undefined): boolean {
    const definition = this.#byName.get(name);
    return definition !== undefined && mayCall(definition, principal);
  }

  /** Names of the tools that a search of this caller can find. */
  namesFor(principal: Principal | undefined): readonly string[] {
    return this.#definitions.filter((definition) => mayCall(definition, principal)).map(({ name }) => name);
  }

  /** Searches for tools that the caller may call. */
  find(
    { query, group, detail = "signature", limit = DEFAULT_LIMIT }: SearchInput,
    principal?: Principal,
  ): SearchOutput {
    // Created at the first search: most processes of a short life never search.
    this.#index ??= new SearchIndex(this.#definitions.map(toSearchable));
    const definitionAt = (index: number) => this.#definitions[index] as ToolDefinition;
    // Predicates of visibility are the application's.
    const checked = new Map<number, boolean>();
    const isFindable = (index: number): boolean => {
      const definition = definitionAt(index);
      if (group !== undefined && groupOf(definition) !== group) return false;
      let may = checked.get(index);
      if (may === undefined) checked.set(index, may = mayCall(definition, principal));
      return may;
    };
    const { found: indexes, unmatched } = this.#index.search(query, isFindable);
    const found = indexes.map(definitionAt);
    return {
      tools: found.slice(0, limit).map((definition) => describe(definition, detail)),
      total: found.length,
      unmatched,
      ...this.groups.size > 0 && { groups: Object.fromEntries([...countGroups(found)].slice(0, MAX_FACETS)) },
      ...found.length === 0 && { hint: this.#hintFor(group, principal) },
    };
  }

  #hintFor(group: string | undefined, principal: Principal | undefined): string {
    const names = [...new Set(this.#definitions.filter((tool) => mayCall(tool, principal)).map(groupOf))].filter(
      Boolean,
    );
    const groups = names.length === 0 ? "" : ` Groups: ${names.slice(0, MAX_NAMED_GROUPS).join(", ")}.`;
    const advice = group === undefined
      ? "Try other words for the action and the object, such as a synonym, in English."
      : "Try it without the group.";
    return `No tool has these words, so this server may have no such tool. ${advice}${groups}`;
  }
}

function mayCall(definition: ToolDefinition, principal: Principal | undefined): boolean {
  return isVisibleTo(definition, principal) && authorizationError(definition, principal) === undefined;
}

/** Group of a tool: the prefixes of the parts that it is in. */
function groupOf({ part }: ToolDefinition): string {
  return part?.path.join("/") ?? "";
}

function countGroups(definitions: readonly ToolDefinition[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const group of definitions.map(groupOf)) if (group !== "") counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

function describe(definition: ToolDefinition, detail: "signature" | "schema"): FoundTool {
  const { name, inputSchema, output } = definition;
  const group = groupOf(definition);
  const head = { name, ...group !== "" && { group } };
  if (detail === "schema") {
    const { description, outputSchema } = listTool(definition);
    return { ...head, description, inputSchema, ...outputSchema !== undefined && { outputSchema } };
  }
  const signature = signatureOf(inputSchema, output?.jsonSchema);
  return { ...head, description: firstSentence(definition.description), signature };
}

function firstSentence(text: string): string {
  const [sentence = ""] = /^[\s\S]*?(?:[.!?](?=\s|$)|\n\s*\n|$)/.exec(text.trim()) ?? [];
  const line = sentence.replace(/\s+/g, " ").trim();
  return line.length > MAX_SENTENCE ? `${line.slice(0, MAX_SENTENCE - 1)}…` : line;
}

function toSearchable(definition: ToolDefinition): SearchableTool {
  const { name, part, title = "", description, inputSchema } = definition;
  const parameters: string[] = [];
  const descriptions: string[] = [];
  collectParameters(inputSchema, 0, parameters, descriptions);
  return {
    name,
    ownName: part?.ownNames[0] ?? name,
    group: groupOf(definition),
    description: `${title} ${description}`,
    parameters: parameters.join(" "),
    parameterDescriptions: descriptions.join(" "),
  };
}

function collectParameters(schema: JsonSchema, depth: number, names: string[], descriptions: string[]): void {
  if (depth > MAX_SCHEMA_DEPTH) return;
  for (const [part, property] of subschemasOf(schema)) {
    if (property !== undefined) names.push(property);
    if (typeof part["description"] === "string") descriptions.push(part["description"]);
    collectParameters(part, depth + 1, names, descriptions);
  }
}
