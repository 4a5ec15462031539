/** Reserves standard output of this process for messages. */
import type { MaybePromise } from "../../../../internal/async.ts";
import process from "node:process";

/** Standard output, reserved for messages. */
interface ClaimedOutput {
  /** Writes a line. A returned promise resolves when the pipe has room for the next one. */
  write(line: string): MaybePromise<void>;
  /** Restores standard output. */
  release(): void;
}

/** Methods of `console` that write to standard output. Some runtimes bypass `process.stdout` in them. */
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

/** Reserves standard output for messages until `release()`. Everything else that is written to it goes to standard error. */
export function claimOutput(): ClaimedOutput {
  return (claimed ??= claim());
}

function claim(): ClaimedOutput {
  const { stdout, stderr } = process;
  const original = stdout.write;
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const printers = console as unknown as Record<string, unknown>;
  const methods = PRINTERS.map((name) => [name, printers[name]] as const);
  for (const [name] of methods) printers[name] = (...args: unknown[]) => console.error(...args);
  // A broken pipe is not an error: the input ends, too.
  const ignore = (): void => {};
  stdout.on("error", ignore);
  let full: Promise<void> | undefined;
  return {
    write(line) {
      return write(`${line}\n`) ? undefined : (full ??= drained(stdout).finally(() => (full = undefined)));
    },
    release() {
      stdout.write = original;
      for (const [name, method] of methods) printers[name] = method;
      stdout.off("error", ignore);
      claimed = undefined;
    },
  };
}

/** Resolves when a pipe has room again, or is broken. */
function drained(pipe: typeof process.stdout): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      pipe.off("drain", go).off("close", go).off("error", go);
      resolve();
    };
    pipe.on("drain", go).on("close", go).on("error", go);
  });
}
