/** Methods that work without their object, as a pattern takes them out of it: `({ id }, { log, progress }) => …`. */

/**
 * Replaces methods of a prototype by getters that bind them. A bound method is made when it is read, so objects cost no more to make. Members of
 * instances may be set, as before. Read from the prototype itself, a method is not bound.
 */
export function bindMethods(prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const method = (prototype as Readonly<Record<string, () => unknown>>)[name];
    if (method === undefined) throw new TypeError(`There is no method ${name}`);
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(): unknown {
        return this === prototype ? method : method.bind(this);
      },
      set(value: unknown) {
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}
