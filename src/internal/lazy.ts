/** Something that is opened when it is first needed. An opening that failed is forgotten: the next need tries again. */
export class Lazy<Value> {
  readonly #open: () => Promise<Value>;
  #value: Promise<Value> | undefined = undefined;

  /** @param open Opens it. */
  constructor(open: () => Promise<Value>) {
    this.#open = open;
  }

  /** It, opened now if it was not before. */
  get(): Promise<Value> {
    if (this.#value === undefined) {
      const value = this.#open();
      this.#value = value;
      value.catch(() => {
        if (this.#value === value) this.#value = undefined;
      });
    }
    return this.#value;
  }

  /** It, if somebody has needed it; also while it is being opened. */
  get opened(): Promise<Value> | undefined {
    return this.#value;
  }
}
