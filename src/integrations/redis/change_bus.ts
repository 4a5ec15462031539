import type { Redis } from "ioredis";
import type { Change, ChangeBus } from "../../core/call/changes.ts";
import { isPermanentError } from "../../jobs/engines/redis/channels.ts";
import type { RedisConnection } from "../../jobs/engines/redis/connection.ts";
import { Listeners } from "../../internal/async.ts";
import { type Backlog, ChannelWithBacklog } from "./channel_with_backlog.ts";
import { openRedis } from "./open_redis.ts";
import { REDIS_RULES, type RedisOptions } from "./options.ts";
import { type Entry, fieldOf } from "./session_records.ts";

/** Options of {@link redisChangeBus}. */
export type RedisChangeBusOptions = RedisOptions;

/** Notifications of changes through Redis, for `createServer({ changes })`; closing the server closes it. */
export interface RedisChangeBus extends ChangeBus {
  /** Closes the connections. */
  close(): void;
}

/** Maximum number of changes in the backlog. */
const MAX_BACKLOG = 1_000;

/** Time to live of the backlog after its last change, in milliseconds. */
const BACKLOG_TTL_MS = 600_000;

/** Added to the time since the subscription when the backlog is read for the first time, in milliseconds. */
const SLACK_MS = 1_000;

/** Maximum number of changes that wait until Redis can be reached; equal ones are stored once. */
const MAX_UNSENT = 1_000;

/** Delay before the next try to publish them, in milliseconds. */
const RETRY_MS = 1_000;

/** Adds a change to the backlog and publishes it. */
const PUBLISH = `
  local id = redis.call("XADD", KEYS[1], "MAXLEN", ARGV[2], "*", "change", ARGV[1])
  redis.call("PEXPIRE", KEYS[1], ARGV[3])
  redis.call("PUBLISH", KEYS[1], id .. " " .. ARGV[1])`;

/** Reads the changes after an id; without one, those of a number of milliseconds before now, by the clock of Redis. */
const READ_BACKLOG = `
  local time = redis.call("TIME")
  local since = string.format("%.0f-0", time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2])
  if ARGV[1] ~= "" then since = "(" .. ARGV[1] end
  return redis.call("XRANGE", KEYS[1], since, "+")`;

/**
 * Notifications of changes through Redis: `server.notify` of any replica reaches the listeners of all replicas, whether they use
 * `subscriptions/listen` or a session.
 *
 * Needs the package `ioredis`, which is not installed with Toolwire, and Redis 6.2 or later. Connects at the first use; the
 * connections keep the process alive until the server that has the bus is closed, or the last of several. While Redis cannot be reached, a change reaches the listeners of the same replica;
 * it is published to the others once Redis can be reached again, if the process still runs. A backlog of ten minutes is kept for
 * replicas that lost their connection.
 *
 * @example Changes for all replicas
 * ```ts fragment tools resources
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { mcp } from "jsr:@toolwire/toolwire/mcp";
 * import { redisChangeBus } from "jsr:@toolwire/toolwire/redis";
 *
 * const changes = redisChangeBus({ redis: "redis://127.0.0.1:6379" });
 * const server = createServer({ tools, resources, changes, wires: [mcp()] });
 * server.notify.resourceUpdated("docs://readme");
 * ```
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If another option is invalid or unknown.
 */
export function redisChangeBus(options: RedisChangeBusOptions): RedisChangeBus {
  return new ChannelChangeBus(
    openRedis("redisChangeBus", "publish changes through Redis", options, REDIS_RULES),
    options.name,
  );
}

/** Carries changes between replicas by a channel of Redis, to which it is subscribed while it has listeners. */
class ChannelChangeBus implements RedisChangeBus {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #listeners = new Listeners<Change>(() => {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  });
  readonly #unsent = new Set<string>();
  #unsubscribe: (() => void) | undefined;
  #isSending = false;

  constructor(connection: RedisConnection, name: string = "toolwire") {
    this.#connection = connection;
    this.#key = `{${name}}:changes`;
  }

  async publish(change: Change): Promise<void> {
    const json = JSON.stringify(change);
    try {
      await this.#send(json);
    } catch (error) {
      // Listeners of this replica are notified without Redis.
      this.#listeners.notify(change);
      const hasRoom = this.#unsent.size < MAX_UNSENT || this.#unsent.has(json);
      if (this.#connection.isClosed || isPermanentError(error) || !hasRoom) throw error;
      this.#unsent.add(json);
      if (!this.#isSending) void this.#sendLater();
    }
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#unsubscribe ??= this.#connection.channels.subscribe(this.#key, this.#createChannel());
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#connection.close();
  }

  #createChannel(): ChannelWithBacklog<Change> {
    const startMs = performance.now();
    return new ChannelWithBacklog({
      cursor: undefined,
      decode: (text) => this.#decode(text),
      readBacklog: (cursor) => this.#readBacklog(cursor, performance.now() - startMs),
      emit: (change) => this.#listeners.notify(change),
    });
  }

  async #readBacklog(cursor: string | undefined, sinceMs: number): Promise<Backlog<Change>> {
    const values = [cursor ?? "", Math.ceil(sinceMs) + SLACK_MS];
    const read = (client: Redis) => client.eval(READ_BACKLOG, 1, this.#key, ...values);
    const entries = await this.#connection.requestWithRetry(read) as readonly Entry[];
    return {
      messages: entries.map((entry) => this.#decode(fieldOf(entry, "change"))).filter((change) => change !== undefined),
      cursor: entries.at(-1)?.[0] ?? cursor ?? "0-0",
    };
  }

  #decode(text: string | undefined): Change | undefined {
    const change = toChange(text);
    if (change === undefined) {
      this.#connection.errors.report(new Error("Cannot read a change from Redis: it is invalid"));
    }
    return change;
  }

  async #send(json: string): Promise<void> {
    await this.#connection.request((client) => client.eval(PUBLISH, 1, this.#key, json, MAX_BACKLOG, BACKLOG_TTL_MS));
  }

  async #sendLater(): Promise<void> {
    this.#isSending = true;
    while (this.#unsent.size > 0 && !this.#connection.isClosed) {
      await this.#connection.delay(RETRY_MS);
      try {
        for (const json of this.#unsent) {
          await this.#send(json);
          this.#unsent.delete(json);
        }
      } catch {
        // Reported already.
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
    const isList = change?.kind === "list-changed" && LISTS.has(change.list);
    return isList && ["string", "undefined"].includes(typeof change.session) ? change : undefined;
  } catch {
    return undefined;
  }
}
