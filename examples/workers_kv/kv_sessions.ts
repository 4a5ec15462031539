/**
 * A store of MCP sessions over Workers KV: the methods of `SessionStore`, with the operations of KV.
 *
 * KV has no publish and subscribe, so waiting requests poll; and it is eventually consistent, so what one location
 * has written may be news to another for a minute. The README says what that means for sessions.
 *
 * @module
 */
import type { McpSession, SessionEvent, SessionStore, StoredMessage } from "jsr:@toolwire/toolwire/mcp";

/** What is used of a KV namespace. */
export interface KeyValues {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options: { readonly expirationTtl: number }): Promise<void>;
  delete(key: string): Promise<void>;
  list(options: { readonly prefix: string; readonly cursor?: string | null }): Promise<{
    readonly keys: readonly { readonly name: string }[];
    readonly list_complete: boolean;
    readonly cursor?: string | null;
  }>;
}

/** Options of {@link kvSessions}. */
export interface KvSessionsOptions {
  /** How long a session lasts after its last request, in seconds; KV takes 60 or more. Default: 3,600. */
  readonly ttlSeconds?: number;
  /** Poll interval of waiting requests, in milliseconds: each poll is a `list`, which costs money. Default: 500. */
  readonly pollMs?: number;
}

/** A session, and since when it has its time to live. */
interface Kept {
  readonly session: McpSession;
  readonly sinceMs: number;
}

/**
 * Keeps sessions in KV.
 *
 * Keys are `session/<id>`, `<id>/message/<stream>/<number>` and `<id>/note/<number>/<anything>`: each is written once, as KV lets
 * a key be written once a second, but for the session itself. All of them expire by themselves.
 */
export function kvSessions(kv: KeyValues, options: KvSessionsOptions = {}): SessionStore {
  const { ttlSeconds = 3_600, pollMs = 500 } = options;
  const expiring = { expirationTtl: ttlSeconds };
  let lastNumber = 0;

  /** Larger than those before it, here; and elsewhere, as far as clocks agree. */
  function nextNumber(): number {
    return lastNumber = Math.max(lastNumber + 1, Date.now() * 100);
  }

  async function put(session: McpSession): Promise<boolean> {
    const kept: Kept = { session, sinceMs: Date.now() };
    await kv.put(`session/${session.id}`, JSON.stringify(kept), expiring);
    // KV cannot compare and swap: of two changes made at once, one is lost.
    return true;
  }

  async function namesOf(prefix: string): Promise<readonly string[]> {
    const names: string[] = [];
    let cursor: string | null | undefined = null;
    do {
      const page = await kv.list({ prefix, cursor });
      names.push(...page.keys.map(({ name }) => name));
      cursor = page.list_complete ? null : page.cursor;
    } while (cursor);
    return names;
  }

  async function tell(id: string, note: SessionEvent): Promise<void> {
    await kv.put(`${id}/note/${nextNumber()}/${crypto.randomUUID()}`, JSON.stringify(note), expiring);
  }

  return {
    put,
    async get(id) {
      const text = await kv.get(`session/${id}`);
      if (text === null) return undefined;
      const { session, sinceMs } = JSON.parse(text) as Kept;
      // Extend its lifetime, but not with a write for each request.
      if (Date.now() - sinceMs > ttlSeconds * 500) await put(session);
      return session;
    },
    async delete(id) {
      await tell(id, { kind: "ended" });
      await kv.delete(`session/${id}`);
    },
    // Those who look find it.
    async append(id, stream, json, isLast) {
      await kv.put(`${id}/message/${stream}/${nextNumber()}`, JSON.stringify({ json, isLast }), expiring);
    },
    async read(id, stream, after) {
      const prefix = `${id}/message/${stream}/`;
      const numbers = (await namesOf(prefix)).map((name) => Number(name.slice(prefix.length)));
      const messages: StoredMessage[] = [];
      for (const number of numbers.filter((one) => one > after)) {
        const text = await kv.get(prefix + number);
        // Later messages are not delivered before it.
        if (text === null) break;
        messages.push({ number, ...JSON.parse(text) as { json: string; isLast: boolean } });
      }
      return messages;
    },
    publish: tell,
    subscribe(id, listener) {
      // Clocks of locations differ a bit; what is older was not for this listener.
      const since = (Date.now() - 1_000) * 100;
      const seen = new Set<string>();
      const look = async (name: string): Promise<void> => {
        if (seen.has(name)) return;
        const [, kind, place = ""] = name.split("/");
        const isOld = kind === "note" && Number(place) < since;
        const text = isOld ? "" : await kv.get(name);
        // What is listed can be unknown still: it comes with a later look.
        if (text === null) return;
        seen.add(name);
        if (kind === "message") listener({ kind, stream: place });
        else if (!isOld) listener(JSON.parse(text) as SessionEvent);
      };
      let isOver = false;
      void (async () => {
        while (!isOver) {
          try {
            for (const name of await namesOf(`${id}/`)) await look(name);
          } catch (error) {
            console.error("KV does not answer; it is asked again", error);
          }
          await new Promise((resolve) => setTimeout(resolve, pollMs));
        }
      })();
      return () => void (isOver = true);
    },
  };
}
