/** A message that is larger than servers and clients take by default, in characters. */
export const LARGE = 10_485_760;

/** A message that is not, and still compresses well. */
export const ZIPPED = 500_000;

/** How many streams are open at once. */
export const CROWD = {
  /** Of one process. */
  many: 100,
  /** Of a process each. */
  few: 10,
} as const;
