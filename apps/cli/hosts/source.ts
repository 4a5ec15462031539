/** What a host starts or calls for a target of `toolwire install`, and the name of its entry. */
import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { loadServer } from "../targets/module.ts";
import type { Target } from "../targets/target.ts";
import type { CliProcess } from "../terminal/process.ts";
import { findEndpoint } from "./find_endpoint.ts";
import type { HostServer } from "./host.ts";
import { launchModule, type LaunchRuntime } from "./launch.ts";

/** What `toolwire install` writes into the file of a host: a server and the default name of its entry. */
export interface InstallSource {
  readonly server: HostServer;
  /** Name of the entry, if `--name` does not state one. */
  readonly name: string;
  /** Text that the user is shown before the entry is written. */
  readonly warning?: string | undefined;
}

/** Values of flags that are added to the server: variables and secrets of a program, headers of a URL. */
export interface InstallAdditions {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the variable with the bearer token, and its value in this environment, if it is set. */
  readonly bearer?: { readonly name: string; readonly value: string | undefined } | undefined;
  /** Whether the user has given a name, so that that of the server is not needed. */
  readonly isNamed: boolean;
}

/** Name of a server that states none. */
const UNNAMED = "toolwire";

/**
 * Returns what a host starts or calls for a target. Loads a module for its name, and looks for `/mcp` of a URL without a path.
 *
 * @throws {CliError} If the module has no server, a flag does not fit the target, or hosts cannot use the target.
 */
export async function sourceOf(target: Target, added: InstallAdditions, host: CliProcess): Promise<InstallSource> {
  switch (target.kind) {
    case "module":
      return addProgramPart(await sourceOfModule(target, host), added);
    case "program":
      return addProgramPart(sourceOfProgram(target, host), added);
    case "url":
      return await sourceOfUrl(target.url, added);
    default:
      throw new CliError(EXIT.usage, `Hosts cannot use this target: they start programs and call URLs of MCP`, {
        hint: "Give a module (./server.ts), the URL of mcp(), or a program: -- npx -y some-server",
      });
  }
}

async function sourceOfModule(
  { file, exportName }: Extract<Target, { kind: "module" }>,
  { cwd }: CliProcess,
): Promise<InstallSource> {
  const server = await loadServer(exportName === undefined ? file : `${file}#${exportName}`, cwd);
  const { name } = server["~server"].host.info;
  await server.close(0);
  const module = resolve(cwd, file);
  return {
    server: launchModule(module, exportName, thisRuntime()),
    name: name === UNNAMED ? basename(dirname(module)) : name,
  };
}

/** The running runtime and program. A package manager links the program; the link may be removed. */
function thisRuntime(): LaunchRuntime {
  const [, script = ""] = process.argv;
  const { bun, deno } = process.versions as { readonly bun?: string; readonly deno?: string };
  return {
    name: bun !== undefined ? "bun" : deno !== undefined ? "deno" : "node",
    path: process.execPath,
    program: existsSync(script) ? realpathSync(script) : undefined,
  };
}

function sourceOfProgram(
  { command, args }: Extract<Target, { kind: "program" }>,
  { cwd, env }: CliProcess,
): InstallSource {
  const found = findCommand(command, cwd, env["PATH"] ?? "");
  if (found === undefined) {
    throw new CliError(EXIT.usage, `Cannot install ${command}: there is no such program in PATH`);
  }
  const named = args.find((arg) => /^[@\w][\w@/.-]*$/.test(arg)) ?? command;
  return { server: { command: found, args }, name: basename(named).replace(/@.*$/, "") };
}

/** Absolute path of a program. Hosts that are started by a desktop have a short `PATH`. */
function findCommand(command: string, cwd: string, path: string): string | undefined {
  if (isAbsolute(command) || /[/\\]/.test(command)) {
    const file = resolve(cwd, command);
    return existsSync(file) ? file : undefined;
  }
  const extensions = process.platform === "win32" ? [".exe", ".cmd", ".bat", ""] : [""];
  return path.split(delimiter).filter(isAbsolute)
    .flatMap((folder) => extensions.map((extension) => join(folder, command + extension)))
    .find((file) => existsSync(file));
}

async function sourceOfUrl(
  url: URL,
  { env, secrets, headers, bearer, isNamed }: InstallAdditions,
): Promise<InstallSource> {
  if (Object.keys(env).length + secrets.length > 0) {
    throw new CliError(EXIT.usage, `--env is for programs that the host starts, not for ${url.href}`, {
      hint: "Give headers: --header name:value",
    });
  }
  const names = url.hostname.split(".").filter((name) => name !== "www" && name !== "mcp" && name !== "api");
  const name = /^[\d.:[\]]+$/.test(url.hostname) ? "local" : names[0] ?? url.hostname;
  const sent = bearer?.value === undefined ? headers : { ...headers, authorization: `Bearer ${bearer.value}` };
  const { url: found, warning, serverName = UNNAMED } = await findEndpoint(url, sent, isNamed);
  return {
    server: { url: found, headers, bearerEnv: bearer?.name },
    name: serverName === UNNAMED ? name : serverName,
    warning,
  };
}

function addProgramPart(
  { server, name }: InstallSource,
  { env, secrets, headers, bearer }: InstallAdditions,
): InstallSource {
  if (Object.keys(headers).length > 0 || bearer !== undefined) {
    throw new CliError(EXIT.usage, "--header is for URLs, not for programs");
  }
  return { server: { ...server as Extract<HostServer, { command: string }>, env, secrets }, name };
}
