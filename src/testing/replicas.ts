/**
 * A replica simulator: several servers behind a load balancer, and all that goes wrong between them and their callers, in one
 * process and under a seed.
 *
 * @module
 */
import { type CallResult, type ErrorResult, errorResult, type UnknownOutcome } from "../core/call/outcome.ts";
import type { ListedTool, Transport } from "../core/call/transport.ts";
import { type ClientOptions, createClient } from "../client/client.ts";
import { omitUndefined } from "../internal/json.ts";
import type { Client, ToolSource } from "../client/types.ts";
import { type Clock, systemClock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";
import { type MemoryServer, memoryTransport } from "../wires/memory/client/transport.ts";
import { drawLot, drawSkew, heard, type Lot, Random, type ReplicaFaults } from "./faults.ts";
import { type Replica, ReplicaLife } from "./replica.ts";

/** What {@link simulateReplicas} needs of a server. */
export interface ReplicaServer extends ToolSource, MemoryServer {
  /** Lets calls under way end, then ends what is left. */
  close(graceMs?: number): Promise<void>;
}

/** Options of {@link simulateReplicas}. */
export interface SimulateReplicasOptions<Source extends ReplicaServer> {
  /** How many replicas there are. */
  readonly count: number;
  /** Makes the server of one replica; again each time that it is started. Replicas need the same keys. */
  readonly create: (replica: Replica) => Source;
  /** What chance depends on: the same requests, in the same order, have the same fate. Default: 1. */
  readonly seed?: number;
  /** What goes wrong. */
  readonly faults?: ReplicaFaults;
  /** What the replicas' clocks differ from. Default: the machine's. */
  readonly clock?: Clock;
}

/** Options of a way to the replicas. */
export interface ReplicaTransportOptions<Source extends ReplicaServer> {
  /** How a replica is called; asked for each request, so that wires can be mixed. Default: `memoryTransport(server)`. */
  readonly wire?: (server: Source, replica: Replica) => Transport;
  /** The one replica that gets all requests. Default: each request goes to any that runs. */
  readonly only?: number;
}

/** What became of one request. */
export interface ReplicaRecord {
  /** Its number, from 1. */
  readonly request: number;
  /** The tool that was called; `undefined` if tools were listed. */
  readonly tool: string | undefined;
  /** The replica that it went to; `undefined` if none runs. */
  readonly replica: number | undefined;
  /** Which of its lives the replica was in. */
  readonly life: number | undefined;
  /** What the caller heard: how the call ended, or `unavailable`, for one of the other reasons. */
  readonly fate: "answered" | "request lost" | "reply lost" | "killed" | "nobody there";
  /** How the call ended at the replica, as far as it came: `answer`, `promise`, …; `list` for a list of tools. */
  readonly kind: (CallResult | UnknownOutcome)["kind"] | "list" | undefined;
  /** The code of a failure or an error. */
  readonly code: string | undefined;
}

/** Several replicas, and the way to them. */
export interface ReplicaSimulation<Source extends ReplicaServer> {
  /** What goes wrong from now on. */
  faults: ReplicaFaults;
  /** What became of each request, in the order in which they ended. */
  readonly journal: readonly ReplicaRecord[];
  /** The server of a replica, in its present or last life. */
  server(index: number): Source;
  /** A way to the replicas: what a load balancer's URL is. */
  transport(options?: ReplicaTransportOptions<Source>): Transport;
  /** A typed client on a way of its own. */
  client(options?: ClientOptions & ReplicaTransportOptions<Source>): Client<Source>;
  /** Ends a replica without a word, as `kill -9` does: its callers hear `unavailable`. Whatever its handlers still do counts for nothing. */
  kill(index: number): void;
  /** Ends a replica as a deployment does: it takes no more calls, and those under way may end. */
  stop(index: number, graceMs?: number): Promise<void>;
  /** Starts a replica that was killed or stopped; one that runs is killed before. */
  start(index: number): void;
  /** Sets a replica's clock: this far ahead of the others', in milliseconds, or behind. Its timers do not notice. */
  setClock(index: number, aheadMs: number): void;
  /** Closes all replicas that run. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Simulates replicas behind a load balancer: requests go to any of them, get lost, or lose their replies, processes die, and
 * clocks differ. Everything happens in this process, without a network, and the same again for the same seed.
 *
 * @example A promise of one replica, redeemed at the others while replies get lost
 * ```ts
 * import { createServer, defineTool, memoryEngine } from "jsr:@toolwire/toolwire";
 * import { simulateReplicas } from "jsr:@toolwire/toolwire/testing";
 * import { ok, strictEqual } from "node:assert/strict";
 *
 * const engine = memoryEngine();
 * const work = defineTool("work").describe("Take a while").promise({ budgetMs: 10 }).handle(async () => {
 *   await new Promise((resolve) => setTimeout(resolve, 50));
 *   return "done";
 * });
 * const replicas = simulateReplicas({
 *   count: 3,
 *   seed: 7,
 *   faults: { lostReplies: 0.3 },
 *   create: ({ clock, attach }) =>
 *     createServer({ tools: [work], keys: "k1:one secret that all of the replicas know", clock, engine: attach(engine) }),
 * });
 *
 * const client = replicas.client({ retry: { attempts: 20, baseDelayMs: 1 } });
 * strictEqual(await client.work({}, { idempotencyKey: "job 1" }), "done");
 * ok(replicas.journal.some(({ tool }) => tool === "redeem"));
 * await replicas.close();
 * await engine.close();
 * ```
 * @typeParam Source The server's type.
 * @throws {RangeError} If `count` is not a whole number above 0.
 */
export function simulateReplicas<Source extends ReplicaServer>(
  options: SimulateReplicasOptions<Source>,
): ReplicaSimulation<Source> {
  const { count } = options;
  if (!(Number.isInteger(count) && count > 0)) {
    throw new RangeError(`Cannot simulate replicas: count must be a whole number above 0, not ${count}`);
  }
  return new Simulation(options);
}

/** A replica, while it runs and after. */
interface Running<Source> {
  readonly replica: ReplicaLife;
  readonly server: Source;
  /** Whether requests go there. */
  isUp: boolean;
}

class Simulation<Source extends ReplicaServer> implements ReplicaSimulation<Source> {
  faults: ReplicaFaults;
  readonly journal: ReplicaRecord[] = [];
  readonly #options: SimulateReplicasOptions<Source>;
  readonly #random: Random;
  readonly #running: Running<Source>[];
  #requests = 0;

  constructor(options: SimulateReplicasOptions<Source>) {
    this.#options = options;
    this.faults = options.faults ?? {};
    this.#random = new Random(options.seed ?? 1);
    this.#running = Array.from(
      { length: options.count },
      (_, index) => this.#begin(index, 1, drawSkew(this.#random, this.faults)),
    );
  }

  server(index: number): Source {
    return this.#at(index).server;
  }

  transport(options: ReplicaTransportOptions<Source> = {}): Transport {
    const { wire = (server) => memoryTransport(server) } = options;
    const send = <Result extends object>(
      tool: string | undefined,
      work: (transport: Transport, lot: Lot) => MaybePromise<Result | ErrorResult>,
    ) => this.#send(tool, options.only, ({ server, replica }, lot) => work(wire(server, replica), lot));
    return {
      call: (call, sink) => send(call.tool, (way, lot) => way.call(call, sink && heard(sink, lot))),
      list: (limit) => send<readonly ListedTool[]>(undefined, (way) => way.list(limit)),
    };
  }

  client(options: ClientOptions & ReplicaTransportOptions<Source> = {}): Client<Source> {
    const { only, wire, ...clientOptions } = options;
    return createClient<Source>(this.transport(omitUndefined({ only, wire })), clientOptions);
  }

  kill(index: number): void {
    const running = this.#at(index);
    running.isUp = false;
    running.replica.kill();
  }

  async stop(index: number, graceMs?: number): Promise<void> {
    const running = this.#at(index);
    running.isUp = false;
    await running.server.close(graceMs);
  }

  start(index: number): void {
    const { isUp, replica } = this.#at(index);
    if (isUp) this.kill(index);
    this.#running[index] = this.#begin(index, replica.life + 1, replica.skewMs);
  }

  setClock(index: number, aheadMs: number): void {
    this.#at(index).replica.skewMs = aheadMs;
  }

  async close(graceMs?: number): Promise<void> {
    const up = this.#running.filter(({ isUp }) => isUp);
    await Promise.all(up.map(({ replica }) => this.stop(replica.index, graceMs)));
  }

  #begin(index: number, life: number, skewMs: number): Running<Source> {
    const replica = new ReplicaLife(index, life, skewMs, this.#options.clock ?? systemClock);
    return { replica, server: this.#options.create(replica), isUp: true };
  }

  async #send<Result extends object>(
    tool: string | undefined,
    only: number | undefined,
    work: (running: Running<Source>, lot: Lot) => MaybePromise<Result | ErrorResult>,
  ): Promise<Result | ErrorResult> {
    const lot = this.#draw();
    const request = this.#requests;
    const up = this.#running.filter(({ isUp, replica }) => isUp && (only === undefined || only === replica.index));
    const running = up[Math.floor(lot.route * up.length)];
    const note = (fate: ReplicaRecord["fate"], result?: object) => {
      const { index: replica, life } = running?.replica ?? {};
      this.journal.push({ request, tool, replica, life, fate, ...endOf(result) });
      return errorResult("unavailable", "Cannot reach the server");
    };
    if (running === undefined) return note("nobody there");
    if (lot.isRequestLost) return note("request lost");
    const result = await running.replica.untilKilled(() => work(running, lot));
    if (result === undefined) return note("killed");
    const refusal = note(lot.isReplyLost ? "reply lost" : "answered", result);
    return lot.isReplyLost ? refusal : result;
  }

  /** What happens before and with the next request. */
  #draw(): Lot {
    const lot = drawLot(this.#random, this.faults, this.#running.length);
    this.#requests++;
    if (lot.skewMs !== undefined) this.setClock(lot.victim, lot.skewMs);
    // One that is down already stays so, until whoever ended it starts it.
    if (lot.isKilling && this.#at(lot.victim).isUp) this.start(lot.victim);
    return lot;
  }

  #at(index: number): Running<Source> {
    const running = this.#running[index];
    if (running !== undefined) return running;
    throw new RangeError(`There is no replica ${index}: they are 0 to ${this.#running.length - 1}`);
  }
}

/** How a request ended at its replica. */
function endOf(result: object | undefined): Pick<ReplicaRecord, "kind" | "code"> {
  if (result === undefined) return { kind: undefined, code: undefined };
  if (!("kind" in result)) return { kind: "list", code: undefined };
  const { kind, code } = result as { readonly kind: ReplicaRecord["kind"]; readonly code?: string };
  return { kind, code };
}
