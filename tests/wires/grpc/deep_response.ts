/** Bytes of a `mcplite.ToolResponse` whose result is nested: a library would not write them. */

/** Writes `{"a":{"a":…}}` with that many levels, from the innermost struct outwards. */
export function deepResponse(levels: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(64 + levels * 24);
  let at = bytes.length;
  const prepend = (...values: readonly number[]): void => {
    at -= values.length;
    bytes.set(values, at);
  };
  /** Puts a tag and the length of what was written so far in front of it. */
  const wrap = (tag: number): void => {
    const length: number[] = [];
    for (let rest = bytes.length - at; length.length === 0 || rest > 0; rest = Math.floor(rest / 128)) {
      length.push(rest % 128 + (rest >= 128 ? 128 : 0));
    }
    prepend(tag, ...length);
  };
  for (let level = 1; level < levels; level++) {
    wrap(0o52); // struct_value of a Value
    wrap(0o22); // value of an entry
    prepend(0o12, 1, 0x61); // its key
    wrap(0o12); // fields of a Struct
  }
  wrap(0o12); // result
  return bytes.slice(at);
}
