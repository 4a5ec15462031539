/**
 * What goes wrong with requests, by chance.
 *
 * @module
 */
import type { Sink } from "../core/call/outcome.ts";

/** What goes wrong, and how often: shares of all requests, from 0 to 1. Default: nothing. */
export interface ReplicaFaults {
  /** Requests that reach no replica; the caller hears `unavailable`. */
  readonly lostRequests?: number;
  /** Requests whose call runs, and whose caller hears `unavailable` all the same; of a stream, after its first events. */
  readonly lostReplies?: number;
  /** Requests before which some replica is killed and started again. */
  readonly kills?: number;
  /** Requests before which some replica's clock is set anew, within `maxSkewMs`. */
  readonly clockJumps?: number;
  /** How far a clock may be ahead or behind, in milliseconds; clocks differ from the start. */
  readonly maxSkewMs?: number;
}

/** What chance has in store for one request. */
export interface Lot {
  /** A replica; the one that something happens to before the request. */
  readonly victim: number;
  /** Whether it is killed. */
  readonly isKilling: boolean;
  /** How far ahead its clock is set, in milliseconds; `undefined` if it is not. */
  readonly skewMs: number | undefined;
  /** Whether the request reaches no replica. */
  readonly isRequestLost: boolean;
  /** Whether the caller hears nothing of its end. */
  readonly isReplyLost: boolean;
  /** How many events of a stream come through whose end is lost. */
  readonly heardEvents: number;
  /** Which of the replicas that run gets it, as a share of them. */
  readonly route: number;
}

/** How many events of a stream come through at most whose end is lost. */
const MAX_HEARD_EVENTS = 3;

/** Draws what happens with one request. As many numbers each time, so that one rate can change and leave the rest as it was. */
export function drawLot(random: Random, faults: ReplicaFaults, count: number): Lot {
  const { lostRequests = 0, lostReplies = 0, kills = 0, clockJumps = 0 } = faults;
  const victim = random.below(count);
  const isKilling = random.share() < kills;
  const isJumping = random.share() < clockJumps;
  const skewMs = drawSkew(random, faults);
  return {
    victim,
    isKilling,
    skewMs: isJumping ? skewMs : undefined,
    isRequestLost: random.share() < lostRequests,
    isReplyLost: random.share() < lostReplies,
    heardEvents: random.below(MAX_HEARD_EVENTS + 1),
    route: random.share(),
  };
}

/** Draws how far ahead a clock is, in milliseconds. */
export function drawSkew(random: Random, { maxSkewMs = 0 }: ReplicaFaults): number {
  return Math.round((random.share() * 2 - 1) * maxSkewMs);
}

/** What comes through of a stream whose end is lost. */
export function heard(sink: Sink, { isReplyLost, heardEvents }: Lot): Sink {
  if (!isReplyLost) return sink;
  let left = heardEvents;
  return {
    push: (event) => (left-- > 0 ? sink.push(event) : undefined),
    ...(sink.closed !== undefined && { closed: sink.closed }),
  };
}

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
