/** Size of a message that exceeds the default limits of servers and clients, in characters. */
export const LARGE = 10_485_760;

/** Size of a message within the limits, which still compresses well, in characters. */
export const ZIPPED = 500_000;

/** Every kind of JSON value. */
export const VALUES = {
  nothing: null,
  yes: true,
  no: false,
  numbers: [0, -1.5, 1e300, 9007199254740991],
  texts: ["", "Ünï猫🦊\u0000\n"],
  empty: { list: [], object: {} },
  nested: { a: [{ b: [[null, "deep"]] }] },
};

/** Number of streams that are open at once. */
export const CROWD = {
  /** In one process. */
  many: 100,
  /** In one process each. */
  few: 10,
} as const;
