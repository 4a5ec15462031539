/** Chooses the tools that are called: those that are named, and otherwise those that only read. */
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import type { CallReply, ChosenTool } from "./binding.ts";
import { lacks } from "./check.ts";
import type { ConformanceOptions, ToolRole } from "./options.ts";
import { sampleArguments } from "./sample_arguments.ts";

/** Number of tools that are tried, when a tool of a kind is looked for. */
const MAX_TRIED = 8;

/** A tool of the server, reduced to what decides whether checks may call it. */
export interface CandidateTool {
  readonly name: string;
  readonly inputSchema: Members;
  readonly annotations: Members;
  readonly isSystem: boolean;
}

/** Reads the members of a definition that decide about calls. `undefined` if it has no name. */
export function toCandidateTool(tool: Members, schemaMember: string): CandidateTool | undefined {
  const { name, annotations, "@type": type, [schemaMember]: schema } = tool;
  if (typeof name !== "string" || name === "") return undefined;
  return { name, inputSchema: asObject(schema), annotations: asObject(annotations), isSystem: type === "system" };
}

/** A tool that was called, its arguments, and the reply. */
export interface TriedTool {
  readonly chosen: ChosenTool;
  readonly reply: CallReply;
}

/** Chooses the tools of one server that checks call, and calls them. The calls for a role are made once; their replies are kept. */
export class ToolChoice {
  readonly #options: ConformanceOptions;
  readonly #list: () => Promise<readonly CandidateTool[]>;
  readonly #call: (tool: ChosenTool) => Promise<CallReply>;
  #tried: Promise<readonly TriedTool[]> | undefined;
  readonly #named = new Map<ToolRole, Promise<TriedTool>>();

  constructor(
    options: ConformanceOptions,
    list: () => Promise<readonly CandidateTool[]>,
    call: (tool: ChosenTool) => Promise<CallReply>,
  ) {
    this.#options = options;
    this.#list = list;
    this.#call = call;
  }

  /** Returns a tool that is named for a role, without a call. `undefined` if no tool is named. */
  async named(role: ToolRole): Promise<ChosenTool | undefined> {
    const option = this.#options[role];
    if (option === undefined) return undefined;
    const { name, arguments: args = undefined } = typeof option === "string" ? { name: option } : option;
    const listed = (await this.#list()).find((tool) => tool.name === name);
    const made = args ?? sampleArguments(listed?.inputSchema ?? {});
    return made === undefined
      ? lacks(`No arguments can be made of the schema of ${name}: give them with its name`)
      : { name, args: made };
  }

  /** Calls the tool of a role: the named one, whatever its reply, or the first of {@link tried} whose reply fits. */
  async called(role: ToolRole, fits: (reply: CallReply) => boolean, what: string): Promise<TriedTool> {
    const named = await this.named(role);
    if (named !== undefined) {
      const called = this.#named.get(role) ?? this.#call(named).then((reply) => ({ chosen: named, reply }));
      this.#named.set(role, called);
      return await called;
    }
    const found = (await this.tried()).find(({ reply }) => fits(reply));
    return found ?? lacks(`No tool that only reads ${what}; name one: ${role}`);
  }

  /** Calls the first 8 of the tools that may be called, with arguments made of their schemas. */
  tried(): Promise<readonly TriedTool[]> {
    return (this.#tried ??= this.#tryAll());
  }

  async #tryAll(): Promise<readonly TriedTool[]> {
    const called: TriedTool[] = [];
    for (const tool of await this.callable()) {
      const args = sampleArguments(tool.inputSchema);
      if (args === undefined || called.length >= MAX_TRIED) continue;
      const chosen = { name: tool.name, args };
      called.push({ chosen, reply: await this.#call(chosen) });
    }
    return called;
  }

  /** The tools that may be called, those first that only read. */
  async callable(): Promise<readonly CandidateTool[]> {
    const { allowWrites = false, ...options } = this.#options;
    const roles = Object.values(options).map((option) => (isJsonObject(option) ? option["name"] : option));
    const tools = (await this.#list()).filter(({ isSystem }) => !isSystem);
    const [read, write] = [true, false].map((wanted) =>
      tools.filter(({ annotations }) => (annotations["readOnlyHint"] === true) === wanted)
    ) as [CandidateTool[], CandidateTool[]];
    // A tool that is named for another role may hang or break.
    return [...read, ...(allowWrites ? write : [])].filter(({ name }) => !roles.includes(name));
  }
}
