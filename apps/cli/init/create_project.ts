/** Creates a project: its files, then a repository of Git, then its packages. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import process from "node:process";
import { createFiles } from "../files/write_file.ts";
import { runToEnd } from "../terminal/run_to_end.ts";
import { commandsOf, filesOf, type ProjectPlan, type ProjectRuntime } from "./templates.ts";

/** Thrown by `toolwire init`: the folder cannot be used, a flag is invalid, or packages cannot be installed. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
}

/** Options of {@link createProject}: the plan, the folder, whether packages are installed and whether Git is used. */
export interface CreateOptions extends ProjectPlan {
  /** Absolute path. */
  readonly folder: string;
  readonly installs: boolean;
  readonly usesGit: boolean;
}

/** Result of {@link createProject}: paths of the files, whether a repository was created, and whether packages are installed. */
export interface CreatedProject {
  readonly files: readonly string[];
  readonly hasGit: boolean;
  /** `undefined` if packages were not to be installed. */
  readonly isInstalled: boolean | undefined;
}

/** Accepts a folder that does not exist, is empty or has `.git` alone. @throws {ProjectError} If it is a file or has other files. */
export function checkFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const names = readFolder(folder).filter((name) => name !== ".git");
  if (names.length === 0) return;
  const shown = `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
  throw new ProjectError(`Cannot create a project in ${folder}: the folder is not empty (${shown}); name a new one`);
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new ProjectError(`Cannot create a project in ${folder}: ${(cause as Error).message}`, { cause });
  }
}

/** The name of a package for a folder: `My tools` is `my-tools`, `2024` is `tools-2024`. Without a letter or digit it is `tools`. */
export function nameOf(folder: string): string {
  const name = basename(resolve(folder)).toLowerCase().replace(/[^a-z\d]+/g, "-").replace(/^-+|-+$/g, "");
  return name === "" || /^\d/.test(name) ? `tools${name === "" ? "" : `-${name}`}` : name;
}

/** The default runtime of a project: that of this process, or of the package manager that started it, else Node. */
export function runningRuntime(env: Readonly<Record<string, string | undefined>>): ProjectRuntime {
  const agent = env["npm_config_user_agent"] ?? "";
  if (process.versions["bun"] !== undefined || agent.startsWith("bun/")) return "bun";
  return process.versions["deno"] !== undefined || agent.startsWith("deno/") ? "deno" : "node";
}

/**
 * Writes the files of a project, then begins a repository and installs packages, if the options ask for it. The result, not an error,
 * has the failure of these two. A folder in a repository gets no other one. `note` receives the command before it runs.
 *
 * @throws {ProjectError} If the folder is not empty.
 */
export async function createProject(options: CreateOptions, note: (line: string) => void): Promise<CreatedProject> {
  const { folder, installs, usesGit } = options;
  checkFolder(folder);
  const files = filesOf(options);
  createFiles(folder, files);
  const hasGit = usesGit && startRepository(folder);
  const isInstalled = installs ? await installPackages(options, note) : undefined;
  return { files: Object.keys(files), hasGit, isInstalled };
}

/** Starts a Git repository, unless the folder is in one already. Returns whether it did. */
function startRepository(folder: string): boolean {
  const git = (...args: readonly string[]) => spawnSync("git", args, { cwd: folder, stdio: "ignore" }).status === 0;
  return !git("rev-parse", "--is-inside-work-tree") && git("init", "--quiet");
}

async function installPackages(options: CreateOptions, note: (line: string) => void): Promise<boolean> {
  const { install } = commandsOf(options);
  note(`${install} …`);
  const [command = "", ...args] = install.split(" ");
  // Scripts of Windows need a shell; the words are ours.
  const status = await runToEnd(command, args, {
    cwd: options.folder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  return status === 0;
}
