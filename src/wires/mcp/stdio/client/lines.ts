/** Cuts bytes into lines. */
export class LineReader {
  readonly #maxLength: number;
  // Deno would take U+FEFF at the start of any chunk for a byte order mark.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #rest = "";

  /** @param maxLength Longest line, in UTF-16 code units. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The lines that these bytes complete; `undefined` if one is too long. */
  read(bytes: Uint8Array): string[] | undefined {
    const lines = this.#decoder.decode(bytes, { stream: true }).split("\n");
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() as string;
    return [...lines, this.#rest].some(({ length }) => length > this.#maxLength) ? undefined : lines;
  }
}
