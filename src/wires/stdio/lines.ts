/** Cuts text into lines, wherever its pieces are cut. A line that is longer than it may be is dropped, to its end. */
export class LineSplitter {
  readonly #maxChars: number;
  readonly #onDropped: () => void;
  #line = "";
  #isDropping = false;

  /**
   * @param maxChars Longest line, in UTF-16 code units.
   * @param onDropped Told of each line that is dropped, once.
   */
  constructor(maxChars: number, onDropped: () => void = () => {}) {
    this.#maxChars = maxChars;
    this.#onDropped = onDropped;
  }

  /** Takes the next piece of text, and gives the lines that it completes, without their ends. */
  push(text: string): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#add(text.slice(start, end));
      if (!this.#isDropping) lines.push(this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line);
      this.#line = "";
      this.#isDropping = false;
      start = end + 1;
    }
    this.#add(text.slice(start));
    return lines;
  }

  /** What stands after the last line's end; `undefined` for nothing. */
  end(): string | undefined {
    return this.#isDropping || this.#line === "" ? undefined : this.#line;
  }

  #add(text: string): void {
    if (this.#isDropping) return;
    if (this.#line.length + text.length > this.#maxChars) {
      this.#line = "";
      this.#isDropping = true;
      this.#onDropped();
    } else this.#line += text;
  }
}
