/** The process of `toolwire dev` that owns the terminal: shows what the serving process reports, and ends it. */
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { decodeDevEvent, type DevEvent, type DevFailure } from "./messages.ts";
import { awaitChange, needsHelp } from "./failed_module.ts";
import { isEndOfProgram, isOwnLine, signalWatcher } from "./watcher.ts";

/** Time that the serving process has to end, in milliseconds. */
const END_MS = 3_000;

/** Options of {@link DevSession}. */
export interface DevSessionOptions {
  /** Folder of the module, which is watched after the module failed to load. */
  readonly folder: string;
  readonly terminal: Terminal;
  /** Starts the process that serves. Called again for each restart by the session. Throws a `CliError` if that fails. */
  start(): ChildProcess;
}

/** Starts the serving process, shows its output and events, restarts it after a module failed to load, and ends it. */
export class DevSession {
  readonly #options: DevSessionOptions;
  readonly #terminal: Terminal;
  readonly #closed: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #failed: PromiseWithResolvers<CliError> = Promise.withResolvers();
  #child: ChildProcess;
  #exited: Promise<string>;
  /** Last banner, which is repeated only if it has changed. */
  #banner = "";
  #isEnding = false;
  #endWait: () => void = () => {};

  constructor(options: DevSessionOptions) {
    this.#options = options;
    this.#terminal = options.terminal;
    [this.#child, this.#exited] = this.#start();
  }

  /**
   * Runs until the signal aborts, and then ends the serving process.
   *
   * @throws {CliError} If the watcher ends before, or no change of the module can mend its failure.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined));
      if (signal.aborted) resolve(undefined);
    });
    const error = await Promise.race([this.#failed.promise, stopped]);
    this.#endWait();
    await this.#end();
    if (error !== undefined) throw error;
  }

  #start(): [ChildProcess, Promise<string>] {
    const child = this.#options.start();
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#read(stream);
    const exited = new Promise<string>((resolve) => {
      child.once("error", (thrown) => resolve(thrown.message));
      child.once("exit", (code, killed) => resolve(`it ended with ${killed ?? `code ${code}`}`));
    });
    void exited.then((reason) => {
      if (child !== this.#child || this.#isEnding) return;
      this.#failed.resolve(
        new CliError(EXIT.found, `The process that serves cannot run: ${reason}`, { code: "dev_process" }),
      );
    });
    return [child, exited];
  }

  #restart(): void {
    const old = this.#child;
    try {
      [this.#child, this.#exited] = this.#start();
    } catch (thrown) {
      this.#failed.resolve(thrown as CliError);
    }
    if (old !== this.#child) signalWatcher(old, "SIGKILL");
  }

  /** The watcher of Deno continues after SIGTERM, so it is killed when the program reports its end. */
  async #end(): Promise<void> {
    this.#isEnding = true;
    const child = this.#child;
    signalWatcher(child, "SIGTERM");
    await this.#isSoon(Promise.race([this.#exited, this.#closed.promise]));
    signalWatcher(child, "SIGKILL");
    if (await this.#isSoon(this.#exited)) return;
    // One that cannot be ended, as it runs as another user, does not keep this process running.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
    child.unref();
  }

  async #isSoon(end: Promise<unknown>): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), END_MS);
    const isInTime = await Promise.race([end.then(() => true), late.promise]);
    clearTimeout(timer);
    return isInTime;
  }

  #read(stream: Readable): void {
    createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) => {
      const event = decodeDevEvent(line);
      if (event !== undefined) this.#show(event);
      else if (isEndOfProgram(line)) this.#explainEnd();
      else if (!isOwnLine(line)) this.#terminal.note(line);
    });
  }

  #show(event: DevEvent): void {
    this.#endWait();
    if (event.kind === "closed") return this.#isEnding ? this.#closed.resolve() : undefined;
    if (event.kind === "failed") return this.#showFailure(event);
    const { banner, tools } = event;
    const isSame = banner === this.#banner;
    const counted = `${tools} ${tools === 1 ? "tool" : "tools"}`;
    if (this.#banner !== "") this.#note("green", `↻ Reloaded: ${counted}`);
    if (!isSame) this.#terminal.note(banner);
    if (this.#banner === "") this.#note("dim", "Files are watched; Ctrl+C ends it");
    this.#banner = banner;
  }

  #showFailure({ message, detail, hint, isFinal, startedMs }: DevFailure): void {
    if (isFinal === true) return this.#failed.resolve(new CliError(EXIT.usage, message, { hint }));
    this.#note("red", `✕ ${message}`);
    if (detail !== "") this.#terminal.note(detail.replace(/^/gm, "    "));
    if (hint !== undefined) this.#note("yellow", `→ ${hint}`);
    this.#note("yellow", "→ Mend it and save: it is loaded again");
    if (needsHelp()) this.#endWait = awaitChange(this.#options.folder, startedMs, () => this.#restart());
  }

  /** The module has ended the process, or an exception has. The exception is printed already. */
  #explainEnd(): void {
    if (!this.#isEnding) this.#note("yellow", "→ The program has ended. Save a file to start it again");
  }

  #note(style: "green" | "dim" | "red" | "yellow", line: string): void {
    this.#terminal.note(this.#terminal.styleNote(style, line));
  }
}
