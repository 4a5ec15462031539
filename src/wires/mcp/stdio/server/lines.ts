import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { payloadTooLarge } from "../../../../core/call/payload_too_large.ts";

const NEWLINE = 0x0a;

const NOT_UTF8: ErrorResult = errorResult("parse_error", "The line is not valid UTF-8");

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
  push(bytes: Uint8Array): (string | ErrorResult)[] {
    const lines: (string | ErrorResult)[] = [];
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

  #add(bytes: Uint8Array, lines: (string | ErrorResult)[]): void {
    if (this.#isSkipping || bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length <= this.#maxBytes) return void this.#chunks.push(bytes);
    // Reported at once: the end of the line may never arrive.
    lines.push(payloadTooLarge("line", this.#maxBytes));
    this.#clear();
    this.#isSkipping = true;
  }

  #take(): string | ErrorResult {
    const line = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      line.set(chunk, at);
      at += chunk.length;
    }
    this.#clear();
    try {
      const text = this.#decoder.decode(line);
      return text.endsWith("\r") ? text.slice(0, -1) : text;
    } catch {
      return NOT_UTF8;
    }
  }

  #clear(): void {
    this.#chunks = [];
    this.#length = 0;
  }
}
