/** The templates of new projects: what each is for, its commands, and its files. */
import { VERSION } from "../../../src/internal/version.ts";
import { SHARED_FILES, TEMPLATE_FILES } from "./gen/templates.ts";

/** Names of the templates of `toolwire init`, in the order of its question: servers with two tools, then {@link PROJECTS}. */
export const TEMPLATE_NAMES = [
  "node",
  "bun",
  "deno",
  "workers",
  "hono",
  "next",
  "shop",
  "assistant",
  "watcher",
  "notes",
  "letters",
  "team",
] as const;

/** Name of a template. */
export type TemplateName = typeof TEMPLATE_NAMES[number];

/** Runtimes that install and run a project. */
export const PROJECT_RUNTIMES = ["node", "bun", "deno"] as const;

/** A runtime that installs and runs a project. */
export type ProjectRuntime = typeof PROJECT_RUNTIMES[number];

/** Templates that are whole programs, each with its page and tests, and the runtime that each is for. CI runs them: tests/projects. */
const PROJECTS: Readonly<Partial<Record<TemplateName, ProjectRuntime>>> = {
  shop: "node",
  assistant: "node",
  watcher: "node",
  notes: "deno",
  letters: "node",
  team: "node",
};

/** The runtime that a template is for, and no other; `undefined` if every runtime installs it. */
export function runtimeOf(template: TemplateName): ProjectRuntime | undefined {
  return PROJECT_RUNTIMES.find((name) => name === template) ?? PROJECTS[template];
}

/** Whether a template is a whole program. It has a page for people, and other files than a server with two tools. */
export function isWhole(template: TemplateName): boolean {
  return PROJECTS[template] !== undefined;
}

/** What a new project is: its name, its template, and the runtime that installs and runs it. */
export interface ProjectPlan {
  /** Name of the package and of the server. */
  readonly name: string;
  readonly template: TemplateName;
  readonly runtime: ProjectRuntime;
}

/** Title of each template, for questions and messages: "Created a Hono app in …". */
export const TEMPLATE_TITLES: Readonly<Record<TemplateName, string>> = {
  node: "a server on Node",
  bun: "a server on Bun",
  deno: "a server on Deno",
  workers: "a Cloudflare Worker",
  hono: "a Hono app",
  next: "a Next.js app",
  shop: "a shop on Express with sessions and PostgreSQL",
  assistant: "an assistant over MCP servers and a REST API",
  watcher: "a Worker with jobs and schedules in Durable Objects",
  notes: "a service on Deno with Hono and sign-in",
  letters: "a Next.js application that streams to a page",
  team: "a team's server with tenants, sign-on and a queue in Redis",
};

const FILE_NOTES: Readonly<Partial<Record<TemplateName, string>>> = {
  node: "- `main.ts` serves over HTTP.",
  bun: "- `main.ts` serves over HTTP.",
  deno: "- `main.ts` serves over HTTP. `deno.json` has the imports and tasks.",
  workers: "- `worker.ts` is the Worker, `wrangler.jsonc` its configuration.",
  hono: "- `main.ts` is a Hono app with the tools below its root.",
  next: "- `app/mcp/route.ts` and `app/mcp-lite/v1/[endpoint]/route.ts` pass requests to the server.",
};

/** Commands that the user types in a project: install packages, start, test and check it, and start `toolwire`. */
export interface ProjectCommands {
  readonly install: string;
  readonly dev: string;
  readonly test: string;
  readonly check: string;
  readonly toolwire: string;
}

/** Returns the commands of a project for its runtime: `npm run dev`, `bun run dev`, `deno task dev`. Runs none of them. */
export function commandsOf({ template, runtime }: ProjectPlan): ProjectCommands {
  const run = { node: "npm run", bun: "bun run", deno: "deno task" }[runtime];
  return {
    install: { node: "npm install", bun: "bun install", deno: "deno install" }[runtime],
    dev: `${run} dev`,
    test: runtime === "node" ? "npm test" : `${run} test`,
    check: `${run} check`,
    toolwire: template === "deno"
      ? "deno run -A npm:toolwire"
      : { node: "npx toolwire", bun: "bunx --bun toolwire", deno: "deno run -A npm:toolwire" }[runtime],
  };
}

/** Returns the texts of the files of a project by path, with name, version and commands filled in. Writes nothing. */
export function filesOf(plan: ProjectPlan): Readonly<Record<string, string>> {
  const commands = commandsOf(plan);
  const values: Readonly<Record<string, string>> = {
    ...commands,
    name: plan.name,
    version: VERSION,
    files: FILE_NOTES[plan.template] ?? "",
    url: "http://127.0.0.1:8000/mcp",
  };
  const { _gitignore = "", ...ofServers } = SHARED_FILES;
  const texts = { _gitignore, ...!isWhole(plan.template) && ofServers, ...TEMPLATE_FILES[plan.template] };
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      // Packages leave out files of this name.
      path.replace(/^_gitignore$/, ".gitignore"),
      text.replace(/\{\{(\w+)\}\}/g, (all, key: string) => values[key] ?? all),
    ]),
  );
}
