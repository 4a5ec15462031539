/** `toolwire install <host> <target>`: adds a server to the configuration of an agent or editor. */
import { closestMatch } from "../../../src/internal/closest_match.ts";
import { escapeControls } from "../../../src/internal/text.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { updateFile } from "../files/write_file.ts";
import { type ConfigChange, planChange, snippetOf } from "../hosts/change_config.ts";
import { decodeConfig, readConfig } from "../hosts/config_file.ts";
import { type Host, type HostServer, isProgram } from "../hosts/host.ts";
import { systemOf } from "../hosts/read_servers.ts";
import { showChange } from "../hosts/show_change.ts";
import { startOnce } from "../hosts/start_once.ts";
import { sourceOf } from "../hosts/source.ts";
import { HOSTS } from "../hosts/table.ts";
import { headersOf, HTTP_FLAGS, type HttpFlags } from "../targets/flags.ts";
import { takeTarget } from "../targets/target.ts";
import { openLink } from "../terminal/open_link.ts";
import { printable } from "../terminal/terminal.ts";

interface InstallFlags extends HttpFlags {
  readonly scope?: "user" | "project";
  readonly name?: string;
  readonly env?: readonly string[];
  readonly print?: boolean;
  readonly dryRun?: boolean;
  readonly link?: boolean;
  readonly force?: boolean;
  readonly start?: boolean;
  readonly json?: boolean;
}

const HOST_IDS = HOSTS.map(({ id }) => id);

export const installCommand: CliCommand = defineCommand<InstallFlags>({
  usage:
    "<host> <target> [--scope user|project] [--name <name>] [--env NAME[=value]] [--print|--dry-run|--link] [--force]",
  about:
    `Adds a server to the configuration of a host: ${
      HOST_IDS.join(", ")
    }. Shows the change, keeps a copy of the file, and leaves ` +
    "comments and other entries as they are. A second run changes nothing.",
  examples: [
    ["toolwire install claude-desktop ./server.ts", "The host starts this module, with this runtime"],
    ["toolwire install vscode ./server.ts --env API_KEY", "VS Code asks for the value"],
    ["toolwire install cursor https://example.com/mcp --scope project", "A URL, for the project in this folder"],
    ["toolwire install codex --name files -- npx -y some-server", "Any program that serves MCP over its pipes"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...HTTP_FLAGS,
      scope: { kind: "enum", values: ["user", "project"], optional: true, brief: "Whose file. Default: user" },
      name: {
        kind: "parsed",
        parse: parseName,
        optional: true,
        brief: "Name of the entry. Default: that of the server",
      },
      env: {
        kind: "parsed",
        parse: parseVariable,
        optional: true,
        variadic: true,
        placeholder: "NAME=value",
        brief: "Environment variable; without a value the host asks for it, or takes it from its environment",
      },
      print: { kind: "boolean", optional: true, brief: "Print the entry for the file, and write nothing" },
      dryRun: { kind: "boolean", optional: true, brief: "Show the change, and write nothing" },
      link: {
        kind: "boolean",
        optional: true,
        brief: "Print the link that adds the server, and open it on a terminal",
      },
      force: { kind: "boolean", optional: true, brief: "Replace an entry of that name" },
      start: {
        kind: "boolean",
        optional: true,
        brief: "Start a program once, before its entry is written. Default: it is started",
      },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "Host, then target", parse: String, placeholder: "host> <target" },
    },
  },
  async run(context, flags, id, ...words) {
    const host = findHost(id);
    const { target, rest } = takeTarget(words, context);
    if (rest.length > 0) throw new CliError(EXIT.usage, `There is one argument too many: ${JSON.stringify(rest[0])}`);
    const { bearerEnv, ...others } = flags;
    const bearer = bearerEnv === undefined ? undefined : { name: bearerEnv, value: context.host.env[bearerEnv] };
    const headers = headersOf(others, context.host.env);
    const source = await sourceOf(
      target,
      { ...variablesOf(flags), headers, bearer, isNamed: flags.name !== undefined },
      context.host,
    );
    const name = flags.name ?? toName(source.name);
    if (source.warning !== undefined) context.terminal.note(printable(source.warning));
    if (flags.print === true) return print(host, name, source.server, context);
    if (flags.link === true || host.format === "yaml") return await useLink(host, name, source.server, context);
    const server = await withValue(host, source.server, name, context);
    if (flags.dryRun !== true) await tryStart(server, flags, context);
    return await install(host, name, server, flags, context);
  },
});

