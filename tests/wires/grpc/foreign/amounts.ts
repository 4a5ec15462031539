/** A message that is larger than servers and clients take by default, in characters. */
export const LARGE = 10_485_760;

/** A message that is not, and still compresses well. */
export const ZIPPED = 500_000;

/** Every kind of value that JSON has. */
export const VALUES = {
  nothing: null,
  yes: true,
  no: false,
  numbers: [0, -1.5, 1e300, 9007199254740991],
  texts: ["", "Ünï猫🦊\u0000\n"],
  empty: { list: [], object: {} },
  nested: { a: [{ b: [[null, "deep"]] }] },
};

/** How many streams are open at once. */
export const CROWD = {
  /** Of one process. */
  many: 100,
  /** Of a process each. */
  few: 10,
} as const;
