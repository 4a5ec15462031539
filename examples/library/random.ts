/**
 * Chance that repeats itself: the same seed gives the same numbers, on every machine.
 *
 * @module
 */

/** Draws a whole number from 0 up to, but not including, `below`. */
export type Draw = (below: number) => number;

/**
 * Starts a sequence of draws: a 32-bit xorshift generator, which is good enough to resample by and no good for secrets.
 *
 * @param seed Any text; each has its own sequence.
 */
export function createDraw(seed: string): Draw {
  let state = hashText(seed);
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * below);
  };
}

/** Mixes text into 32 bits (FNV-1a); never zero, from which the generator would not come away. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash === 0 ? 1 : hash;
}