function findHost(id: string | undefined): Host {
  const host = HOSTS.find((one) => one.id === id);
  if (host !== undefined) return host;
  const hint = `Hosts are ${HOST_IDS.join(", ")}`;
  if (id === undefined) throw new CliError(EXIT.usage, "The argument <host> is missing", { hint });
  const similar = closestMatch(id, HOST_IDS);
  const question = similar === undefined ? "" : `: did you mean "${similar}"?`;
  throw new CliError(EXIT.usage, `There is no host ${escapeControls(JSON.stringify(id))}${question}`, { hint });
}

/** Prints the entry, and the host's own command beside it. */
function print(host: Host, name: string, server: HostServer, { terminal }: CliContext): void {
  terminal.write(expressed(() => snippetOf(host, name, server)));
  const words = host.toCommand?.(server, name);
  if (words !== undefined) terminal.note(`${host.title} does the same by: ${words.map(quoteWord).join(" ")}`);
}

/** A word for a shell of Unix. */
function quoteWord(word: string): string {
  return /^[\w./:@=+,%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Asks whether the value of a bearer token is written, if the host's file has no references. */
async function withValue(host: Host, server: HostServer, name: string, context: CliContext): Promise<HostServer> {
  const { terminal, host: place } = context;
  if (isProgram(server) || server.bearerEnv === undefined || !terminal.isInteractive) return server;
  const value = place.env[server.bearerEnv];
  if (value === undefined || hasReference(host, server, name)) return server;
  const { createPrompter } = await import("../calls/prompter.ts");
  const prompter = await createPrompter(place);
  const question =
    `${host.title} has no references to variables. Write the value of ${server.bearerEnv} into its file?`;
  const answer = await prompter.choose(question, [{ value: false, label: "No" }, { value: true, label: "Yes" }], false);
  if (answer !== true) return server;
  const { url, headers } = server;
  return { url, headers: { ...headers, ...headersOf({ token: value }, place.env) } };
}

function hasReference(host: Host, server: HostServer, name: string): boolean {
  try {
    host.toEntry(server, name);
    return true;
  } catch {
    return false;
  }
}

/** Starts a program once. One that needs secrets which are not set here cannot be tried. */
async function tryStart(server: HostServer, { start, scope }: InstallFlags, context: CliContext): Promise<void> {
  if (!isProgram(server) || start === false) return;
  const { env, cwd } = context.host;
  const secrets = (server.secrets ?? []).map((name) => [name, env[name]] as const);
  const missing = secrets.filter(([, value]) => value === undefined).map(([name]) => name);
  if (missing.length > 0) return context.terminal.note(`Not tried, as ${missing.join(", ")} is not set here`);
  const values = Object.fromEntries(secrets.map(([name, value]) => [name, value ?? ""]));
  await startOnce(server, values, scope === "project" ? cwd : systemOf(context.host).home, context.interruption());
}

/** Plans and writes the change of the file. Other processes wait meanwhile. */
async function install(
  host: Host,
  name: string,
  server: HostServer,
  flags: InstallFlags,
  { host: place, terminal }: CliContext,
): Promise<void> {
  const file = fileOf(host, flags, place);
  const plan = (old: string): ConfigChange => {
    const change = planned(host, file, old, name, server);
    if (change.kind === "same") terminal.note(`${host.title} has ${name} already, in ${file}: nothing to change`);
    else {
      terminal.note(`${file}:`);
      for (const line of showChange(host, name, server, change)) terminal.note(`  ${printable(line)}`);
    }
    return change;
  };
  const { change, isWritten, backup, link } = flags.dryRun === true
    ? { change: plan(readOld(file)), isWritten: false, backup: undefined, link: "" }
    : await write(host, name, file, flags, plan, place.cwd);
  if (isWritten) {
    terminal.note(`Written${link}${backup === undefined ? "" : `; the old file is ${backup}`}. ${host.next}`);
  }
  if (flags.json === true) {
    terminal.printJson({ host: host.id, name, file, change: change.kind, written: isWritten, backup });
  }
}

function readOld(file: string): string {
  return expressed(() => readConfig(file) ?? "");
}

/** @param cwd Folder that a project's file has to be in, also if it is a link. */
async function write(
  host: Host,
  name: string,
  file: string,
  { scope, force }: InstallFlags,
  plan: (old: string) => ConfigChange,
  cwd: string,
) {
  let change: ConfigChange | undefined;
  const { isChanged, backup, link } = await updateFile(file, (old) => {
    const planned = change = plan(old === undefined ? "" : expressed(() => decodeConfig(file, old)));
    if (planned.kind !== "different" || force === true) return planned.after;
    throw new CliError(EXIT.found, `${host.title} has another server ${name}, in ${file}`, {
      code: "different_entry",
      hint: "Replace it with --force, or choose another --name",
    });
  }, { mode: 0o600, folderMode: 0o777, copiesBesideLink: true, within: scope === "project" ? cwd : undefined });
  return { change: change as unknown as ConfigChange, isWritten: isChanged, backup, link };
}

function fileOf(host: Host, { scope = "user" }: InstallFlags, place: CliContext["host"]): string {
  const file = host.file(scope, systemOf(place));
  if (file !== undefined) return file;
  throw new CliError(EXIT.usage, `${host.title} has no file for projects`, { hint: "Leave out --scope project" });
}

function planned(host: Host, file: string, text: string, name: string, server: HostServer): ConfigChange {
  return expressed(
    () => planChange(host, text, name, server),
    `Cannot change ${file}: `,
    "Mend the file; nothing was written",
  );
}

/** Runs a step whose errors are those of the user's file, or of what the host can express. */
function expressed<Result>(step: () => Result, prefix = "", hint?: string): Result {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof TypeError) throw new CliError(EXIT.usage, cause.message, { cause });
    if (!(cause instanceof Error) || cause.name !== "ConfigError") throw cause;
    throw new CliError(EXIT.found, `${prefix}${cause.message}`, { code: "config", hint, cause });
  }
}

