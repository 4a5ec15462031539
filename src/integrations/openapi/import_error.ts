/** A part of the document that cannot be imported. */
export class ImportError extends TypeError {
  /** @param where Place of the problem: `GET /pets`. */
  constructor(where: string, problem: string) {
    super(`Cannot import ${where}: ${problem}`);
  }
}
