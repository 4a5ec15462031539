/** Random faults of simulated requests. */
import type { Sink } from "../core/call/outcome.ts";

/** Kinds of faults and their rates, as shares of all requests from 0 to 1. Default: no faults. */
export interface ReplicaFaults {
  /** Rate of requests that reach no replica. The caller receives `unavailable`. */
  readonly lostRequests?: number | undefined;
  /**
   * Rate of requests that are executed, but whose caller receives `unavailable`; for a stream, after its first events.
   */
  readonly lostReplies?: number | undefined;
  /** Rate of requests before which a replica is killed and restarted. */
  readonly kills?: number | undefined;
  /** Rate of requests before which a replica is cut off from the engine, for up to `maxPartitionMs`. Its leases lapse. */
  readonly partitions?: number | undefined;
  /** Maximum duration of a partition, in milliseconds of the reference clock. Default: 10,000. */
  readonly maxPartitionMs?: number | undefined;
  /** Rate of requests before which a replica's clock is set, within `maxSkewMs`. */
  readonly clockJumps?: number | undefined;
  /** Maximum deviation of a clock, in milliseconds, from the start and after jumps. Default: 0, no clock deviates. */
  readonly maxSkewMs?: number | undefined;
}

/** The faults that the simulation draws for one request, and the replica that receives it. */
export interface DrawnFaults {
  /** Replica affected before the request. */
  readonly victim: number;
  readonly isKilling: boolean;
  /** Duration of its partition, in milliseconds. `undefined` if it is not cut off. */
  readonly partitionMs: number | undefined;
  /** New deviation of its clock, in milliseconds. `undefined` if it is not set. */
  readonly skewMs: number | undefined;
  readonly isRequestLost: boolean;
  readonly isReplyLost: boolean;
  /** Number of events that are delivered before a lost end of a stream. */
  readonly heardEvents: number;
  /** Selects the receiving replica, as a share of the running ones. */
  readonly route: number;
}

/** Maximum number of events that are delivered before a lost end of a stream. */
const MAX_HEARD_EVENTS = 3;

/**
 * Draws the faults of a request. Always draws the same count of numbers, so that changing one rate does not affect the
 * others.
 */
export function drawFaults(random: Random, faults: ReplicaFaults, count: number): DrawnFaults {
  const { lostRequests = 0, lostReplies = 0, kills = 0, clockJumps = 0, partitions = 0, maxPartitionMs = 10_000 } =
    faults;
  const victim = random.below(count);
  const isKilling = random.share() < kills;
  const isJumping = random.share() < clockJumps;
  const skewMs = drawSkew(random, faults);
  const isPartitioning = random.share() < partitions;
  const partitionMs = random.share() * maxPartitionMs;
  return {
    victim,
    isKilling,
    partitionMs: isPartitioning ? partitionMs : undefined,
    skewMs: isJumping ? skewMs : undefined,
    isRequestLost: random.share() < lostRequests,
    isReplyLost: random.share() < lostReplies,
    heardEvents: random.below(MAX_HEARD_EVENTS + 1),
    route: random.share(),
  };
}

/** Draws the deviation of a clock, in milliseconds: up to `maxSkewMs` in either direction. */
export function drawSkew(random: Random, { maxSkewMs = 0 }: ReplicaFaults): number {
  return Math.round((random.share() * 2 - 1) * maxSkewMs);
}

/** Wraps the sink of a request: if its reply is lost, only the first `heardEvents` events are delivered; otherwise it is the same sink. */
export function heard(sink: Sink, { isReplyLost, heardEvents }: DrawnFaults): Sink {
  if (!isReplyLost) return sink;
  let left = heardEvents;
  return {
    push: (event) => (left-- > 0 ? sink.push(event) : undefined),
    ...(sink.closed !== undefined && { closed: sink.closed }),
  };
}

/** Reproducible random numbers from a seed, for tests. Not for secrets. */
export class Random {
  #state: number;

  /** @param seed Any number. Its fraction is ignored. */
  constructor(seed: number) {
    // Spreads neighbouring seeds and avoids 0, at which the generator would stay.
    this.#state = Math.imul(Math.trunc(seed) + 1, 0x9e3779b1) || 1;
    for (let round = 0; round < 8; round++) this.share();
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). 32-bit xorshift. */
  share(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 (inclusive) to `count` (exclusive). */
  below(count: number): number {
    return Math.floor(this.share() * count);
  }
}
