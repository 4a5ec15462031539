/**
 * Workers KV for workerd on this machine, which has no KV: the HTTP requests of a KV binding, kept in memory.
 *
 * As KV itself it is eventually consistent. What was written at a location is known there at once, and elsewhere later: at
 * Cloudflare after up to a minute or more, here on command, so that the example does not wait for it.
 *
 * @module
 */

/** What was written once; `null` is a deletion. */
interface Version {
  readonly value: string | null;
  readonly location: string;
  /** Whether other locations know of it. */
  readonly isSpread: boolean;
  readonly expiresMs: number;
}

/** What was written of each key, the latest first. */
const versions = new Map<string, readonly Version[]>();

function createLocation(location: string) {
  function read(key: string): string | null {
    const nowMs = Date.now();
    const known = (versions.get(key) ?? []).find((version) => version.location === location || version.isSpread);
    return known === undefined || known.expiresMs <= nowMs ? null : known.value;
  }

  function write(key: string, value: string | null, ttlSeconds: number): void {
    const version = { value, location, isSpread: false, expiresMs: Date.now() + ttlSeconds * 1_000 };
    versions.set(key, [version, ...versions.get(key) ?? []]);
  }

  function list(prefix: string): Response {
    const names = [...versions.keys()].filter((key) => key.startsWith(prefix) && read(key) !== null).sort();
    return Response.json({ keys: names.map((name) => ({ name })), list_complete: true });
  }

  return {
    async fetch(request: Request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url);
      const key = decodeURIComponent(pathname.slice(1));
      if (key === "") return list(searchParams.get("prefix") ?? "");
      if (request.method === "GET") {
        const value = read(key);
        return value === null ? new Response(null, { status: 404 }) : new Response(value);
      }
      const isPut = request.method === "PUT";
      write(key, isPut ? await request.text() : null, Number(searchParams.get("expiration_ttl") ?? Infinity));
      return new Response();
    },
  };
}

/** KV as it is seen at one location. */
export const east = createLocation("east");

/** KV as it is seen at another. */
export const west = createLocation("west");

/** Time passes: with any request, everything is known everywhere. */
export default {
  fetch(): Response {
    for (const [key, [latest]] of versions) {
      if (latest !== undefined) versions.set(key, [{ ...latest, isSpread: true }]);
    }
    return new Response();
  },
};
