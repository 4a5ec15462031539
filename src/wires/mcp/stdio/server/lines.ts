import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";

const NEWLINE = 0x0a;

const NO_TEXT: ErrorResult = errorResult("parse_error", "The line is not valid UTF-8");

/** Cuts bytes into lines, wherever their pieces are cut. A line that is too long, or no text, is the refusal of it. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isDropping = false;

  /** @param maxBytes Longest line. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes, and gives the lines that they complete, without their ends. */
  push(bytes: Uint8Array): (string | ErrorResult)[] {
    const lines: (string | ErrorResult)[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end), lines);
      if (!this.#isDropping) lines.push(this.#take());
      this.#isDropping = false;
      start = end + 1;
    }
    this.#add(bytes.subarray(start), lines);
    return lines;
  }

  /** What stands after the last line's end; `undefined` for nothing. */
  end(): string | ErrorResult | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #add(bytes: Uint8Array, lines: (string | ErrorResult)[]): void {
    if (this.#isDropping || bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length <= this.#maxBytes) return void this.#pieces.push(bytes);
    // Told at once: its end may never come.
    lines.push(errorResult("payload_too_large", `The line is longer than ${this.#maxBytes} bytes`));
    this.#forget();
    this.#isDropping = true;
  }

  #take(): string | ErrorResult {
    const line = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    this.#forget();
    try {
      const text = this.#decoder.decode(line);
      return text.endsWith("\r") ? text.slice(0, -1) : text;
    } catch {
      return NO_TEXT;
    }
  }

  #forget(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
