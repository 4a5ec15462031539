/** The agents of `examples/agents` and `examples/loops`, which need their frameworks' packages: installed when they are missing. */
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { AgentOptions, AgentSource } from "../../../src/entries/agents.ts";
import { installExample } from "../../examples/packages.ts";

/** One call of a scripted model. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: object;
}

/** The calls of each message of a scripted model. */
export type Script = readonly (readonly ScriptedCall[])[];

/** Lets a scripted model call tools; returns their results, joined by line breaks. */
export type RunAgent = (source: AgentSource, script: Script, options?: AgentOptions) => Promise<string>;

/** Starts what stands in for a hosted model. */
export type StartModel = (script: Script) => Promise<{ readonly url: string; close(): Promise<void> }>;

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** A folder of examples, which has its own packages. */
export type ExampleFolder = "agents" | "loops";

/** Why the packages are not available, or `undefined`. */
const missing = installExample("agents") ?? installExample("loops");

/** Why tests are skipped; in CI they fail instead. */
export const skip: string | false = missing !== undefined && !process.env["CI"] && missing;

/** Loads what a file of the example exports. What it imports is not there for the type check of the whole. */
export async function loadExample(file: string, name: string, folder: ExampleFolder = "agents"): Promise<unknown> {
  return (await load(join(examples, folder, file)))[name];
}

/** Loads a module of a framework's package. */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  return await load(join(examples, "agents/node_modules", path));
}

async function load(path: string): Promise<Record<string, unknown>> {
  if (missing !== undefined) throw new Error(missing);
  return await import(new URL(path, "file:").href);
}
