/** The pipes of a process that a client has started, and its end. */
import type { ChildProcess } from "node:child_process";
import process from "node:process";
import { type ErrorResult, errorResultWithCause } from "../../../../core/call/outcome.ts";
import type { DuplexConnection } from "../../client/duplex_transport.ts";

/** Time for a process to exit after its input has ended, and again after SIGTERM and SIGKILL, in milliseconds. */
const EXIT_TIMEOUT_MS = 2_000;

/** Time to read what a process has written before its exit, if a program that it has started keeps its pipes open, in milliseconds. */
const READING_MS = 500;

/** Writes to a process, and ends it. The end is reported once, with its first cause. */
export class ProcessConnection implements DuplexConnection {
  isClosed = false;
  readonly #child: ChildProcess;
  readonly #command: string;
  readonly #onEnd: (error: ErrorResult) => void;
  /** The first line of its output that is not a message, quoted. */
  strayLine: string | undefined;
  /** How the process has ended. */
  #end: string | undefined;
  #isEnding = false;
  #hasFailed = false;

  /** @param onEnd Receives the error for requests that have no reply. */
  constructor(child: ChildProcess, command: string, onEnd: (error: ErrorResult) => void) {
    this.#child = child;
    this.#command = command;
    this.#onEnd = onEnd;
    // Errors are reported by the callback of each write.
    child.stdin?.on("error", () => {});
    child.stdout?.on("error", ({ message }) => this.kill(unavailable(`${command}: ${message}`)));
    child.stderr?.on("error", () => {});
    child.once("exit", (code, signal) => {
      this.#end ??= `${command} ended with ${signal ?? `status ${code}`}`;
      const timer = setTimeout(() => this.#abandon(), READING_MS);
      child.once("close", () => clearTimeout(timer));
    });
    child.once(
      "close",
      (code, signal) =>
        this.fail(unavailable(this.#withStrayLine(this.#end ?? `${command} ended with ${signal ?? code}`))),
    );
  }

  write(text: string): Promise<ErrorResult | undefined> {
    return new Promise((resolve) => {
      this.#child.stdin?.write(`${text}\n`, (cause) => {
        if (cause === undefined || cause === null) return resolve(undefined);
        // Nothing can be sent to it any more, so that the next request starts another one.
        this.close();
        resolve(unavailable(this.#end ?? `${this.#command}: ${cause.message}`, cause));
      });
    });
  }

  /** Ends the input of the process, on which it should exit. Otherwise sends SIGTERM, then SIGKILL, and then gives it up. */
  close(): void {
    const child = this.#child;
    this.isClosed = true;
    child.stdin?.end();
    if (this.#isEnding || this.#hasFailed || this.#end !== undefined) return;
    this.#isEnding = true;
    const steps = [() => this.#signal("SIGTERM"), () => this.#signal("SIGKILL"), () => this.#abandon()];
    const timers = steps.map((step, index) => setTimeout(step, (index + 1) * EXIT_TIMEOUT_MS));
    const stop = () => timers.forEach((timer) => clearTimeout(timer));
    child.once("exit", stop).once("close", stop);
  }

  /** Ends the process and its pipes at once. */
  kill(error: ErrorResult): void {
    this.fail(error);
    this.#signal("SIGKILL");
    this.#abandon();
  }

  /** Reports that the process cannot be used any more. */
  fail(error: ErrorResult): void {
    this.isClosed = true;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#onEnd(error);
  }

  #withStrayLine(end: string): string {
    return this.strayLine === undefined ? end : `${end}; it printed ${this.strayLine}, which is not a message of MCP`;
  }

  /** Closes the pipes, so that neither they nor a process that cannot be ended keep this one running. */
  #abandon(): void {
    const child = this.#child;
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
    child.unref();
    this.fail(unavailable(this.#end ?? `${this.#command} has not ended`));
  }

  /** Sends a signal by process id: on Deno, `kill()` of a child works only once. */
  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#end !== undefined) return;
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile, or runs as another user: then it is given up.
    }
  }
}

function unavailable(reason: string, cause?: Error): ErrorResult {
  return errorResultWithCause("unavailable", "The server has ended", reason, cause && { cause });
}
