/** Digests of what a caller has read of a list or text: they show whether it has changed before the next page. */
import { RunningDigest } from "../../token/digest.ts";

/** Hexadecimal digits of a digest, which is a part of each handle. */
const DIGITS = 16;

/** Digests of the part of a list or text before a page ends: the next page compares them, to notice that what was read has changed. */
export class PrefixDigest {
  readonly #source: readonly unknown[] | string;
  readonly #start: number;
  readonly #before = new RunningDigest();

  /** @param start Index at which the page begins. */
  constructor(source: readonly unknown[] | string, start: number) {
    this.#source = source;
    this.#start = start;
    this.#add(this.#before, 0, start);
  }

  /** The digest of what is before `end`, which is not before the start of the page. */
  at(end: number): string {
    const digest = this.#before.clone();
    this.#add(digest, this.#start, end);
    return digest.hex().slice(0, DIGITS);
  }

  #add(digest: RunningDigest, start: number, end: number): void {
    const source = this.#source;
    if (typeof source === "string") {
      digest.add(source.slice(start, end));
      return;
    }
    for (let at = start; at < Math.min(end, source.length); at++) digest.add(`${JSON.stringify(source[at])}\n`);
  }
}
