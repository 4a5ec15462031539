/**
 * Notes of the library's visitors. They are lost when the process ends.
 *
 * @module
 */

/** Called after a note was added. */
type Listener = () => void;

class Notes {
  /** Where callers read them. */
  readonly uri = "library://notes";
  readonly #lines: string[] = [];
  readonly #listeners: Listener[] = [];

  /** Writes a note down, and gives how many there are. */
  add(text: string): number {
    const count = this.#lines.push(text);
    for (const listener of this.#listeners) listener();
    return count;
  }

  /** Has `listener` called after each note. */
  onAdded(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** All of them in Markdown. */
  toMarkdown(): string {
    return `# Notes\n\n${this.#lines.map((line) => `- ${line}\n`).join("")}`;
  }
}

/** The notes of this process. */
export const notes: Notes = new Notes();
