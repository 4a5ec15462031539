import type { Redis } from "ioredis";
import { Lazy } from "../../../internal/async.ts";
import { MissingPackageError, StoreError } from "../store_errors.ts";

/** The listener of a channel of {@link RedisChannels}. */
export interface ChannelListener {
  /** Called with each message. */
  onMessage(text: string): void;
  /** Called after each subscription, at first and after each reconnection. Messages before that may have been missed. */
  onSubscribe(): void;
}

/** Interval of pings in milliseconds. A connection that only listens would not notice that the other side has disconnected. */
const PING_MS = 10_000;

/** The Redis channels that a process is subscribed to, over one connection. Each has one listener; a reconnection subscribes again. */
export class RedisChannels {
  readonly #client: Lazy<Redis>;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Map<string, ChannelListener>();
  #pinging: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(connect: () => Promise<Redis>, report: (error: unknown) => void) {
    this.#report = report;
    this.#client = new Lazy(async () => this.#prepare(await connect()));
  }

  /** Subscribes to a channel that has no listener yet. @returns Unsubscribes. */
  subscribe(channel: string, listener: ChannelListener): () => void {
    this.#listeners.set(channel, listener);
    void this.#use((client) => this.#subscribe(client, [channel]));
    return () => {
      if (this.#listeners.get(channel) !== listener) return;
      this.#listeners.delete(channel);
      void this.#use(async (client) => {
        if (client.status === "ready" && !this.#listeners.has(channel)) await client.unsubscribe(channel);
      });
    };
  }

  /** Removes all listeners. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#pinging);
    this.#listeners.clear();
  }

  #prepare(client: Redis): Redis {
    client.on("message", (channel, text) => this.#listeners.get(channel)?.onMessage(text));
    const ping = (): void => {
      if (client.status === "ready") client.ping().catch(() => client.disconnect(true));
    };
    client.on("ready", () => {
      // A connection that is closed while Redis answers its first command still becomes ready. A timer would keep the process alive.
      if (this.#isClosed) return;
      this.#pinging ??= setInterval(ping, PING_MS);
      void this.#use(() => this.#subscribe(client, [...this.#listeners.keys()]));
    });
    return client;
  }

  /** Without a connection this does nothing: the next connection subscribes to all channels. */
  async #subscribe(client: Redis, channels: readonly string[]): Promise<void> {
    if (client.status !== "ready" || channels.length === 0) return;
    try {
      await client.subscribe(...channels);
    } catch (error) {
      // Without a reply the state of the subscription is unknown; the next connection subscribes again.
      if (!isPermanentError(error) && client.status === "ready") client.disconnect(true);
      throw error;
    }
    for (const channel of channels) this.#listeners.get(channel)?.onSubscribe();
  }

  async #use(work: (client: Redis) => Promise<void>): Promise<void> {
    try {
      await work(await this.#client.get());
    } catch (error) {
      this.#report(error);
    }
  }
}

/**
 * Whether a retry does not change the error: Redis answered the command with it, or its package is missing. A broken connection is not
 * permanent.
 */
export function isPermanentError(thrown: unknown): boolean {
  const error = thrown instanceof StoreError ? thrown.cause : thrown;
  if (error instanceof MissingPackageError) return true;
  if (!(error instanceof Error) || error.name !== "ReplyError") return false;
  return !/\b(LOADING|READONLY|MASTERDOWN|BUSY)\b/.test(error.message);
}
