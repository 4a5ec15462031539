import { Random } from "../../../src/testing/faults.ts";

/** Choices that look random, the same ones for the same seed. */
export class RandomChoices extends Random {
  /** Whether the one of so many times has come. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One of them. Doubled ones are as likely again. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** So many bytes. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
