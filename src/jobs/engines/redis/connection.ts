import { omitUndefined } from "../../../internal/json.ts";
import type { Redis, RedisOptions } from "ioredis";
import type { RedisAddress } from "./address.ts";
import { Lazy } from "../../../internal/async.ts";
import { delay, within } from "../../../internal/time.ts";
import { type ErrorThrottle, importPackage } from "../store_errors.ts";
import { isPermanentError, RedisChannels } from "./channels.ts";

/**
 * Settings for requests that a caller waits for. A command that cannot be sent now fails at once, and one without a reply is not sent
 * again: otherwise a change would be made after its caller was given an error.
 */
const REQUEST_SETTINGS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const;

/** Time limit of {@link RedisConnection.requestWithRetry} in milliseconds. */
const RETRY_LIMIT_MS = 30_000;

/** Delay between two tries of {@link RedisConnection.requestWithRetry} in milliseconds. */
const RETRY_MS = 250;

/** Maximum number of requests that wait for their next try. Further ones fail at once. */
const MAX_RETRYING = 1_000;

/** Settings of a connection. Replies are not mapped. */
type RedisSettings = Omit<RedisOptions, "replyMapping">;

/** Options of {@link RedisConnection}. */
interface RedisConnectionOptions {
  /** Feature that connects, for the message if a package is missing. */
  readonly feature: string;
  /** Packages that the feature needs, for the same message. */
  readonly packages: readonly string[];
  /** Time limit of a reply in milliseconds. */
  readonly timeoutMs: number;
  readonly errors: ErrorThrottle;
}

/** Connections to one Redis: one for requests and one for channels, each opened at the first use, and further ones. */
export class RedisConnection {
  readonly channels: RedisChannels;
  readonly #address: string | RedisAddress;
  readonly #options: RedisConnectionOptions;
  readonly #clients = new Set<Redis>();
  readonly #main = new Lazy(() => this.#openMain());
  readonly #closing = new AbortController();
  /** The outcome of the current try to connect, or of the next one: whether the client is ready. */
  #nextTry = Promise.withResolvers<boolean>();
  #lastError: Error | undefined;
  #retrying = 0;

  constructor(address: string | RedisAddress, options: RedisConnectionOptions) {
    this.#address = address;
    this.#options = options;
    const { timeoutMs, errors } = options;
    // Without `autoResubscribe`, since the channels subscribe again and report that messages may have been missed.
    const settings = { autoResubscribe: false, commandTimeout: timeoutMs };
    this.channels = new RedisChannels(() => this.connect(settings), errors.report);
  }

  get errors(): ErrorThrottle {
    return this.#options.errors;
  }

  /** Whether {@link close} was called. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** The client for requests, once it is connected. Rejects when the next try to connect fails, and after `timeoutMs`. */
  async ready(): Promise<Redis> {
    const client = await this.#main.get();
    if (client.status === "ready") return client;
    const hasEnded = client.status === "end";
    const isReady = !hasEnded && await within(this.#options.timeoutMs, this.#nextTry.promise).catch((timeout) => {
      // The reason of the failed connection is more useful than the timeout.
      throw this.#lastError ?? timeout;
    });
    // A caller who waited for further tries would learn about the outage at its deadline at the earliest.
    if (!isReady) throw this.#lastError ?? new Error("the connection was closed");
    return client;
  }

  /** Sends a request. If Redis cannot be reached, the error is reported and the promise rejects. */
  async request<Value>(send: (client: Redis) => Promise<Value>): Promise<Value> {
    const { errors } = this.#options;
    try {
      const value = await send(await this.ready());
      errors.succeed();
      return value;
    } catch (cause) {
      const error = errors.toStoreError(cause);
      errors.report(error);
      throw error;
    }
  }

  /** Sends a request until it succeeds, for up to 30 seconds: for requests that the caller would not repeat. */
  async requestWithRetry<Value>(send: (client: Redis) => Promise<Value>): Promise<Value> {
    for (const endMs = performance.now() + RETRY_LIMIT_MS;;) {
      try {
        return await this.request(send);
      } catch (error) {
        const isFinal = this.isClosed || isPermanentError(error) || performance.now() >= endMs;
        if (isFinal || this.#retrying >= MAX_RETRYING) throw error;
      }
      this.#retrying++;
      await this.delay(RETRY_MS);
      this.#retrying--;
    }
  }

  /** Waits for `delayMs`, or until {@link close}. Returns whether the whole time has passed. */
  delay(delayMs: number): Promise<boolean> {
    return delay(delayMs, this.#closing.signal);
  }

  /** Opens a further connection, which reconnects by itself. It is closed with the others. Rejects if `ioredis` is missing. */
  async connect(settings: RedisSettings): Promise<Redis> {
    const { feature, packages, timeoutMs } = this.#options;
    const { Redis } = await importPackage(feature, packages, () => import("ioredis"));
    if (this.isClosed) throw new Error("The connections to Redis are closed");
    const retryStrategy = (tries: number): number => Math.min(tries * 100, 1_000);
    const all: RedisSettings = { ...settings, retryStrategy, connectTimeout: timeoutMs };
    const client = typeof this.#address === "string"
      ? new Redis(this.#address, all)
      : new Redis({ ...omitUndefined(this.#address), ...all });
    return this.track(client);
  }

  /** Reports errors of a client that was created elsewhere, and closes it with the others. */
  track(client: Redis): Redis {
    client.on("error", this.#options.errors.report);
    this.#clients.add(client);
    return client;
  }

  end(client: Redis): void {
    this.#clients.delete(client);
    // BullMQ has closed it already. A second disconnect would leave a timer running.
    if (client.status === "end") return;
    client.disconnect();
    if (client.status !== "reconnecting") return;
    // This cancels the next try but keeps the queued commands. Only an interrupted try rejects them.
    client.connect().catch(() => {});
    client.disconnect();
  }

  /** Closes all clients permanently. */
  close(): void {
    this.#closing.abort();
    this.#options.errors.close();
    this.channels.close();
    for (const client of this.#clients) this.end(client);
  }

  async #openMain(): Promise<Redis> {
    const client = await this.connect({ ...REQUEST_SETTINGS, commandTimeout: this.#options.timeoutMs });
    let wasReady = false;
    client.on("error", (error) => (this.#lastError = error));
    client.on("ready", () => {
      wasReady = true;
      this.#lastError = undefined;
      this.#endTry(true);
    });
    client.on("close", () => {
      // A connection that breaks is not a failed try: the next try decides.
      if (!wasReady) this.#endTry(false);
      wasReady = false;
    });
    client.on("end", () => this.#endTry(false));
    return client;
  }

  #endTry(isReady: boolean): void {
    this.#nextTry.resolve(isReady);
    this.#nextTry = Promise.withResolvers();
  }
}
