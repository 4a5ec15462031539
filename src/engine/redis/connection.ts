import type { Redis, RedisOptions } from "ioredis";
import { within } from "../../internal/time.ts";
import { importPackage } from "./packages.ts";
import type { RedisAddress } from "./address.ts";

/**
 * How to ask Redis where a caller waits: what cannot be sent now is not sent later either, and what got no answer is not sent
 * again. A change that was taken for failed would else be made when nobody expects it any more.
 */
const ASKING = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 } as const;

/** Replies stay as they are. */
export type RedisSettings = Omit<RedisOptions, "replyMapping">;

/** What {@link RedisClients} needs to know. */
export interface RedisClientsOptions {
  /** What wants to connect, for the advice where its packages are missing. */
  readonly what: string;
  /** Its packages. */
  readonly packages: readonly string[];
  /** How long Redis may take to answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of errors of connections. */
  readonly onError: (error: unknown) => void;
}

/** Connections to one Redis, and their end. */
export class RedisClients {
  readonly #address: string | RedisAddress;
  readonly #options: RedisClientsOptions;
  readonly #clients = new Set<Redis>();
  #isClosed = false;

  constructor(address: string | RedisAddress, options: RedisClientsOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Connects, to ask where a caller waits. */
  async openLine(): Promise<RedisLine> {
    const { timeoutMs } = this.#options;
    return new RedisLine(await this.connect({ ...ASKING, commandTimeout: timeoutMs }), timeoutMs);
  }

  /** Connects. */
  async connect(options: RedisSettings): Promise<Redis> {
    const { what, packages, timeoutMs } = this.#options;
    const { Redis } = await importPackage(what, packages, () => import("ioredis"));
    if (this.#isClosed) throw new Error("The connections to Redis are closed");
    const retryStrategy = (tries: number): number => Math.min(tries * 100, 1_000);
    const all: RedisSettings = { ...options, retryStrategy, connectTimeout: timeoutMs };
    const client = typeof this.#address === "string"
      ? new Redis(this.#address, all)
      : new Redis({ ...this.#address, ...all });
    return this.watch(client);
  }

  /** Has a connection that somebody else made end with the others. */
  watch(client: Redis): Redis {
    client.on("error", this.#options.onError);
    this.#clients.add(client);
    return client;
  }

  /** Ends a connection. */
  end(client: Redis): void {
    this.#clients.delete(client);
    // BullMQ has ended it; to end it twice leaves a timer behind.
    if (client.status === "end") return;
    client.disconnect();
    if (client.status !== "reconnecting") return;
    // It forgets its next try, but not what it was to send then: only a try that is broken off rejects that.
    client.connect().catch(() => {});
    client.disconnect();
  }

  /** Ends all of them, for good. */
  close(): void {
    this.#isClosed = true;
    for (const client of this.#clients) this.end(client);
  }
}

/** A connection, and whether it can be used. */
export class RedisLine {
  readonly #client: Redis;
  readonly #timeoutMs: number;
  #ready = Promise.withResolvers<void>();
  #broken: Error | undefined = undefined;

  constructor(client: Redis, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    client.on("ready", () => {
      this.#broken = undefined;
      this.#ready.resolve();
    });
    client.on("error", (error) => (this.#broken = error));
    client.on("close", () => {
      const before = this.#ready;
      this.#ready = Promise.withResolvers();
      // Those who wait go on waiting for the next.
      void this.#ready.promise.then(before.resolve);
    });
  }

  /** Waits until it can be used, but not for ever. */
  async ready(): Promise<Redis> {
    if (this.#client.status === "ready") return this.#client;
    await within(this.#timeoutMs, this.#ready.promise).catch((late) => {
      // Why there is no connection says more than that there is none.
      throw this.#broken ?? late;
    });
    return this.#client;
  }
}
