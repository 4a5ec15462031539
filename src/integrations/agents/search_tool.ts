/** The two tools that a model gets in place of deferred tools: one searches, one calls what was found. */
import type { ListedTool } from "../../core/call/transport.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import {
  adviseUnknown,
  callSchema,
  describeCall,
  describeDestructiveCall,
  describeSearch,
  SEARCH_ANNOTATIONS,
  searchSchema,
} from "../../inspection/tool_search/search_form.ts";
import {
  countGroups,
  DEFAULT_LIMIT,
  type SearchInput,
  type SearchOutput,
  ToolCatalog,
} from "../../inspection/tool_search/tool_catalog.ts";
import { isJsonObject } from "../../internal/json.ts";
import { checkOptions, oneOf, type OptionRules, required, rule, TEXT } from "../../internal/options.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import { describeUnknown } from "../../internal/text.ts";
import { type AgentCallOptions, AgentTool, answered, explained, type ToolCallResult } from "./agent_tool.ts";
import { toParameters } from "./parameters.ts";

/** Finds deferred tools: those that a model does not get at once, because there are many. */
export class ToolFinder {
  /** The deferred tools, in the order of the server's list. */
  readonly tools: readonly AgentTool[];
  /** Number of tools by group. */
  readonly groups: ReadonlyMap<string, number>;
  readonly #catalog: ToolCatalog;

  /** @param callWith Returns the name of the tool that calls a tool, if it is not `call_tool`. */
  constructor(tools: readonly AgentTool[], callWith: (tool: AgentTool) => string | undefined = () => undefined) {
    this.tools = tools;
    this.groups = countGroups(tools);
    this.#catalog = new ToolCatalog(
      tools.map((tool) => {
        const { name, group, description = "", listing, parameters } = tool;
        const caller = callWith(tool);
        return {
          name,
          ownName: nameInGroup(name, group),
          ...(caller !== undefined && { callWith: caller }),
          group,
          title: wordsOf(listing),
          description,
          inputSchema: parameters.schema,
          outputSchema: listing.outputSchema,
        };
      }),
      this.groups.size > 0,
    );
  }

  /** Returns the tools that a model searches for, best first. */
  find(input: SearchInput): readonly AgentTool[] {
    const { found } = this.#catalog.rank(input, input.limit ?? DEFAULT_LIMIT);
    return found.map((index) => this.tools[index] as AgentTool);
  }

  /** Returns the names of the tools that have the most words of a name that does not exist. */
  nearest(name: string): readonly string[] {
    return this.#catalog.nearest(name);
  }

  /** Returns descriptions of the tools that a model searches for. */
  describe(input: SearchInput): SearchOutput {
    return this.#catalog.find(input);
  }
}

/** Words of a tool besides its description: its title, and those that its server adds for searches. */
function wordsOf({ title, _meta: meta }: ListedTool): string {
  const hint = isJsonObject(meta) ? meta["anthropic/searchHint"] : undefined;
  return [title, hint].filter((text) => typeof text === "string").join(" ");
}

/** Name of a tool without the prefix of its group; the whole name if it has no such prefix. */
export function nameInGroup(name: string, group: string): string {
  const toKey = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, "_");
  return group !== "" && toKey(name).startsWith(`${toKey(group)}_`) ? name.slice(group.length + 1) : name;
}

/** The rules of the schema of a search. A check of the schema itself would be most of the code of an adapter. */
const SEARCH_RULES: OptionRules<SearchInput> = {
  query: required(TEXT),
  group: TEXT,
  detail: oneOf("signature", "schema"),
  limit: rule(
    "a whole number from 1 to 20",
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 20,
  ),
};

/** Rules of the arguments where the vendor or framework loads the tools that were found: models do not choose the detail. */
const LOADED_RULES: OptionRules<SearchInput> = { ...SEARCH_RULES, detail: rule("left out", () => false) };

/** What a model does with a found tool, in the description of the tool that searches. */
const CALL_DIRECTLY = "Call a found tool by its name.";

/** The tool `search_tools` for a model: searches for deferred tools in this process, without a call of the server. */
export class SearchTool extends AgentTool {
  /** The search. */
  readonly finder: ToolFinder;
  readonly #rules: OptionRules<SearchInput>;

