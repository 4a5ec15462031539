import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { payloadTooLarge } from "../../../../core/call/payload_too_large.ts";

const NEWLINE = 0x0a;

const NOT_UTF8: ErrorResult = errorResult("parse_error", "The line is not valid UTF-8");

/** Number of bytes of a line that is too long which are read as its start. */
const START_BYTES = 512;

/** The error for a line, and the start of a line that is too long. */
export interface RefusedLine extends ErrorResult {
  readonly start?: string;
}

/** Splits a byte stream into lines of text, for messages on stdin. A line that is too long or not UTF-8 becomes an error. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #chunks: Uint8Array[] = [];
  #length = 0;
  #isSkipping = false;

  /** @param maxBytes Maximum length of a line in bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Appends a chunk of bytes and returns the lines that it completes, without their line endings. An incomplete last line is kept. */
  push(bytes: Uint8Array): (string | RefusedLine)[] {
    const lines: (string | RefusedLine)[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end), lines);
      if (!this.#isSkipping) lines.push(this.#take());
      this.#isSkipping = false;
      start = end + 1;
    }
    this.#add(bytes.subarray(start), lines);
    return lines;
  }

  /** The text after the last line ending; `undefined` if the input ended with a line ending. */
  end(): string | ErrorResult | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #add(bytes: Uint8Array, lines: (string | RefusedLine)[]): void {
    if (this.#isSkipping || bytes.length === 0) return;
    this.#length += bytes.length;
    this.#chunks.push(bytes);
    if (this.#length <= this.#maxBytes) return;
    // Reported at once: the end of the line may never arrive.
    const start = new TextDecoder().decode(this.#join(Math.min(START_BYTES, this.#maxBytes)));
    lines.push({ ...payloadTooLarge("line", this.#maxBytes), start });
    this.#clear();
    this.#isSkipping = true;
  }

  #take(): string | ErrorResult {
    const line = this.#join(this.#length);
    this.#clear();
    try {
      const text = this.#decoder.decode(line);
      return text.endsWith("\r") ? text.slice(0, -1) : text;
    } catch {
      return NOT_UTF8;
    }
  }

  /** The first bytes of the line. */
  #join(length: number): Uint8Array {
    const joined = new Uint8Array(length);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk.subarray(0, length - at), at);
      at += Math.min(chunk.length, length - at);
    }
    return joined;
  }

  #clear(): void {
    this.#chunks = [];
    this.#length = 0;
  }
}
