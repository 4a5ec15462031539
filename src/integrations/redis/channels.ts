import type { Redis } from "ioredis";
import { StoreError } from "../../engine/store_errors.ts";
import { Lazy } from "../../internal/async.ts";

/** Who listens to a channel. */
export interface ChannelListener {
  /** Takes what is told. */
  onMessage(text: string): void;
  /** From now on everything is heard. What was told before, maybe was not; so it is said again after each break. */
  onJoin(): void;
}

/** How often a connection that only listens is asked whether it lives, in milliseconds: it would not notice by itself. */
const PING_MS = 10_000;

/** The channels that a process listens to, over one connection. */
export class RedisChannels {
  readonly #client: Lazy<Redis>;
  readonly #report: (error: unknown) => void;
  readonly #hearings = new Map<string, ChannelListener>();
  #pinging: ReturnType<typeof setInterval> | undefined = undefined;

  /**
   * @param connect Opens the connection.
   * @param report Told of errors.
   */
  constructor(connect: () => Promise<Redis>, report: (error: unknown) => void) {
    this.#report = report;
    this.#client = new Lazy(async () => this.#prepare(await connect()));
  }

  /** Listens to a channel that nobody listens to yet. @returns Ends it. */
  join(channel: string, hearing: ChannelListener): () => void {
    this.#hearings.set(channel, hearing);
    void this.#use((client) => this.#subscribe(client, [channel]));
    return () => {
      if (this.#hearings.get(channel) !== hearing) return;
      this.#hearings.delete(channel);
      void this.#use(async (client) => {
        if (client.status === "ready" && !this.#hearings.has(channel)) await client.unsubscribe(channel);
      });
    };
  }

  /** Listens no more. */
  close(): void {
    clearInterval(this.#pinging);
    this.#hearings.clear();
  }

  #prepare(client: Redis): Redis {
    client.on("message", (channel, text) => this.#hearings.get(channel)?.onMessage(text));
    client.on("ready", () => void this.#use(() => this.#subscribe(client, [...this.#hearings.keys()])));
    this.#pinging = setInterval(() => {
      if (client.status === "ready") client.ping().catch(() => client.disconnect(true));
    }, PING_MS);
    return client;
  }

  /** Where there is no connection now, all are subscribed to once there is. */
  async #subscribe(client: Redis, channels: readonly string[]): Promise<void> {
    if (client.status !== "ready" || channels.length === 0) return;
    try {
      await client.subscribe(...channels);
    } catch (error) {
      // Without an answer nobody knows what is subscribed to; the next connection begins anew.
      if (!isRefusal(error) && client.status === "ready") client.disconnect(true);
      throw error;
    }
    for (const channel of channels) this.#hearings.get(channel)?.onJoin();
  }

  async #use(work: (client: Redis) => Promise<void>): Promise<void> {
    try {
      await work(await this.#client.get());
    } catch (error) {
      this.#report(error);
    }
  }
}

/** Whether Redis itself has said no, which it would say again. */
export function isRefusal(thrown: unknown): boolean {
  const error = thrown instanceof StoreError ? thrown.cause : thrown;
  if (!(error instanceof Error) || error.name !== "ReplyError") return false;
  return !/\b(LOADING|READONLY|MASTERDOWN|BUSY)\b/.test(error.message);
}
