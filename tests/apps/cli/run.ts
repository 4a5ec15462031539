/** `toolwire` as a process, on the runtime that runs the tests. */
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtime } from "../../runtime/runtime.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const hook = new URL("../../runtime/node_hook.mjs", import.meta.url).href;

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "-A", "--quiet", "--no-check"],
  node: ["--disable-warning=ExperimentalWarning", `--import=${hook}`],
};

/** Reason to leave a test to the other runtimes, where processes start faster. */
export const SLOW_STARTS: string | false = runtime === "node" &&
  "a process compiles the sources: some of these tests are enough";

/** A process that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** The command that runs the program with these arguments, in the repository's root. */
export function commandOf(...args: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, ...FLAGS[runtime] ?? [], "apps/cli/main.ts", ...args];
}

/** Runs it to its end. */
export function run(...args: readonly string[]): Promise<Ended> {
  return runWith({}, ...args);
}

/** What a process gets while it runs. */
export interface RunOptions {
  /** Text of its standard input. Default: none, and its end. */
  readonly input?: string;
  /** Sends SIGINT when standard error has this text. */
  readonly interruptAt?: string;
}

/** Runs it to its end, with input or an interruption. */
export async function runWith({ input = "", interruptAt }: RunOptions, ...args: readonly string[]): Promise<Ended> {
  const [file, ...rest] = commandOf(...args);
  const child = spawn(file, rest, { cwd: root });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  let isInterrupted = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
    if (isInterrupted || interruptAt === undefined || !errors.includes(interruptAt)) return;
    isInterrupted = true;
    // After child.kill() Deno reports the signal in place of the status.
    process.kill(child.pid ?? 0, "SIGINT");
  });
  const code = await new Promise<number | null>((resolve) => void child.once("close", resolve));
  return { code, out, errors };
}
