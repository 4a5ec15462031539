/** Simulates several servers behind a load balancer, with faults, in one process and from a seed. */
import { type CallResult, type ErrorResult, errorResult, type UnknownOutcome } from "../core/call/outcome.ts";
import type { ListedTool, Transport } from "../core/call/transport.ts";
import type { ClientOptions } from "../client/client.ts";
import { createCoreClient } from "../client/core_client.ts";
import { omitUndefined } from "../internal/json.ts";
import type { Client, ToolSource } from "../client/types.ts";
import { type Clock, systemClock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";
import { CleanUp } from "../internal/clean_up.ts";
import { type MemoryServer, memoryTransport } from "../wires/memory/client/transport.ts";
import { drawFaults, type DrawnFaults, drawSkew, heard, Random, type ReplicaFaults } from "./faults.ts";
import { type Replica, ReplicaLife } from "./replica.ts";

/** A server of tools that {@link simulateReplicas} can run: what `createServer` returns, or its members that are used here. */
export interface ReplicaServer extends ToolSource, MemoryServer {
  /** Waits for running calls, then ends the rest. */
  close(graceMs?: number): Promise<void>;
}

/** Options of {@link simulateReplicas}. */
export interface SimulateReplicasOptions<Source extends ReplicaServer> {
  /** Number of replicas. */
  readonly count: number;
  /** Creates the server of a replica, at each start. Replicas need the same keys. */
  readonly create: (replica: Replica) => Source;
  /** Seed of the random numbers. The same requests in the same order have the same faults. Default: 1. */
  readonly seed?: number | undefined;
  /** Faults. */
  readonly faults?: ReplicaFaults | undefined;
  /** Reference clock of the replicas. Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Options of a transport or client of the replicas: the wire, and the replica that it is limited to. */
export interface ReplicaTransportOptions<Source extends ReplicaServer> {
  /**
   * Creates the transport to a replica, for each request, so that wires can be mixed. Default:
   * `memoryTransport(server)`.
   */
  readonly wire?: ((server: Source, replica: Replica) => Transport) | undefined;
  /** Index of the replica for all requests. Default: any running one. */
  readonly only?: number | undefined;
}

/** What happened to one request of a simulation: at which replica, and with which result for the caller. */
export interface ReplicaRecord {
  /** Number of the request, from 1. */
  readonly request: number;
  /** Name of the called tool. `undefined` if tools were listed. */
  readonly tool: string | undefined;
  /** Index of the replica. `undefined` if none was running. */
  readonly replica: number | undefined;
  /** Number of the replica's start. */
  readonly life: number | undefined;
  /** Result for the caller: how the call ended, or `unavailable` because of a fault. */
  readonly fate: "answered" | "request lost" | "reply lost" | "killed" | "nobody there";
  /** Result at the replica, if it completed: `answer`, `promise`, …; `list` for a list of tools. */
  readonly kind: (CallResult | UnknownOutcome)["kind"] | "list" | undefined;
  /** Code of a failure or an error. */
  readonly code: string | undefined;
}

/** Running replicas of a simulation: connections to them, faults, and a record of every request. */
export interface ReplicaSimulation<Source extends ReplicaServer> {
  /** Faults of the following requests. */
  faults: ReplicaFaults;
  /** Records of all requests, in the order in which they ended. */
  readonly journal: readonly ReplicaRecord[];
  /** Returns the server of a replica; of a killed or stopped one, its last. */
  server(index: number): Source;
  /** Creates a transport to the replicas, as to a load balancer. */
  transport(options?: ReplicaTransportOptions<Source>): Transport;
  /** Creates a typed client with its own transport. */
  client(options?: ClientOptions & ReplicaTransportOptions<Source>): Client<Source>;
  /**
   * Kills a replica, as `kill -9` does. Its callers receive `unavailable`, and further effects of its handlers are
   * discarded.
   */
  kill(index: number): void;
  /** Stops a replica as a deployment does: it accepts no more calls and completes the running ones. */
  stop(index: number, graceMs?: number): Promise<void>;
  /** Starts a replica that was killed or stopped. A running one is killed first. */
  start(index: number): void;
  /**
   * Cuts a replica off from the engine, until it is healed, killed or started. It accepts calls and continues its runs, but
   * its requests to the engine fail. Its leases lapse, so that other replicas run its jobs, too.
   */
  partition(index: number): void;
  /** Ends the partition of a replica. */
  heal(index: number): void;
  /** Sets the deviation of a replica's clock, in milliseconds. Its timers are not affected. */
  setClock(index: number, aheadMs: number): void;
  /** Closes all running replicas. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Simulates replicas behind a load balancer. Requests go to any replica or get lost, replies get lost, processes are
 * killed or cut off from the engine, and clocks differ. Everything runs in this process without a network, and is reproducible from the seed.
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
 * @typeParam Source Type of the server.
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

/** A replica, running or not. */
interface Running<Source> {
  readonly replica: ReplicaLife;
  readonly server: Source;
  /** Whether it accepts requests. */
  isUp: boolean;
}

/** Replicas of a server in one process, whose requests are lost, repeated or cut by a seed. */
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
      work: (transport: Transport, lot: DrawnFaults) => MaybePromise<Result | ErrorResult>,
    ) => this.#send(tool, options.only, ({ server, replica }, lot) => work(wire(server, replica), lot));
    return {
      call: (call, sink) => send(call.tool, (way, lot) => way.call(call, sink && heard(sink, lot))),
      list: (limit) => send<readonly ListedTool[]>(undefined, (way) => way.list(limit)),
    };
  }

  client(options: ClientOptions & ReplicaTransportOptions<Source> = {}): Client<Source> {
    const { only, wire, ...clientOptions } = options;
    return createCoreClient<Source>(this.transport(omitUndefined({ only, wire })), clientOptions);
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

  partition(index: number): void {
    this.#at(index).replica.partition();
  }

  heal(index: number): void {
    this.#at(index).replica.heal();
  }

  setClock(index: number, aheadMs: number): void {
    this.#at(index).replica.skewMs = aheadMs;
  }

  async close(graceMs?: number): Promise<void> {
    const up = this.#running.filter(({ isUp }) => isUp);
    const closing = new CleanUp();
    await Promise.all(up.map(({ replica }) => closing.wait(() => this.stop(replica.index, graceMs))));
    closing.finish("Cannot close all replicas");
  }

  #begin(index: number, life: number, skewMs: number): Running<Source> {
    const replica = new ReplicaLife(index, life, skewMs, this.#options.clock ?? systemClock);
    return { replica, server: this.#options.create(replica), isUp: true };
  }

  async #send<Result extends object>(
    tool: string | undefined,
    only: number | undefined,
    work: (running: Running<Source>, lot: DrawnFaults) => MaybePromise<Result | ErrorResult>,
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
    const error = note(lot.isReplyLost ? "reply lost" : "answered", result);
    return lot.isReplyLost ? error : result;
  }

  /** Faults before and during the next request. */
  #draw(): DrawnFaults {
    const lot = drawFaults(this.#random, this.faults, this.#running.length);
    this.#requests++;
    if (lot.skewMs !== undefined) this.setClock(lot.victim, lot.skewMs);
    // A replica that was stopped explicitly stays stopped.
    if (lot.isKilling && this.#at(lot.victim).isUp) this.start(lot.victim);
    if (lot.partitionMs !== undefined) this.#partitionFor(this.#at(lot.victim).replica, lot.partitionMs);
    return lot;
  }

  #partitionFor(replica: ReplicaLife, durationMs: number): void {
    replica.partition();
    (this.#options.clock ?? systemClock).after(durationMs, () => replica.heal());
  }

  #at(index: number): Running<Source> {
    const running = this.#running[index];
    if (running !== undefined) return running;
    throw new RangeError(`There is no replica ${index}: they are 0 to ${this.#running.length - 1}`);
  }
}

/** Result of a request at its replica. */
function endOf(result: object | undefined): Pick<ReplicaRecord, "kind" | "code"> {
  if (result === undefined) return { kind: undefined, code: undefined };
  if (!("kind" in result)) return { kind: "list", code: undefined };
  const { kind, code } = result as { readonly kind: ReplicaRecord["kind"]; readonly code?: string };
  return { kind, code };
}
