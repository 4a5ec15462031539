/**
 * One line of status on standard error: progress, and what is waited for.
 *
 * On a terminal the line is redrawn in place, at most ten times a second. The cursor waits in the line above it, so that output of a
 * module or a program that runs beside it does not mix with it. Elsewhere each change of the text is one line, at most one a second.
 */
import process from "node:process";
import type { OutputStream } from "./process.ts";
import { watchOutput } from "./watch_output.ts";
import { cutToWidth } from "./width.ts";

/** Minimum time between two redraws, in milliseconds. */
const REDRAW_MS = 100;
/** Minimum time between two lines of an output that is not a terminal, in milliseconds. */
const LINE_MS = 1_000;

/** Returns the text of a status when it is drawn, for a width in columns. The frame number advances with each redraw. */
export type StatusText = (columns: number, frame: number) => string;

/** The status line of a process, redrawn in place on a terminal, otherwise one line for each change. Its methods never throw. */
export class StatusLine {
  readonly #stream: OutputStream;
  #text: StatusText | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #frame = 0;
  #isShown = false;
  #isWatching = false;
  #wroteAtMs = -Infinity;
  #written = "";

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  /** Shows a status, or replaces the one that is shown. Redraws are limited, so that it may be called for every event. */
  show(text: StatusText): void {
    this.#text = text;
    if (this.#stream.isTTY !== true) return this.#writeLine(text);
    if (this.#timer !== undefined) return;
    this.#watchOthers();
    this.#timer = setInterval(() => this.#redraw(), REDRAW_MS);
    // The status alone must not keep the process alive.
    (this.#timer as { unref?(): void }).unref?.();
    this.#redraw();
  }

  /** Removes the line from the screen until the next redraw: other output follows. */
  hide(): void {
    if (!this.#isShown) return;
    // First, as writing calls this again.
    this.#isShown = false;
    this.#write(CLEAR_BELOW);
  }

  /** Removes the status. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#text = undefined;
    this.#written = "";
    this.hide();
  }

  /** A warning of a module in this process would be written over the line. */
  #watchOthers(): void {
    if (this.#isWatching || this.#stream !== process.stderr) return;
    this.#isWatching = true;
    watchOutput(() => this.hide());
  }

  #redraw(): void {
    const text = this.#text?.((this.#stream.columns ?? DEFAULT_COLUMNS) - 1, this.#frame++);
    if (text === undefined) return;
    // This write clears the line, too.
    this.#isShown = false;
    this.#isShown = this.#write(`${CLEAR_BELOW}\n${text}${LINE_ABOVE}`);
  }

  /** Returns whether it was written. A terminal that is closed ends no command: an exception of a timer would end the process. */
  #write(text: string): boolean {
    try {
      this.#stream.write(text);
      return true;
    } catch {
      return false;
    }
  }

  #writeLine(text: StatusText): void {
    const line = text(DEFAULT_COLUMNS, 0);
    const nowMs = performance.now();
    if (line === this.#written || nowMs - this.#wroteAtMs < LINE_MS) return;
    this.#wroteAtMs = nowMs;
    this.#written = line;
    this.#write(`${cutToWidth(line, DEFAULT_COLUMNS)}\n`);
  }
}

/** Clears from the cursor to the end of the screen. */
const CLEAR_BELOW = "\u001b[0J";
/** Moves to the start of the line above. */
const LINE_ABOVE = "\u001b[1A\r";
const DEFAULT_COLUMNS = 80;
