/**
 * The MCP Inspector's command-line mode, which knows nothing of Toolwire. One process is one connection and one request.
 *
 * @module
 */
import { execFile, spawnSync } from "node:child_process";
import process from "node:process";
import { pathOf } from "./command.ts";
import * as story from "./visit.ts";

/** Revisions that it uses: 2026-07-28, or those before. */
export type Era = "modern" | "legacy";

/** What it sees: no questions, which it cannot answer, no progress, which it does not show, and no news, for which it would have to stay. */
export type Glance = Pick<
  story.Seen,
  | "tools"
  | "found"
  | "failure"
  | "resources"
  | "templates"
  | "file"
  | "row"
  | "noRow"
  | "prompts"
  | "prompt"
>;

interface Result {
  readonly tools: readonly { readonly name: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly content: readonly object[];
  readonly resources: readonly { readonly uri: string }[];
  readonly resourceTemplates: readonly { readonly uriTemplate: string }[];
  readonly contents: readonly object[];
  readonly prompts: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: object }[];
}

/** What runs it: this runtime, or from Deno, on which it does not get an answer over HTTP, a Node that is new enough for it. */
export function findInspectorRuntime(): string | undefined {
  if (process.versions["deno"] === undefined) return process.execPath;
  const { stdout } = spawnSync("node", ["--version"], { encoding: "utf8" });
  const [major = 0, minor = 0] = /\d+\.\d+/.exec(stdout ?? "")?.[0].split(".").map(Number) ?? [];
  return major > 22 || (major === 22 && minor >= 19) ? "node" : undefined;
}

/** Looks at the library. */
export async function inspect(runtime: string, way: story.Way, era: Era): Promise<Glance> {
  const ask = (method: string, ...flags: readonly string[]) =>
    run(runtime, way, ["--protocol-era", era, "--method", method, ...flags]);
  const callTool = (name: string, args: object) =>
    ask("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args));
  const read = (uri: string) => ask("resources/read", "--uri", uri);
  const [listed, search, misspelt, resources, templates, file, row, noRow, prompts, prompt] = await Promise.all([
    // Complains of schemas that some host would not take, by its exit code.
    ask("tools/list", "--strict"),
    callTool("search_documents", story.SEARCH),
    callTool("describe_dataset", story.MISSPELT),
    ask("resources/list"),
    ask("resources/templates/list"),
    read(story.FILE),
    read(story.ROW),
    read(story.NO_ROW).catch(({ message }) => message),
    ask("prompts/list"),
    ask("prompts/get", "--prompt-name", story.EXPLAIN.name, "--prompt-args", ...pairs(story.EXPLAIN.arguments)),
  ]);
  return {
    tools: listed.tools.map(({ name }) => name),
    found: story.listOf(search.structuredContent).map(({ title }) => title),
    failure: story.textOf(misspelt.content),
    resources: resources.resources.map(({ uri }) => uri),
    templates: templates.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    file: story.textOf(file.contents).slice(0, 40),
    row: story.textOf(row.contents),
    noRow,
    prompts: prompts.prompts.map(({ name }) => name),
    prompt: prompt.messages.map(({ content }) => story.textOf(content)),
  };
}

/** A failure of the tool is a result, too; it only has a different exit code. */
const TOOL_SAID_NO = 5;

async function run(runtime: string, way: story.Way, flags: readonly string[]): Promise<Result> {
  const program = pathOf("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const target = "url" in way
    ? ["--transport", "http", "--server-url", way.url, ...flags]
    : [...flags, "--", way.command, ...way.args];
  const mode = ["--cli", "--format", "json", "--quiet", "--connect-timeout", "60000"];
  const { code, out, errors } = await runToEnd(runtime, [program, ...mode, ...target]);
  if (code !== 0 && code !== TOOL_SAID_NO) throw new Error(complaintOf(errors));
  return JSON.parse(out).result;
}

function runToEnd(command: string, args: readonly string[]) {
  return new Promise<{ code: unknown; out: string; errors: string }>(
    (resolve) => {
      execFile(
        command,
        args,
        { maxBuffer: 1 << 26 },
        (error, out, errors) => resolve({ code: error?.code ?? 0, out, errors }),
      );
    },
  );
}

/** What it says of a failure: JSON on its error channel. */
function complaintOf(errors: string): string {
  try {
    return JSON.parse(errors).error.message;
  } catch {
    return errors;
  }
}

function pairs(args: Readonly<Record<string, string>>): string[] {
  return Object.entries(args).map(([name, value]) => `${name}=${value}`);
}
