import type { Redis } from "ioredis";
import { Failures } from "../../engine/redis/error_throttle.ts";
import { RedisClients } from "../../engine/redis/clients.ts";
import { redisName, storeError } from "../../engine/redis/store_error.ts";
import { Lazy } from "../../internal/async.ts";
import { delay } from "../../internal/time.ts";
import { isRefusal, RedisChannels } from "./channels.ts";
import type { RedisOptions } from "./options.ts";

/** How long {@link RedisConnection.askPatiently} goes on, in milliseconds. */
const PATIENCE_MS = 30_000;

const RETRY_MS = 250;

/** How many questions wait at once; more fail at once. */
const MAX_WAITING = 1_000;

/** One connection to ask, and one that listens; each is opened when it is first used. */
export class RedisConnection {
  /** What is listened to. */
  readonly channels: RedisChannels;
  /** Told of what goes wrong. */
  readonly report: (error: unknown) => void;
  readonly #store: string;
  readonly #failures: Failures;
  readonly #clients: RedisClients;
  readonly #line: Lazy<{ ready(): Promise<Redis> }>;
  readonly #closing = new AbortController();
  #waiting = 0;
  #isClosed = false;

  /**
   * @param what The function that connects, for the advice where `ioredis` is missing.
   * @param trouble What it means that Redis cannot be reached, for `console.warn`.
   */
  constructor(what: string, trouble: string, { redis, timeoutMs = 1_000, onError }: RedisOptions) {
    this.#store = redisName(redis);
    const tell = onError ?? ((error: unknown) => console.warn(trouble, error));
    this.#failures = new Failures((error) => tell(storeError(this.#store, error)));
    this.report = this.#failures.report;
    this.#clients = new RedisClients(redis, { what, packages: ["ioredis"], timeoutMs, onError: this.report });
    this.#line = new Lazy(() => this.#clients.openLine());
    // What was subscribed to is told again by the channels, which then know what they have missed.
    const settings = { autoResubscribe: false, commandTimeout: timeoutMs };
    this.channels = new RedisChannels(() => this.#clients.connect(settings), this.report);
  }

  /** Asks Redis. Rejects, and tells so, if it cannot be reached. */
  async ask<Value>(question: (client: Redis) => Promise<Value>): Promise<Value> {
    try {
      const value = await question(await (await this.#line.get()).ready());
      this.#failures.succeed();
      return value;
    } catch (cause) {
      const error = storeError(this.#store, cause);
      this.report(error);
      throw error;
    }
  }

  /** The same, again and again while Redis cannot be reached: for what nobody would ask again. */
  async askPatiently<Value>(question: (client: Redis) => Promise<Value>): Promise<Value> {
    for (const dueMs = performance.now() + PATIENCE_MS;;) {
      try {
        return await this.ask(question);
      } catch (error) {
        const isHopeless = this.#isClosed || isRefusal(error) || performance.now() >= dueMs;
        if (isHopeless || this.#waiting >= MAX_WAITING) throw error;
      }
      this.#waiting++;
      await this.pause(RETRY_MS);
      this.#waiting--;
    }
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Waits so long, or until it is closed. */
  async pause(delayMs: number): Promise<void> {
    await delay(delayMs, this.#closing.signal);
  }

  /** Ends the connections, for good. */
  close(): void {
    this.#isClosed = true;
    this.#closing.abort();
    this.#failures.end();
    this.channels.close();
    this.#clients.close();
  }
}
