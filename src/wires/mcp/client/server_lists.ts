import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { Connection } from "./connection.ts";
import { invalidResultError, toErrorResult } from "./decode_reply.ts";

/** More pages than any list has: a server whose list has no end would keep us busy for ever. */
const MAX_PAGES = 1_000;

/** The lists of a server, whole, and what is read of it; kept as long as the server says. */
export class ServerLists {
  readonly cache: TtlCache = new TtlCache();
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.router.on("notification", ({ method, params: { uri } }) => {
      const [, what] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
      if (what !== undefined) this.cache.deletePrefix(`${what}/`);
      if (method === "notifications/resources/updated") this.cache.deletePrefix(`resources/read ${uri}`);
    });
  }

  /**
   * All pages of a list.
   *
   * @param method Such as `tools/list`.
   * @param member The result's member that holds a page.
   */
  async readAll(method: string, member: string, limit: ActivityMonitor): Promise<readonly Members[] | ErrorResult> {
    const kept = this.cache.get(method);
    if (kept !== undefined) return kept as readonly Members[];
    const items: Members[] = [];
    let cursor: unknown;
    let ttlMs = Infinity;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.#connection.request({ method, params, limit });
      if (!("result" in reply)) return toErrorResult(reply);
      const page = reply.result[member];
      if (!Array.isArray(page)) return invalidResultError(method);
      items.push(...page.filter(isJsonObject));
      ttlMs = Math.min(ttlMs, ttlMsOf(reply.result));
      cursor = reply.result["nextCursor"];
      // An empty cursor is one, too.
      if (typeof cursor !== "string") break;
    }
    this.cache.set(method, items, ttlMs);
    return items;
  }
}

/** How long a result holds, in milliseconds. */
export function ttlMsOf({ ttlMs }: Members): number {
  return typeof ttlMs === "number" ? ttlMs : 0;
}

/** Keeps results for as long as the server says that they hold. A transport speaks for one principal, so what is private is kept, too. */
export class TtlCache {
  readonly #entries = new Map<string, { readonly value: unknown; readonly untilMs: number }>();

  /** What was kept, while it holds. */
  get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (entry !== undefined && performance.now() < entry.untilMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a value for `ttlMs`; not at all if that is no time. */
  set(key: string, value: unknown, ttlMs: unknown): void {
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    this.#entries.set(key, { value, untilMs: performance.now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Forgets what starts with `prefix`. */
  deletePrefix(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

const MAX_ENTRIES = 256;
