/** What cannot be imported: a fault of the document, not of whoever imports it. */
export class ImportError extends TypeError {
  /** @param where Names what has it: `GET /pets`. */
  constructor(where: string, problem: string) {
    super(`Cannot import ${where}: ${problem}`);
  }
}
