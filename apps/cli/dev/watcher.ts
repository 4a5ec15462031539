/** The watcher of the runtime that runs the program: how it is started, ended, and which lines are its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { type DevSettings, SETTINGS_VARIABLE } from "./messages.ts";

/** Lines of watchers: start, change, restart, end. */
const OWN_LINE =
  /^(?:Watcher\b|Change detected in |Restarting '|(?:Gracefully r|R)estarted? |Completed running |Failed running |Waiting for graceful termination|\(node:\d+\) ExperimentalWarning: Watch)/;

/** Codes of styles, which watchers write into pipes, too. */
// deno-lint-ignore no-control-regex
const STYLE = /\u001b\[[\d;]*m/g;

/** Whether a line of output is a message of the watcher of Node, Bun or Deno, and not of the program. */
export function isOwnLine(line: string): boolean {
  return OWN_LINE.test(line.replace(STYLE, ""));
}

/** Whether a line of output is a message of the watcher that the program has ended by itself. */
export function isEndOfProgram(line: string): boolean {
  return /^(?:Completed running|Failed running|Watcher Process (?:finished|failed))/.test(line.replace(STYLE, ""));
}

/**
 * Starts the runtime's watcher, which starts the process that serves. They have a separate process group, except on Windows: Ctrl+C
 * reaches this process alone.
 *
 * @throws {CliError} If the module is TypeScript, and this version of Node does not run it; or if the runtime cannot be started.
 */
export function startWatcher(settings: DevSettings, cwd: string): ChildProcess {
  const [command, ...args] = commandOf(resolve(cwd, settings.module));
  try {
    return spawn(command, args, {
      cwd,
      env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(settings) },
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
    });
  } catch (cause) {
    const problem = (cause as Error).message;
    throw new CliError(EXIT.found, `The process that serves cannot run: ${problem}`, { code: "dev_process", cause });
  }
}

/** Sends a signal to the watcher and the program, on Windows to the watcher alone. Does nothing if they have ended. */
export function signalWatcher({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // It has ended.
  }
}

function commandOf(module: string): readonly [string, ...string[]] {
  const { execPath, execArgv, argv } = process;
  const { Deno: deno } = globalThis as { readonly Deno?: { readonly mainModule: string } };
  if (deno !== undefined) {
    const flags = ["-A", "--no-check", "--watch", "--no-clear-screen", ...configOf(deno.mainModule, module)];
    return [execPath, "run", ...flags, deno.mainModule, "dev-child"];
  }
  const main = argv[1] ?? "";
  if ("Bun" in globalThis) return [execPath, "--watch", "--no-clear-screen", ...execArgv, main, "dev-child"];
  assertTypeScript(module, execArgv);
  return [execPath, "--watch", "--watch-preserve-output", ...execArgv, main, "dev-child"];
}

/** The configuration of the module's project, for its imports, if the program is not part of that project. */
function configOf(mainModule: string, module: string): readonly string[] {
  if (mainModule.startsWith("file:") && !mainModule.includes("/node_modules/")) return [];
  for (let folder = dirname(module);; folder = dirname(folder)) {
    const file = ["deno.json", "deno.jsonc"].map((name) => join(folder, name)).find(existsSync);
    if (file !== undefined) return ["--config", file];
    if (folder === dirname(folder)) return [];
  }
}

/** First version of Node that runs TypeScript without a flag. */
const TYPESCRIPT_NODE: readonly [major: number, minor: number] = [22, 18];

/** @throws {CliError} If this version of Node does not run the module. */
function assertTypeScript(module: string, execArgv: readonly string[]): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = TYPESCRIPT_NODE;
  const isOld = major < leastMajor || (major === leastMajor && minor < leastMinor);
  if (!isOld || !/\.[cm]?tsx?(?:#|$)/.test(module) || execArgv.length > 0) return;
  throw new CliError(EXIT.usage, `Node ${process.versions.node} does not run TypeScript by itself`, {
    code: "typescript",
    hint: "Use Node 22.18 or later, Bun or Deno; or set NODE_OPTIONS=--experimental-strip-types",
  });
}
