/** Names of types in a file: from names of tools and definitions, each once. */

/** Words that are not names of types, and names that the file itself uses. */
const RESERVED = ["Tools", "Resources", "ResourceTemplates", "Prompts", "Contract", "Record", "Readonly", "Array"];

/** Maximum length of a name, in characters. Names of definitions are chosen by servers. */
const MAX_NAME = 120;

/**
 * Creates names of types that are unique in one file. Names of the file itself, such as `Tools`, are taken.
 *
 * Names that differ in case alone get a number, too: they would be easy to confuse.
 */
export class TypeNames {
  readonly #taken = new Set(RESERVED.map((name) => name.toLowerCase()));

  /** Returns `SearchDocumentsInput` for `search_documents` and `input`. A name that is taken gets a number. */
  add(...parts: readonly string[]): string {
    const words = parts.flatMap((part) => part.match(/[A-Za-z0-9]+/g) ?? []);
    const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("").slice(0, MAX_NAME);
    const base = /^[A-Z]/.test(joined) ? joined : `Type${joined}`;
    let name = base;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++) name = `${base}_${number}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
