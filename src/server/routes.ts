/** Routing of requests to wires, by path. */
import { cutText } from "../internal/text.ts";
import { errorResult } from "../core/call/outcome.ts";
import { errorReply } from "../wires/framing/json_rpc/reply.ts";
import type { MountedPaths, MountedWire, Reply, RequestWire, WireHost } from "../wires/wire.ts";

/** Mounted wires by path: an exact one, or a prefix that ends with `/*`. */
export type Routes = ReadonlyMap<string, MountedWire>;

/** The wire of a path: the one with exactly this path, otherwise the one with the longest matching prefix, if any. */
export function routeOf(path: string, routes: Routes): MountedWire | undefined {
  const exact = routes.get(path);
  if (exact !== undefined) return exact;
  let longest = "";
  for (const pattern of routes.keys()) {
    if (pattern.endsWith("/*") && path.startsWith(pattern.slice(0, -1)) && pattern.length > longest.length) {
      longest = pattern;
    }
  }
  return longest === "" ? undefined : routes.get(longest);
}

/**
 * Mounts a wire on a server, and adds its paths to `routes`.
 *
 * @throws {TypeError} If another wire has one of its paths.
 */
export function mountWire(wire: RequestWire, host: WireHost, routes: Map<string, MountedWire>): MountedPaths {
  const mounted = wire.mount(host);
  for (const path of mounted.paths) {
    if (routes.has(path)) {
      throw new TypeError(`Cannot create server: two wires answer ${path}; give ${wire.name} another path`);
    }
    routes.set(path, mounted);
  }
  return { wire: wire.name, paths: mounted.paths, describe: mounted.describe };
}

/** Maximum number of paths that a reply lists. */
const MAX_PATHS = 5;

/** The reply for a path that no wire answers: `method_not_found`, with the first path of each wire, of at most five wires. */
export function notFound(path: string, routes: Routes, base: string): Reply {
  const firsts = new Map<MountedWire, string>();
  for (const [known, wire] of routes) if (!firsts.has(wire)) firsts.set(wire, base + known);
  const paths = [...firsts.values()].slice(0, MAX_PATHS).join(", ");
  const message = `Nothing answers ${cutText(path, 128) || "/"}; there are ${paths}`;
  return errorReply(null, errorResult("method_not_found", message));
}
