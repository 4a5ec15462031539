/** What `toolwire init` and `npm create toolwire` do: find out what is wanted, create it, and print the next commands. */
import { resolve } from "node:path";
import type { Prompter } from "../calls/prompter.ts";
import { checkFolder, createProject, nameOf, ProjectError, runningRuntime } from "./create_project.ts";
import {
  commandsOf,
  isWhole,
  PROJECT_RUNTIMES,
  type ProjectPlan,
  type ProjectRuntime,
  runtimeOf,
  TEMPLATE_NAMES,
  TEMPLATE_TITLES,
  type TemplateName,
} from "./templates.ts";

/** Flags of `toolwire init`. What is missing is asked for on a terminal, otherwise it has a default. */
export interface InitFlags {
  readonly template?: string;
  readonly runtime?: string;
  readonly yes?: boolean;
  readonly install?: boolean;
  readonly git?: boolean;
}

/** What `toolwire init` needs of its environment: folder, variables, and a person to ask. */
export interface InitHost {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of the Node that runs this, without "v". Bun and Deno have the version that they are compatible with. */
  readonly nodeVersion: string;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Asks the person. */
  createPrompter(): Promise<Prompter>;
  /** Writes a line for people. */
  note(line: string): void;
}

/** Default folder. */
const FOLDER = "my-tools";

/**
 * Creates a project and prints the next commands. Asks for missing flags on a terminal, unless `--yes` is given; otherwise uses defaults.
 *
 * @returns `false` if the user cancelled.
 * @throws {ProjectError} If the folder is not empty, a flag is invalid, or packages cannot be installed.
 */
export async function runInit(folder: string | undefined, flags: InitFlags, host: InitHost): Promise<boolean> {
  const given = { folder, template: templateOf(flags), installs: flags.install, usesGit: flags.git };
  const choices = host.isInteractive && flags.yes !== true ? await askChoices(given, host) : given;
  if (choices === undefined) return false;
  const path = resolve(host.cwd, choices.folder ?? FOLDER);
  const plan = planOf(path, choices.template, flags, host);
  const options = { ...plan, folder: path, installs: choices.installs ?? true, usesGit: choices.usesGit ?? true };
  const created = await createProject(options, host.note);
  host.note(`Created ${TEMPLATE_TITLES[plan.template]} in ${path}: ${created.files.length} files`);
  printCommands(plan, choices.folder ?? FOLDER, created.isInstalled === true, host);
  if (created.isInstalled === false) {
    throw new ProjectError(`The packages are not installed; run \`${commandsOf(plan).install}\` in ${path}`);
  }
  return true;
}

/** What the flags have decided; the person is asked for the rest. */
interface Choices {
  readonly folder: string | undefined;
  readonly template: TemplateName | undefined;
  readonly installs: boolean | undefined;
  readonly usesGit: boolean | undefined;
}

/** `--runtime` alone chooses the template of that runtime. */
function templateOf({ template, runtime }: InitFlags): TemplateName | undefined {
  const chosen = template ?? runtime;
  if (runtime !== undefined && !(PROJECT_RUNTIMES as readonly string[]).includes(runtime)) {
    throw new ProjectError(
      `There is no runtime ${JSON.stringify(runtime)}; runtimes are ${PROJECT_RUNTIMES.join(", ")}`,
    );
  }
  if (chosen === undefined) return undefined;
  const found = TEMPLATE_NAMES.find((name) => name === chosen);
  if (found !== undefined) return found;
  throw new ProjectError(`There is no template ${JSON.stringify(chosen)}; templates are ${TEMPLATE_NAMES.join(", ")}`);
}

function planOf(
  folder: string,
  template: TemplateName | undefined,
  { runtime }: InitFlags,
  { env, nodeVersion }: InitHost,
): ProjectPlan {
  const running = runtime as ProjectRuntime | undefined ?? runningRuntime(env);
  const chosen = template ?? running;
  const own = runtimeOf(chosen);
  if (runtime !== undefined && own !== undefined && own !== runtime) {
    throw new ProjectError(`The template ${chosen} runs on ${own}, not on ${runtime}; leave out --runtime`);
  }
  const plan = { name: nameOf(folder), template: chosen, runtime: own ?? running };
  if (plan.runtime === "node") checkNode(nodeVersion);
  return plan;
}

/** Projects run their TypeScript as it is, which Node can from this version on. */
function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  throw new ProjectError(
    `A project on Node needs Node 22.18 or later; this is ${version}. Install a later one, or pass --runtime bun or --runtime deno`,
  );
}

/** Asks for what was not given. `undefined` if the user cancelled. */
async function askChoices(given: Choices, { cwd, env, createPrompter }: InitHost): Promise<Choices | undefined> {
  const prompter = await createPrompter();
  const validate = (text: string) => folderProblem(resolve(cwd, text || FOLDER));
  const folder = given.folder ?? await prompter.text("Which folder?", { initial: FOLDER, validate });
  if (folder === undefined) return undefined;
  const choices = TEMPLATE_NAMES.map((value) => ({ value, label: TEMPLATE_TITLES[value] }));
  const template = given.template ?? await prompter.choose("What is it?", choices, runningRuntime(env));
  if (template === undefined) return undefined;
  const answers = [{ value: true, label: "yes" }, { value: false, label: "no" }];
  const installs = given.installs ?? await prompter.choose("Install its packages now?", answers, true);
  return installs === undefined ? undefined : { ...given, folder, template, installs };
}

function folderProblem(folder: string): string | undefined {
  try {
    checkFolder(folder);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function printCommands(plan: ProjectPlan, folder: string, isInstalled: boolean, { note }: InitHost): void {
  const { install, dev, test, check, toolwire } = commandsOf(plan);
  const lines = [
    ...folder === "." ? [] : [`cd ${quoted(folder)}`],
    ...isInstalled ? [] : [install],
    dev,
    test,
    check,
    ...isWhole(plan.template) ? [] : [`${toolwire} install claude-desktop ./server.ts`],
  ];
  note(["", ...lines.map((line) => `  ${line}`), ""].join("\n"));
}

/** A word for a shell; double quotes are those of Windows too. */
function quoted(word: string): string {
  if (/^[\w./\\:@~+-]+$/.test(word)) return word;
  return /["$`!\\]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}
