/** Replacements in the text of one file, by offset. All other text stays as it is, comments and line ends included. */

/** Text that replaces a range of a source file. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether it stays beside a larger edit that begins at the same offset. */
  readonly isBeside: boolean;
}

/** Start and end of a text, as offsets in its file. A node is one. */
export interface Range {
  getStart(): number;
  getEnd(): number;
}

/** The edits of one file. An edit that contains others replaces them: its text was rendered from theirs. */
export class Edits {
  readonly #text: string;
  #edits: Edit[] = [];
  #appended: Edit | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the file has no edits and stays as it is. What is appended to the imports does not count. */
  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  /** Replaces a node. */
  replace(node: Range, text: string): void {
    this.overwrite(node.getStart(), node.getEnd(), text);
  }

  overwrite(start: number, end: number, text: string): void {
    this.#edits = this.#edits.filter((edit) => edit.isBeside || edit.start < start || edit.end > end);
    this.#edits.push({ start, end, text, isBeside: false });
  }

  /** Inserts a text that stays, also if the node at this offset is replaced. */
  insert(at: number, text: string): void {
    if (this.#edits.some((edit) => edit.start === at && edit.end === at && edit.text === text)) return;
    this.#edits.push({ start: at, end: at, text, isBeside: true });
  }

  /** Inserts a text after the imports. It comes after what is inserted there otherwise. */
  append(at: number, text: string): void {
    const before = this.#appended?.text ?? "";
    this.#appended = { start: at, end: at, text: before + text, isBeside: true };
  }

  /** The text of a node, with the edits in it. */
  render(node: Range): string {
    return this.renderRange(node.getStart(), node.getEnd());
  }

  /** The text of a range, with the edits in it. Insertions at its ends belong to what surrounds it. */
  renderRange(start: number, end: number): string {
    const inside = this.#edits
      .filter((edit) => edit.start >= start && edit.end <= end)
      .filter((edit) => edit.start < edit.end || (edit.start > start && edit.end < end))
      .sort(byOffset);
    let text = "";
    let at = start;
    for (const edit of inside) {
      if (edit.start < at) continue;
      text += this.#text.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return text + this.#text.slice(at, end);
  }

  /** The text of the file, with all edits. */
  apply(): string {
    let text = "";
    let at = 0;
    const appended = this.#appended === undefined ? [] : [this.#appended];
    for (const edit of [...this.#edits, ...appended].toSorted(byOffset)) {
      // What is appended to the imports stays, also if the last of them is removed.
      if (edit.start < at && edit !== this.#appended) continue;
      text += this.#text.slice(at, Math.max(at, edit.start)) + edit.text;
      at = Math.max(at, edit.end);
    }
    return text + this.#text.slice(at);
  }
}

/** Insertions first, then the larger edit. */
function byOffset(one: Edit, other: Edit): number {
  const isInsertion = ({ start, end }: Edit) => start === end ? 0 : 1;
  return one.start - other.start || isInsertion(one) - isInsertion(other) || other.end - one.end;
}
