/** `toolwire` within the process of the tests: faster than a process, and with any terminal. */
import { runProgram } from "../../../apps/cli/app.ts";
import type { Ended } from "./run.ts";

/** The process that a command sees. */
export interface FakeProcess {
  /** Width of the terminal. Default: the output is not a terminal. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Presses Ctrl+C when it aborts. */
  readonly interrupt?: AbortSignal;
  /** Receives the text of standard error as it is written. */
  readonly onError?: (text: string) => void;
  /** Receives the text of standard output as it is written. */
  readonly onOutput?: (text: string) => void;
}

/** Runs a command to its end. */
export async function runInProcess(args: readonly string[], fake: FakeProcess = {}): Promise<Ended> {
  let out = "";
  let errors = "";
  const { columns, env = {}, cwd = "/", interrupt, onError, onOutput } = fake;
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const code = await runProgram(args, {
    stdout: {
      write(text) {
        out += text;
        onOutput?.(out);
      },
      ...terminal,
    },
    stderr: {
      write(text) {
        errors += text;
        onError?.(errors);
      },
      ...terminal,
    },
    stdin: { async *[Symbol.asyncIterator]() {} },
    env,
    cwd,
  }, {
    onInterrupt: (listener) => interrupt?.addEventListener("abort", listener),
    exit: () => {},
  });
  return { code, out, errors };
}