async function useLink(host: Host, name: string, server: HostServer, { terminal }: CliContext): Promise<void> {
  const { toLink } = host;
  if (toLink === undefined) {
    throw new CliError(EXIT.usage, `${host.title} has no link that adds a server; leave out --link`);
  }
  const link = expressed(() => toLink(server, name));
  terminal.print(link);
  // Other users of the machine can see the arguments of a program.
  const hasValues = Object.keys("env" in server ? server.env ?? {} : {}).length > 0;
  if (terminal.isOutputTerminal && !hasValues) await openLink(link);
}

/** Names that every host accepts. */
function toName(text: string): string {
  return text.replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "") || "server";
}

function parseName(text: string): string {
  if (text === "__proto__") throw new TypeError('"__proto__" is not a name that programs in JavaScript can read back');
  if (/^[\w-]{1,64}$/.test(text)) return text;
  throw new TypeError(
    `${JSON.stringify(text)} has characters other than letters, digits, "_" and "-", which hosts refuse`,
  );
}

function parseVariable(text: string): string {
  if (/^[A-Za-z_]\w*(=|$)/.test(text)) return text;
  throw new TypeError("a variable is written NAME=value, or NAME alone");
}

/** `--env NAME=value` and `--env NAME`. */
function variablesOf(
  { env = [] }: InstallFlags,
): { readonly env: Record<string, string>; readonly secrets: readonly string[] } {
  const pairs = env.filter((text) => text.includes("=")).map((text) => /^(\w+)=(.*)$/s.exec(text));
  return {
    env: Object.fromEntries(pairs.map((match) => [match?.[1] ?? "", match?.[2] ?? ""])),
    secrets: env.filter((text) => !text.includes("=")),
  };
}
