/** Remembers what was made of an object, such as the text of a list, as long as the object is in use. */
export class ObjectCache<Key extends object, Value> {
  readonly #values = new WeakMap<Key, Value>();
  readonly #make: (key: Key) => Value;

  constructor(make: (key: Key) => Value) {
    this.#make = make;
  }

  /** Returns what was made of the object, which is made now if it is the first time. */
  get(key: Key): Value {
    let value = this.#values.get(key);
    if (value === undefined) this.#values.set(key, value = this.#make(key));
    return value;
  }
}
