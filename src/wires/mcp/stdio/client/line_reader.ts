// In its own file because it runs without Node's modules, which the transport imports.

/** Splits the output of a server's process into lines of UTF-8 text. An unfinished line is kept until more bytes arrive. */
export class LineReader {
  readonly #maxLength: number;
  // By default, Deno removes U+FEFF at the start of each chunk as a byte order mark.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #rest = "";

  /** @param maxLength Maximum length of a line, in UTF-16 code units. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Returns the lines that these bytes complete; `undefined` if a line is too long. */
  read(bytes: Uint8Array): string[] | undefined {
    const lines = this.#decoder.decode(bytes, { stream: true }).split("\n");
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() as string;
    return [...lines, this.#rest].some(({ length }) => length > this.#maxLength) ? undefined : lines;
  }
}
