/** A set of tools, by their positions in a list: one bit for each tool, so that sets of thousands are joined and counted at once. */
export class ToolSet {
  readonly #bits: Uint32Array;

  /** An empty set. @param size Number of all tools of the list. */
  constructor(size: number) {
    this.#bits = new Uint32Array(Math.ceil(size / 32));
  }

  has(index: number): boolean {
    return ((this.#bits[index >> 5] as number) & (1 << (index & 31))) !== 0;
  }

  add(index: number): void {
    this.#bits[index >> 5] = (this.#bits[index >> 5] as number) | (1 << (index & 31));
  }

  clear(): void {
    this.#bits.fill(0);
  }

  /** Adds the tools of another set of the same list. */
  addAll(other: ToolSet): void {
    const bits = this.#bits;
    const others = other.#bits;
    for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) | (others[at] as number);
  }

  /** Removes the tools that another set of the same list does not have. */
  keep(other: ToolSet): void {
    const bits = this.#bits;
    const others = other.#bits;
    for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) & (others[at] as number);
  }

  /** Number of tools in this set, or in this set and another one of the same list. */
  count(other: ToolSet = this): number {
    const others = other.#bits;
    let count = 0;
    for (let at = 0; at < others.length; at++) {
      const word = (this.#bits[at] as number) & (others[at] as number);
      let sum = word - ((word >>> 1) & 0x55555555);
      sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
      count += Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return count;
  }
}
