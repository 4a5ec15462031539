/** `toolwire` in this process, with a home folder, a working directory and streams of the test. */
import { runProgram } from "../../../apps/cli/app.ts";

/** A command that has ended. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Where a command runs. */
export interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the streams are a terminal. */
  readonly isTTY?: boolean;
  /** Text of standard input. */
  readonly input?: string;
  /** Receives each text of standard output. */
  readonly onOut?: (text: string) => void;
  /** Receives each text of standard error. */
  readonly onNote?: (text: string) => void;
  /** Receives the function that interrupts the command, as Ctrl+C does. */
  readonly onInterruptible?: (interrupt: () => void) => void;
}

/** Runs it to its end. Modules are not loaded here: they would take over the standard output of the tests. */
export async function runHere(
  { cwd, env = {}, isTTY = false, input, onOut, onNote, onInterruptible }: Place,
  ...args: readonly string[]
): Promise<CommandResult> {
  let out = "";
  let errors = "";
  const stdin = {
    isTTY,
    async *[Symbol.asyncIterator]() {
      if (input !== undefined) yield input;
    },
  };
  const code = await runProgram(args, {
    stdout: {
      write(text) {
        out += text;
        onOut?.(text);
      },
      isTTY,
    },
    stderr: {
      write(text) {
        errors += text;
        onNote?.(text);
      },
      isTTY,
    },
    stdin,
    env: { HOME: cwd, ...env },
    cwd,
  }, { onInterrupt: (listener) => onInterruptible?.(listener), exit: () => {} });
  return { code, out, errors };
}
