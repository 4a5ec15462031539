/** Proposals for the last word of a command line: commands, flags and their values, hosts, targets, tools and their arguments. */
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import type { CliCommand } from "../command.ts";
import type { CommandEntry } from "../commands.ts";
import type { CliContext } from "../context.ts";
import { SHELLS } from "./scripts.ts";
import { openTarget } from "../targets/open.ts";
import { parseTarget } from "../targets/target.ts";
import { HOSTS } from "../hosts/table.ts";
import { readHostServers, systemOf } from "../hosts/read_servers.ts";

/** A word that a shell may put in place of the last one, with its description. */
export interface Proposal {
  readonly value: string;
  /** Description of the word, on one line. */
  readonly about?: string | undefined;
}

/** Kind of the argument at a position: it decides which words are proposed. */
type Argument = "target" | "tool" | "arguments" | "host" | "shell" | "file";

/** Arguments by command; the last one is repeated. Those of other commands are files. */
const ARGUMENTS: Readonly<Record<string, readonly Argument[]>> = {
  list: ["target", "file"],
  call: ["target", "tool", "arguments"],
  bench: ["target", "tool", "arguments"],
  redeem: ["target", "file"],
  watch: ["target", "file"],
  cancel: ["target", "file"],
  read: ["target", "file"],
  prompt: ["target", "file"],
  complete: ["target", "file"],
  types: ["target", "file"],
  proto: ["target", "file"],
  record: ["target", "file"],
  install: ["host", "target", "file"],
  completions: ["shell", "file"],
};

/** Words that every shell takes as they are. Names of servers are foreign: others could become commands. */
const PLAIN = /^[\w./:@#=+,%-]+$/;

/** Time to list the tools of a target, in milliseconds. */
const LIST_TIMEOUT_MS = 2_000;

/**
 * Proposes words that begin with the last one. For tools a module is loaded or a URL is called, for at most two seconds.
 * An empty result leaves the word to the shell, which proposes files.
 *
 * @param words Words after the program's name. The last one is incomplete, or empty for a new word.
 */
export async function proposeWords(
  words: readonly string[],
  commands: ReadonlyMap<string, CommandEntry>,
  context: CliContext,
): Promise<readonly Proposal[]> {
  const partial = words.at(-1) ?? "";
  const proposals = words.length <= 1 ? commandNames(commands) : await proposeArguments(words, commands, context);
  return proposals.filter(({ value }) => value.startsWith(partial) && PLAIN.test(value));
}

function commandNames(commands: ReadonlyMap<string, CommandEntry>): Proposal[] {
  const visible = [...commands].filter(([, { isHidden }]) => isHidden !== true);
  return [...visible.map(([value, { about }]) => ({ value, about })), {
    value: "help",
    about: "Show the help of a command",
  }];
}

async function proposeArguments(
  [name = "", ...rest]: readonly string[],
  commands: ReadonlyMap<string, CommandEntry>,
  context: CliContext,
): Promise<readonly Proposal[]> {
  if (name === "help") return rest.length === 1 ? commandNames(commands) : [];
  const before = rest.slice(0, -1);
  const entry = commands.get(name);
  // What follows is another program.
  if (entry === undefined || before.includes("--")) return [];
  const command = await entry.load();
  const values = command.flagValues[before.at(-1) ?? ""];
  if (values !== undefined) return values.map((value) => ({ value }));
  if (rest.at(-1)?.startsWith("-")) return [...command.flags, "--help"].map((value) => ({ value }));
  return await proposeArgument(name, positionalsOf(before, command), rest.at(-1) ?? "", context);
}

/** The words that are neither flags nor values of flags. */
function positionalsOf(words: readonly string[], { flagValues }: CliCommand): readonly string[] {
  return words.filter((word, at) => !word.startsWith("-") && !Object.hasOwn(flagValues, words[at - 1] ?? ""));
}

async function proposeArgument(
  command: string,
  positionals: readonly string[],
  partial: string,
  context: CliContext,
): Promise<readonly Proposal[]> {
  const kinds = ARGUMENTS[command] ?? [];
  const kind = kinds[Math.min(positionals.length, kinds.length - 1)];
  const [target = "", tool = ""] = positionals;
  switch (kind) {
    case "host": {
      return HOSTS.map(({ id, title }) => ({ value: id, about: title }));
    }
    case "shell":
      return SHELLS.map((value) => ({ value }));
    case "target":
      return proposeTargets(partial, context);
    case "tool":
      return (await listTools(target, context)).map(({ name, description }) => ({ value: name, about: description }));
    case "arguments":
      return argumentsOf((await listTools(target, context)).find(({ name }) => name === tool));
    default:
      return [];
  }
}

const MODULE = /\.[cm]?[jt]sx?$/;

/** Servers of hosts, and modules in the folder that the word names. */
function proposeTargets(partial: string, { host }: CliContext): readonly Proposal[] {
  const { servers } = readHostServers(systemOf(host));
  const folder = partial.slice(0, partial.lastIndexOf("/") + 1);
  const files = readFolder(resolve(host.cwd, folder)).flatMap((entry) => {
    if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return [{ value: `${folder}${entry.name}/` }];
    return MODULE.test(entry.name) ? [{ value: `${folder}${entry.name}` }] : [];
  });
  return [...files, ...servers.map(({ host, name, file }) => ({ value: `${host}:${name}`, about: file }))];
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Tools of a module or a URL. No program is started for a proposal. */
async function listTools(text: string, context: CliContext): Promise<readonly ListedTool[]> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    const target = parseTarget(text, context.host.cwd);
    if (target.kind !== "module" && target.kind !== "url") return [];
    const connection = await openTarget(target, { timeout: LIST_TIMEOUT_MS }, context, { signal });
    try {
      return await connection.tools();
    } finally {
      await connection.close();
    }
  } catch {
    return [];
  }
}

/** `name=` for each argument of a tool. */
function argumentsOf(tool: ListedTool | undefined): readonly Proposal[] {
  const properties = tool?.inputSchema?.["properties"];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    value: `${name}=`,
    about: isJsonObject(schema) && typeof schema["description"] === "string" ? schema["description"] : undefined,
  }));
}
