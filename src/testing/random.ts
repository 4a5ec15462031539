/** Numbers at random that are the same again for the same seed: for tests, not for secrets. */
export class Random {
  #state: number;

  /** @param seed Any number; its fraction does not count. */
  constructor(seed: number) {
    // Seeds that are neighbours begin far from each other, and none at 0, where the generator would stay.
    this.#state = Math.imul(Math.trunc(seed) + 1, 0x9e3779b1) || 1;
    for (let round = 0; round < 8; round++) this.share();
  }

  /** A number from 0, inclusive, to 1, exclusive. Xorshift of 32 bits. */
  share(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, inclusive, to `count`, exclusive. */
  below(count: number): number {
    return Math.floor(this.share() * count);
  }
}
