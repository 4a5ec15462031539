/** `toolwire` as a process, on the runtime that runs the tests. */
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtime } from "../runtime/runtime.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const hook = new URL("../runtime/node_hook.mjs", import.meta.url).href;

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "-A", "--quiet", "--no-check"],
  node: ["--disable-warning=ExperimentalWarning", `--import=${hook}`],
};

/** A process that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** Runs it to its end. */
export async function run(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [...FLAGS[runtime] ?? [], "src/cli/main.ts", ...args], { cwd: root });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (errors += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out, errors };
}
