/** The parts of the process that commands use. */
import process from "node:process";

/** Standard output or standard error of a process. */
export interface OutputStream {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal in columns. */
  readonly columns?: number | undefined;
}

/** What commands use of their process: streams, environment and working directory. Tests pass another one. */
export interface CliProcess {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: CliInput;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory. */
  readonly cwd: string;
}

/** Standard input: its chunks of bytes or text, and whether it is a terminal. */
interface CliInput extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

/** Returns a signal that aborts at SIGTERM or SIGHUP, which then do not end the process the first time. */
export function terminated(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGHUP"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
