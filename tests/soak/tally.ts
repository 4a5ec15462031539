/**
 * What is counted in a soak, and what went wrong.
 *
 * @module
 */

/** How many things that went wrong are kept in words; the rest is only counted. */
const MAX_TOLD = 50;

/** Counts of one kind of operation. */
export interface KindCount {
  begun: number;
  ended: number;
  failed: number;
}

/** What is counted. */
export class Tally {
  /** Operations, by kind. */
  readonly kinds: Map<string, KindCount> = new Map();
  /** Requests that nginx has answered. */
  requests = 0;
  /** Requests without an answer, or answered by nginx in place of a replica that died, or by a replica that was about to end. */
  brokenRequests = 0;
  /** Calls that their callers made again after the client had given up. */
  insisted = 0;
  /** Tokens that callers were given. */
  promised = 0;
  /** Tokens that gave the right answer. */
  redeemed = 0;
  /** Of those, how many at another replica than the one that promised. */
  elsewhere = 0;
  /** Jobs that were run again because the process that ran them died. */
  redelivered = 0;
  /** Promises that were cancelled, and reported so everywhere. */
  cancelled = 0;
  /** Jobs that slept and waited: resolved once, with one webhook. */
  resolved = 0;
  /** Answers that were compared with others of the same key. */
  repeats = 0;
  /** Tokens that were redeemed again at the end. */
  redeemedAgain = 0;
  /** Tokens of a key that was dropped, and which were refused for that. */
  revoked = 0;
  /** What went wrong, in words. */
  readonly wrongs: string[] = [];
  #wrongCount = 0;

  /** How much went wrong. */
  get wrongCount(): number {
    return this.#wrongCount;
  }

  /** The counts of one kind of operation. */
  kind(name: string): KindCount {
    const count = this.kinds.get(name) ?? { begun: 0, ended: 0, failed: 0 };
    this.kinds.set(name, count);
    return count;
  }

  /** Notes something that should not have happened. */
  wrong(text: string): void {
    this.#wrongCount++;
    if (this.wrongs.length < MAX_TOLD) this.wrongs.push(text);
  }
}
