import type { Redis } from "ioredis";
import type { Change, ChangeBus } from "../../core/call/changes.ts";
import { isRefusal } from "./channels.ts";
import { Listeners } from "../../internal/async.ts";
import { RedisConnection } from "./connection.ts";
import { checkRedisOptions, REDIS_RULES, type RedisOptions } from "./options.ts";
import { Follower, type Missed } from "./channel_with_backlog.ts";
import { type Entry, fieldOf } from "./session_records.ts";

/** Options of {@link redisChangeBus}. */
export type RedisChangeBusOptions = RedisOptions;

/** News in Redis, for `createServer({ changes })`, which closes it. */
export interface RedisChangeBus extends ChangeBus {
  /** Ends the connections. */
  close(): void;
}

/** News that are kept for those whose connection is broken. */
const MAX_KEPT = 1_000;

/** How long they are kept after the last one, in milliseconds. */
const KEPT_MS = 600_000;

/** Longer ago than this nobody began to listen who asks what he has missed, in milliseconds. */
const SLACK_MS = 1_000;

/** News that wait for Redis to be there again; each is one of them but once. */
const MAX_UNSENT = 1_000;

const RETRY_MS = 1_000;

/** Keeps it for those who do not hear now, and tells the others. */
const PUBLISH = `
  local id = redis.call("XADD", KEYS[1], "MAXLEN", ARGV[2], "*", "change", ARGV[1])
  redis.call("PEXPIRE", KEYS[1], ARGV[3])
  redis.call("PUBLISH", KEYS[1], id .. " " .. ARGV[1])`;

/** What came after an id; without one, what came in so many milliseconds by the clock of Redis. */
const MISSED = `
  local time = redis.call("TIME")
  local since = string.format("%.0f-0", time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2])
  if ARGV[1] ~= "" then since = "(" .. ARGV[1] end
  return redis.call("XRANGE", KEYS[1], since, "+")`;

/**
 * News of what a server offers, by way of Redis: `server.notify` of any replica reaches those who listen at any other, with
 * `subscriptions/listen` or in a session.
 *
 * Needs `ioredis`, which is not installed with Toolwire, and Redis 6.2 or later. Connects when it is first used; the connections
 * keep the process alive until `close()`. While Redis cannot be reached, news reach those who listen at the same replica; the
 * others hear of them once it is back, as long as the replica lives. What a replica did not hear is kept for ten minutes.
 *
 * @example News for all replicas
 * ```ts fragment
 * import { redisChangeBus } from "jsr:@toolwire/toolwire/redis";
 *
 * const changes = redisChangeBus({ redis: "redis://127.0.0.1:6379" });
 * const server = createServer({ tools, resources, changes, wires: [mcp()] });
 * server.notify.resourceUpdated("docs://readme");
 * ```
 * @throws {RangeError} If a number is not one that it may be.
 * @throws {TypeError} If another option is not what it should be, or there is no such option.
 */
export function redisChangeBus(options: RedisChangeBusOptions): RedisChangeBus {
  checkRedisOptions("tell changes by way of Redis", options, REDIS_RULES);
  return new Bus(options);
}

class Bus implements RedisChangeBus {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #listeners = new Listeners<Change>(() => {
    this.#leave?.();
    this.#leave = undefined;
  });
  readonly #unsent = new Set<string>();
  #leave: (() => void) | undefined = undefined;
  #isSending = false;

  constructor(options: RedisChangeBusOptions) {
    this.#connection = new RedisConnection("redisChangeBus", "Changes cannot be told to other replicas now:", options);
    this.#key = `{${options.name ?? "toolwire"}}:changes`;
  }

  async publish(change: Change): Promise<void> {
    const json = JSON.stringify(change);
    try {
      await this.#send(json);
    } catch (error) {
      // Whoever listens here needs no Redis for it.
      this.#listeners.notify(change);
      const hasRoom = this.#unsent.size < MAX_UNSENT || this.#unsent.has(json);
      if (this.#connection.isClosed || isRefusal(error) || !hasRoom) throw error;
      this.#unsent.add(json);
      if (!this.#isSending) void this.#sendLater();
    }
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#leave ??= this.#connection.channels.join(this.#key, this.#follow());
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#connection.close();
  }

  #follow(): Follower<Change> {
    const beganMs = performance.now();
    return new Follower({
      cursor: undefined,
      read: (text) => this.#read(text),
      missed: (cursor) => this.#missed(cursor, performance.now() - beganMs),
      tell: (change) => this.#listeners.notify(change),
    });
  }

  async #missed(cursor: string | undefined, sinceMs: number): Promise<Missed<Change>> {
    const given = [cursor ?? "", Math.ceil(sinceMs) + SLACK_MS];
    const ask = (client: Redis) => client.eval(MISSED, 1, this.#key, ...given);
    const entries = await this.#connection.askPatiently(ask) as readonly Entry[];
    return {
      news: entries.map((entry) => this.#read(fieldOf(entry, "change"))).filter((change) => change !== undefined),
      cursor: entries.at(-1)?.[0] ?? cursor ?? "0-0",
    };
  }

  #read(text: string | undefined): Change | undefined {
    const change = toChange(text);
    if (change === undefined) this.#connection.report(new Error("Cannot read a change in Redis: it is none of ours"));
    return change;
  }

  async #send(json: string): Promise<void> {
    await this.#connection.ask((client) => client.eval(PUBLISH, 1, this.#key, json, MAX_KEPT, KEPT_MS));
  }

  async #sendLater(): Promise<void> {
    this.#isSending = true;
    while (this.#unsent.size > 0 && !this.#connection.isClosed) {
      await this.#connection.pause(RETRY_MS);
      try {
        for (const json of this.#unsent) {
          await this.#send(json);
          this.#unsent.delete(json);
        }
      } catch {
        // It was told.
      }
    }
    this.#isSending = false;
  }
}

const LISTS: ReadonlySet<unknown> = new Set(["tools", "prompts", "resources"]);

function toChange(text: string | undefined): Change | undefined {
  try {
    const change = JSON.parse(text ?? "") as Change | null;
    if (change?.kind === "resource-updated" && typeof change.uri === "string") return change;
    return change?.kind === "list-changed" && LISTS.has(change.list) ? change : undefined;
  } catch {
    return undefined;
  }
}
