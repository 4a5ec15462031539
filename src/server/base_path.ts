/** The path below which a server answers. */
import { PATH } from "../internal/options.ts";
import type { Head, MountedWire } from "../wires/wire.ts";
import { routeOf, type Routes } from "./routes.ts";
import { normalizePath } from "../internal/http.ts";

/** The option `basePath` of `createServer` of `./core`, made by {@link atBasePath}. */
export interface BasePath {
  /** The path, without trailing slash; `""` for the root. */
  readonly path: string;
  /**
   * Finds the wire of a request, and removes the base path from the path of its head. Outside of the base path it only finds wires
   * that are mounted at the root.
   *
   * @internal
   */
  readonly "~find": (head: Pick<Head, "path">, routes: Routes) => MountedWire | undefined;
}

/**
 * Serves all wires below a path, for `basePath` of `createServer` of `./core`. `createServer` of the front door takes the path itself.
 *
 * @example MCP-lite at /api/mcp-lite/v1
 * ```ts
 * import { atBasePath, createServer, defineTool } from "jsr:@toolwire/toolwire/core";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], basePath: atBasePath("/api") });
 * const response = await server.fetch(new Request("http://localhost/api/mcp-lite/v1/tools", { method: "POST" }));
 * console.log(response.status); // → 200
 * ```
 * @param path The path, such as `/api`.
 * @throws {TypeError} If it is not a path.
 */
export function atBasePath(path: string): BasePath {
  if (!PATH.fits(path) || path.includes("*")) {
    throw new TypeError(
      `Cannot create server: basePath must be a path like "/api", without host, query or *, not ${
        JSON.stringify(path)
      }`,
    );
  }
  const base = normalizePath(path);
  return { path: base, "~find": (head, routes) => findBelow(base, head, routes) };
}

function findBelow(base: string, head: Pick<Head, "path">, routes: Routes): MountedWire | undefined {
  if (!`${head.path}/`.startsWith(`${base}/`)) {
    const wire = routeOf(head.path, routes);
    return wire?.isAtRoot ? wire : undefined;
  }
  const below = head.path.slice(base.length);
  const wire = routeOf(below, routes);
  if (wire !== undefined) head.path = below;
  return wire;
}
