/** Notices output of this process that does not come from a command: logs of a module, warnings of the runtime. */
import process from "node:process";

/** Methods of `console` that write. Some runtimes bypass `process.stderr` in them. */
const PRINTERS = ["error", "warn", "trace", "assert", "log", "info", "debug", "table", "dir", "group"];

const listeners = new Set<() => void>();

/** Calls the listener before each write to standard output and standard error, from now on. Its own writes notify it, too. */
export function watchOutput(listener: () => void): void {
  if (listeners.size === 0) {
    const printers = console as unknown as Record<string, unknown>;
    for (const name of PRINTERS) watchMethod(printers, name);
    for (const stream of [process.stdout, process.stderr]) {
      watchMethod(stream as unknown as Record<string, unknown>, "write");
    }
  }
  listeners.add(listener);
}

function watchMethod(owner: Record<string, unknown>, name: string): void {
  const method = owner[name];
  if (typeof method !== "function") return;
  owner[name] = function (this: unknown, ...args: readonly unknown[]): unknown {
    for (const listener of listeners) listener();
    return Reflect.apply(method, this, args);
  };
}
