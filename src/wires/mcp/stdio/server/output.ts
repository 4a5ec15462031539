import process from "node:process";
import type { WriteLine } from "./connection.ts";

/** Standard output, for messages alone. */
export interface ClaimedOutput {
  /** Writes a line. */
  readonly write: WriteLine;
  /** Gives it back. */
  release(): void;
}

/** What writes to standard output, on some runtimes past its stream. */
const PRINTERS = [
  "log",
  "info",
  "debug",
  "table",
  "dir",
  "dirxml",
  "group",
  "groupCollapsed",
  "count",
  "timeEnd",
  "timeLog",
];

let claimed: ClaimedOutput | undefined;

/** From now on only messages are written to standard output; what else would be goes to standard error. */
export function claimOutput(): ClaimedOutput {
  return (claimed ??= claim());
}

function claim(): ClaimedOutput {
  const { stdout, stderr } = process;
  const own = stdout.write;
  const write = own.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const printers = console as unknown as Record<string, unknown>;
  const methods = PRINTERS.map((name) => [name, printers[name]] as const);
  for (const [name] of methods) printers[name] = (...args: unknown[]) => console.error(...args);
  // Who reads no more has gone, and the input's end tells so.
  const ignore = (): void => {};
  stdout.on("error", ignore);
  return {
    write(line) {
      if (write(`${line}\n`)) return;
      return new Promise((resolve) => void stdout.once("drain", resolve));
    },
    release() {
      stdout.write = own;
      for (const [name, method] of methods) printers[name] = method;
      stdout.off("error", ignore);
      claimed = undefined;
    },
  };
}
