/** Prints a call: pieces as they come, progress as a status, and the answer. */
import type { Progress } from "../../../src/core/call/outcome.ts";
import { canonicalJson } from "../../../src/internal/json.ts";
import { formatProgress } from "../terminal/progress.ts";
import { printableLine, type Terminal } from "../terminal/terminal.ts";
import { formatAnswer } from "./answer_text.ts";
import type { CallListener } from "./run_call.ts";

/** Flags of the output of calls: one JSON object at the end (`--json`), or one for each event (`--ndjson`). Default: text. */
export interface CallOutputFlags {
  readonly json?: boolean;
  readonly ndjson?: boolean;
}

/** What `--json` and `--ndjson` print about a finished call beside its answer. */
export interface CallSummary {
  readonly wire: string;
  readonly tookMs: number;
}

/** How the progress of work begins that waits: see docs/durable.md. */
const WAIT = /^(?:Sleeping|Waiting for|Trying|Blocked:)/;

/** Prints one call: partials as they come, progress as a status line, and the answer. With `--json` it prints the answer alone. */
export class CallPrinter implements CallListener {
  readonly #terminal: Terminal;
  readonly #flags: CallOutputFlags;
  readonly #label: string;
  readonly #showsToken: boolean;
  readonly #pieces: unknown[] = [];
  #progress: Progress | undefined;
  #isPromised = false;
  /** Reason why the call waits, as it was printed last, so that it is printed once. */
  #waitsFor: string | undefined;
  /** Whether the last piece did not end its line: a status would erase it. */
  #isWithinLine = false;

  /**
   * @param label What is called, for the status.
   * @param showsToken Whether a person is shown the token of a promise: not one that was given, or that is the output itself.
   */
  constructor(terminal: Terminal, flags: CallOutputFlags, label: string, showsToken = true) {
    this.#terminal = terminal;
    this.#flags = flags;
    this.#label = label;
    this.#showsToken = showsToken;
  }

  /** Shows that the call is running, on a terminal. */
  begin(): void {
    if (this.#terminal.isInteractive) this.#showStatus();
  }

  onPartial(value: unknown): void {
    const { json, ndjson } = this.#flags;
    if (ndjson === true) return this.#terminal.printJson({ partial: value });
    if (json === true) return;
    this.#pieces.push(value);
    if (typeof value !== "string") return this.#terminal.print(this.#terminal.foreign(JSON.stringify(value)));
    // The rest of the line is the stream's.
    this.#terminal.status.end();
    this.#terminal.write(this.#terminal.foreign(value));
    this.#isWithinLine = !value.endsWith("\n");
  }

  onProgress(progress: Progress): void {
    if (this.#flags.ndjson === true) return this.#terminal.printJson({ progress });
    this.#progress = progress;
    this.#noteWait(progress);
    this.#showStatus();
  }

  onPromise(token: string): void {
    if (this.#isPromised) return;
    this.#isPromised = true;
    const { json, ndjson } = this.#flags;
    if (ndjson === true) this.#terminal.printJson({ promise: token });
    else if (json !== true && this.#showsToken) {
      this.#note(["The answer is promised; the work continues as", token].join("\n  "));
    }
  }

  /** Prints what a promised call waits for, such as an approval in two days: the status has little room for it. */
  #noteWait({ message }: Progress): void {
    const { json, ndjson } = this.#flags;
    if (!this.#isPromised || json === true || ndjson === true || message === this.#waitsFor) return;
    if (typeof message !== "string" || !WAIT.test(message)) return;
    this.#waitsFor = message;
    this.#note(printableLine(message));
  }

  #note(text: string): void {
    if (this.#isWithinLine) this.#terminal.print("");
    this.#isWithinLine = false;
    this.#terminal.note(this.#terminal.styleNote("dim", text));
  }

  /** Prints the answer. Without `--json` and `--ndjson` it is left out if the printed pieces equal it. */
  end(value: unknown, { wire, tookMs }: CallSummary): void {
    const terminal = this.#terminal;
    terminal.status.end();
    const { json, ndjson } = this.#flags;
    if (json === true || ndjson === true) {
      return terminal.printJson({ outcome: "answer", answer: value ?? null, wire, tookMs: Math.round(tookMs) });
    }
    const text = formatAnswer(value);
    if (this.#hasPrinted(value)) {
      return text.endsWith("\n") || typeof value !== "string" ? undefined : terminal.print("");
    }
    if (this.#isWithinLine) terminal.print("");
    if (value === undefined) return terminal.note(terminal.styleNote("dim", "Done, without an answer"));
    terminal.write(terminal.foreign(text.endsWith("\n") ? text : `${text}\n`));
  }

  /** Ends a call whose answer was written to a file: prints what is left of it. */
  endWritten(rest: unknown, summary: CallSummary): void {
    if (rest !== undefined || this.#flags.json === true || this.#flags.ndjson === true) return this.end(rest, summary);
    this.#terminal.status.end();
    if (this.#isWithinLine) this.#terminal.print("");
  }

  /** Whether the pieces that were printed are the whole answer, which is then not printed again. */
  #hasPrinted(value: unknown): boolean {
    if (this.#pieces.length === 0) return false;
    if (typeof value === "string") return this.#pieces.join("") === value;
    return canonicalJson(this.#pieces) === canonicalJson(value);
  }

  #showStatus(): void {
    if (this.#isWithinLine) return;
    this.#terminal.status.show((columns, frame) => formatProgress(this.#label, this.#progress, columns, frame));
  }
}
