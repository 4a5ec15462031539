/** Throws for what JSON writes as `{}`, or bytes as an object of indices: the handler would get that in its place, without a word. */
export function refuseLost(name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (isPlain || (!ArrayBuffer.isView(value) && Object.keys(value).length > 0)) return value;
  const kind = /^\[object (\w+)\]$/.exec(Object.prototype.toString.call(value))?.[1] ?? "Object";
  throw new TypeError(
    `${name === "" ? "it" : `"${name}"`} is a ${kind}; return plain values, such as await response.json()`,
  );
}
