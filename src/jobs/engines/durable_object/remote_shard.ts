/** Calls to the shards of other objects: the name of a method and its arguments as JSON, by `fetch`. */
import type { Job, JobFilter, LedgerEntry } from "../../../core/dispatch/engine.ts";
import type { JobHead } from "../job_list.ts";
import type { SqliteLease } from "../sqlite/store.ts";
import type { ObjectResponse } from "./platform.ts";
import type { ShardCalls } from "./shard.ts";

/** Start of the URLs. A new Worker may call an older shard: a method of another meaning needs another version. */
const URL_START = "https://shard/v1/";

/** Methods that may be called. */
const METHODS: { readonly [Name in keyof ShardCalls]: true } = {
  insert: true,
  get: true,
  replace: true,
  appendLedger: true,
  readLedger: true,
  remove: true,
  heads: true,
  schedule: true,
  changed: true,
  lease: true,
  renew: true,
  release: true,
};

/** Sends a request to another Durable Object, by the `fetch` of its stub. */
export type SendToObject = (
  url: string,
  init: { method: string; body: string; signal: AbortSignal },
) => Promise<ObjectResponse>;

/** Runs the method of the shard that the request of another object names. Status 404 for an unknown one. */
export async function answerCall(shard: ShardCalls, request: Request): Promise<Response> {
  const name = request.url.startsWith(URL_START) ? request.url.slice(URL_START.length) : "";
  if (!Object.hasOwn(METHODS, name)) return new Response("There is no such method", { status: 404 });
  const args = await request.json() as unknown[];
  const value = await (shard[name as keyof ShardCalls] as (...args: unknown[]) => unknown).apply(shard, args);
  return Response.json({ value });
}

/** The shard of another Durable Object: each method sends it one request, and rejects if the answer is not status 200. */
export class RemoteShard implements ShardCalls {
  readonly #send: SendToObject;
  readonly #signal: AbortSignal;

  /** @param signal Ends the calls under way. */
  constructor(send: SendToObject, signal: AbortSignal) {
    this.#send = send;
    this.#signal = signal;
  }

  insert(job: Job, dueInMs: number | null): Promise<boolean> {
    return this.#call("insert", job, dueInMs);
  }

  get(id: string): Promise<Job | null> {
    return this.#call("get", id);
  }

  replace(job: Job, version: number): Promise<boolean> {
    return this.#call("replace", job, version);
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): Promise<boolean> {
    return this.#call("appendLedger", id, epoch, from, entries);
  }

  readLedger(id: string, from: number, limit: number): Promise<readonly LedgerEntry[]> {
    return this.#call("readLedger", id, from, limit);
  }

  heads(filter: JobFilter, cursor: string | null): Promise<readonly JobHead[]> {
    return this.#call("heads", filter, cursor);
  }

  remove(id: string): Promise<void> {
    return this.#call("remove", id);
  }

  schedule(id: string, delayMs: number): Promise<void> {
    return this.#call("schedule", id, delayMs);
  }

  changed(id: string, known: number | null, waitMs: number): Promise<number | null> {
    return this.#call("changed", id, known, waitMs);
  }

  lease(id: string, leaseMs: number): Promise<SqliteLease | null> {
    return this.#call("lease", id, leaseMs);
  }

  renew(lease: SqliteLease, leaseMs: number): Promise<boolean> {
    return this.#call("renew", lease, leaseMs);
  }

  release(lease: SqliteLease): Promise<void> {
    return this.#call("release", lease);
  }

  async #call<Value>(name: keyof ShardCalls, ...args: unknown[]): Promise<Value> {
    const init = { method: "POST", body: JSON.stringify(args), signal: this.#signal };
    const response = await this.#send(`${URL_START}${name}`, init);
    if (response.status === 200) return (await response.json() as { value: Value }).value;
    throw new Error(`The Durable Object answered ${name} with ${response.status}: ${await response.text()}`);
  }
}
