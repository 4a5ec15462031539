import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { Connection } from "./connection.ts";
import { decodeFailedReply, invalidResultError } from "./decode_reply.ts";

/** Maximum number of pages of a list. It stops a server whose list has no end. */
const MAX_PAGES = 1_000;

/** Reads the lists of a server. Lists and resources are cached as long as the server allows. */
export class ServerLists {
  readonly cache: TtlCache = new TtlCache();
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.router.on("notification", ({ method, params: { uri } }) => {
      const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
      if (list !== undefined) this.cache.deletePrefix(`${list}/`);
      if (method === "notifications/resources/updated") this.cache.deletePrefix(`resources/read ${uri}`);
    });
  }

  /**
   * Reads all pages of a list.
   *
   * @param method Such as `tools/list`.
   * @param member Member of the result that contains the page.
   */
  async readAll(method: string, member: string, limit: ActivityMonitor): Promise<readonly Members[] | ErrorResult> {
    const cached = this.cache.get(method);
    if (cached !== undefined) return cached as readonly Members[];
    const items: Members[] = [];
    let cursor: unknown;
    let ttlMs = Infinity;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.#connection.request({ method, params, limit });
      if (!("result" in reply)) return decodeFailedReply(reply);
      const page = reply.result[member];
      if (!Array.isArray(page)) return invalidResultError(method);
      items.push(...page.filter(isJsonObject));
      ttlMs = Math.min(ttlMs, ttlMsOf(reply.result));
      cursor = reply.result["nextCursor"];
      // An empty string is a valid cursor.
      if (typeof cursor !== "string") break;
    }
    this.cache.set(method, items, ttlMs);
    return items;
  }
}

/** Time for which a result may be cached, in milliseconds. */
export function ttlMsOf({ ttlMs }: Members): number {
  return typeof ttlMs === "number" ? ttlMs : 0;
}

const MAX_ENTRIES = 256;

/** Cache of results. Private results are cached, too: a transport is used by one principal. */
class TtlCache {
  readonly #entries = new Map<string, { readonly value: unknown; readonly expiresAtMs: number }>();

  /** The cached value; `undefined` if it is absent or has expired. */
  get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (entry !== undefined && performance.now() < entry.expiresAtMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Caches a value for `ttlMs`, if that is positive. */
  set(key: string, value: unknown, ttlMs: number): void {
    if (!(ttlMs > 0)) return;
    this.#entries.set(key, { value, expiresAtMs: performance.now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Deletes all values whose key starts with `prefix`. */
  deletePrefix(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