  /** @param callTool Name of the tool that calls found tools; `undefined` if the framework loads them. */
  constructor(name: string, finder: ToolFinder, callTool: string | undefined) {
    const inputSchema = searchSchema(callTool !== undefined);
    const next = callTool === undefined ? CALL_DIRECTLY : `Call a found tool with ${callTool}.`;
    const description = describeSearch(finder.groups, next);
    super(name, { name, description, inputSchema, annotations: SEARCH_ANNOTATIONS }, toParameters(inputSchema));
    this.finder = finder;
    this.#rules = callTool === undefined ? LOADED_RULES : SEARCH_RULES;
  }

  /** Reads the arguments of a model: a search, or the error that explains what is wrong. */
  read(given: unknown): SearchInput | ToolError {
    if (!isJsonObject(given)) return new ToolError("invalid_input", "The arguments are not a JSON object");
    try {
      checkOptions("search for tools", given, this.#rules);
    } catch (thrown) {
      return new ToolError("invalid_input", (thrown as Error).message);
    }
    return given as unknown as SearchInput;
  }

  /** Finds the tools of a search; none if the model's arguments are not a search. */
  findTools(given: unknown): readonly AgentTool[] {
    const input = this.read(given);
    return input instanceof ToolError ? [] : this.finder.find(input);
  }

  override async *stream(given: unknown): AsyncGenerator<unknown, ToolCallResult, undefined> {
    const input = this.read(given);
    // A search has no pieces.
    yield* [];
    return input instanceof ToolError ? explained(input) : answered(this.finder.describe(input));
  }
}

/** Which tools a {@link CallTool} calls. */
interface CallForm {
  /** Whether it calls those that need an approval by name. */
  readonly isApart: boolean;
  /** Whether it calls a tool. */
  readonly isOwn: (tool: AgentTool) => boolean;
  /** Name of the tool that calls the others. */
  readonly other: string;
}

/**
 * The tool `call_tool` for a model: calls a deferred tool by `name` with `arguments`, where a framework cannot load found tools. Where the
 * framework asks for approvals by name, there is a second one for the tools that need them.
 */
export class CallTool extends AgentTool {
  /** Whether it calls the tools that need an approval by name. */
  readonly isApart: boolean;
  readonly #byName: ReadonlyMap<string, AgentTool>;
  readonly #searchTools: string;
  readonly #finder: ToolFinder;
  readonly #other: string;
  readonly #isOwn: (tool: AgentTool) => boolean;

  constructor(
    name: string,
    finder: ToolFinder,
    searchTools: string,
    { isApart, isOwn, other }: CallForm,
  ) {
    const inputSchema = callSchema(searchTools);
    const description = isApart ? describeDestructiveCall(searchTools) : describeCall(searchTools);
    const annotations = isApart ? { annotations: { destructiveHint: true } } : {};
    super(name, { name, description, inputSchema, ...annotations }, toParameters(inputSchema));
    this.#byName = new Map(finder.tools.map((tool) => [tool.name, tool]));
    this.#searchTools = searchTools;
    this.#finder = finder;
    this.isApart = isApart;
    this.#isOwn = isOwn;
    this.#other = other;
  }

  override targetOf(given: unknown): ListedTool {
    const target = this.#find(given);
    return target instanceof AgentTool ? target.listing : this.listing;
  }

  override async *stream(
    given: unknown,
    options?: AgentCallOptions,
  ): AsyncGenerator<unknown, ToolCallResult, undefined> {
    const target = this.#find(given);
    if (!(target instanceof AgentTool)) return explained(target);
    return yield* target.stream(argumentsIn(given), options);
  }

  #find(given: unknown): AgentTool | ToolError {
    const { name, arguments: _, ...unknown } = isJsonObject(given) ? given : {};
    if (typeof name !== "string") return new ToolError("invalid_input", `${this.name} needs the name of a tool`);
    const [other] = Object.keys(unknown);
    if (other !== undefined) {
      return new ToolError(
        "invalid_input",
        `${this.name} takes name and arguments: pass ${JSON.stringify(other)} in "arguments"`,
      );
    }
    const tool = this.#byName.get(name);
    if (tool === undefined) return this.#unknown(name);
    return this.#isOwn(tool) ? tool : new ToolError("invalid_request", `Call "${name}" with ${this.#other}`);
  }

  #unknown(name: string): ToolError {
    const close = closestMatch(name, this.#byName.keys());
    const suggestion = adviseUnknown(close, this.#finder.nearest(name), this.#searchTools);
    const details = { ...describeUnknown("tool", name, [this.#searchTools], () => undefined), suggestion };
    return new ToolError("tool_not_found", "Tool not found", { details });
  }
}

function argumentsIn(given: unknown): unknown {
  return (isJsonObject(given) ? given["arguments"] : undefined) ?? {};
}
