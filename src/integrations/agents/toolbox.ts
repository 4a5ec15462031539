/** The tools of a source, as a model gets them. */
import { isSystemTool, type ListedTool } from "../../core/call/transport.ts";
import { isForModels } from "../../core/call/views.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { CALL_DESTRUCTIVE_TOOL, CALL_TOOL, SEARCH_TOOLS } from "../../inspection/tool_search/search_form.ts";
import { nestsDeeperThan } from "../../internal/json.ts";
import { closestMatch } from "../../internal/closest_match.ts";
import { describeUnknown, shorten } from "../../internal/text.ts";
import { checkOptions } from "../../internal/options.ts";
import { type AgentCallOptions, type AgentTool, explained, ServerTool, type ToolCallResult } from "./agent_tool.ts";
import type { CheckApproval } from "./approval.ts";
import { takesMedia } from "./answer_content.ts";
import { selectDeferred } from "./deferral.ts";
import { AGENT_RULES, type AgentOptions, type AgentSource, groupsOf, methodsOf } from "./options.ts";
import { mapNames, toNamedParameters } from "./parameters.ts";
import { CallTool, SearchTool, ToolFinder } from "./search_tool.ts";

/** How an adapter gets its tools. */
interface ToolboxForm {
  /** Converts input schemas. Default: to the form that models of any vendor take. */
  readonly toParameters?: typeof toNamedParameters;
  /** Matches names that the framework takes, of at most 64 characters. Default: all of `A-Za-z0-9_-`. */
  readonly names?: RegExp;
  /** Whether the vendor or framework loads tools that were found. Otherwise the model calls them with `call_tool`. */
  readonly loadsFound?: boolean;
  /** Media types of files that the vendor takes in answers. Default: none. */
  readonly media?: readonly string[];
  /** Checks calls of tools. Default: the framework asks for approvals. */
  readonly approval?: CheckApproval | undefined;
  /** Deferred tools that a separate tool calls, because the framework asks for approvals by name. Default: none. */
  readonly isApart?: (tool: ListedTool) => boolean;
  /** Tools that are called by their names alone. Default: none. */
  readonly isByName?: (tool: ListedTool) => boolean;
}

/** The tools of one source for a model: those that it gets at once, those that it searches for, their names on the server, and their calls. */
export class Toolbox {
  /** Tools that a model gets at once, in the order of the server's list, then those that search and call. */
  readonly tools: readonly AgentTool[];
  /** Tools that it searches for. */
  readonly deferred: readonly AgentTool[];
  /** The tool that searches; `undefined` if no tool is deferred. */
  readonly search: SearchTool | undefined;
  /** The tools' names on their server, by the names that the model knows. Those that search and call have one name. */
  readonly names: ReadonlyMap<string, string>;
  readonly #byName: ReadonlyMap<string, AgentTool>;

  constructor(
    all: readonly ServerTool[],
    deferred: ReadonlySet<string>,
    loadsFound: boolean,
    isApart: (tool: ListedTool) => boolean,
  ) {
    const isDeferred = ({ listing }: AgentTool) => deferred.has(listing.name);
    this.deferred = all.filter(isDeferred);
    const taken = new Set(all.map(({ name }) => name));
    const added = this.deferred.length === 0
      ? []
      : this.#searching(taken, loadsFound, ({ listing }) => isApart(listing));
    this.names = new Map([...all, ...added].map(({ name, listing }) => [name, listing.name]));
    this.search = added.find((tool) => tool instanceof SearchTool);
    this.tools = [...all.filter((tool) => !isDeferred(tool)), ...added];
    this.#byName = new Map([...all, ...added].map((tool) => [tool.name, tool]));
  }

  /** Returns the tool that the model knows by a name. */
  find(name: string): AgentTool | undefined {
    return this.#byName.get(name);
  }

  /** Calls a tool by the name that the model knows. Models may invent names. */
  call(name: string, given: unknown, options: AgentCallOptions): Promise<ToolCallResult> {
    const tool = this.find(name);
    if (tool !== undefined) return tool.call(given, options);
    const details = describeUnknown(
      "tool",
      name,
      this.tools.map((one) => one.name),
      (word) => closestMatch(word, this.#byName.keys()),
    );
    const message = `There is no tool ${shorten(name, MAX_LENGTH)}`;
    return Promise.resolve(explained(new ToolError("tool_not_found", message, { details })));
  }

  #searching(
    taken: ReadonlySet<string>,
    loadsFound: boolean,
    isApart: (tool: AgentTool) => boolean,
  ): readonly AgentTool[] {
    const searchTools = freeName(SEARCH_TOOLS, taken);
    if (loadsFound) return [new SearchTool(searchTools, new ToolFinder(this.deferred), undefined)];
    const callTool = freeName(CALL_TOOL, taken);
    const callApart = freeName(CALL_DESTRUCTIVE_TOOL, taken);
    const finder = new ToolFinder(this.deferred, (tool) => isApart(tool) ? callApart : undefined);
    const hasApart = this.deferred.some(isApart);
    const isPlain = (tool: AgentTool) => !isApart(tool);
    return [
      new SearchTool(searchTools, finder, callTool),
      new CallTool(callTool, finder, searchTools, { isApart: false, isOwn: isPlain, other: callApart }),
      ...(hasApart
        ? [new CallTool(callApart, finder, searchTools, { isApart: true, isOwn: isApart, other: callTool })]
        : []),
    ];
  }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
  return name;
}

/**
 * Lists the tools of a server, client or transport, and makes a toolbox of those that `select` keeps. System tools are in it if `promises`
 * is `"shown"`.
 *
 * @throws {ToolError} If they cannot be listed.
 */
export async function openToolbox(
  source: AgentSource,
  options: AgentOptions,
  {
    toParameters = toNamedParameters,
    names: allowed = TOOL_NAME,
    loadsFound = false,
    media = [],
    approval,
    isApart = () => false,
    isByName = () => false,
  }: ToolboxForm = {},
): Promise<Toolbox> {
  checkOptions("give tools to a model", options, AGENT_RULES);
  const methods = methodsOf(source);
  const { select = () => true, promises } = options;
  const offered = (await methods.list()).filter((tool) =>
    isSystemTool(tool) ? promises === "shown" : isForModels(tool) && select(tool)
  );
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const names = mapNames([...byName.keys()], allowed);
  const { group = groupsOf(source) } = options;
  const takes = takesMedia(options.media ?? media);
  const toServerTool = ([tool, listing]: readonly [string, ListedTool]) => {
    const parameters = toParameters(listing.inputSchema);
    return new ServerTool(
      names.get(tool) ?? tool,
      listing,
      parameters,
      group(listing) ?? "",
      methods,
      options,
      takes,
      approval,
    );
  };
  const searchable = [...byName.values()].filter((tool) => !isSystemTool(tool));
  const deferred = selectDeferred(source, searchable, options, isByName);
  return new Toolbox([...byName].map(toServerTool), deferred, loadsFound, isApart);
}

/** Nesting limit of arguments, as servers have it by default. */
const MAX_DEPTH = 512;

/** Parses arguments as a model writes them, in JSON; `undefined` if they are invalid or nested too deeply. Some models write nothing for `{}`. */
export function readArguments(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  if (text.trim() === "") return {};
  if (nestsDeeperThan(text, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Longest name in the text of an error, in characters. */
const MAX_LENGTH = 64;

/** Names that every framework takes. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
