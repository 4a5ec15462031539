import { JSON_HEADERS } from "../../wires/framing/http.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, PATH } from "../../internal/options.ts";
import type { Head, MountedWire, Reply, RequestWire, WireHost } from "../../wires/wire.ts";

/** Options of {@link healthPage}. */
export interface HealthOptions {
  /** Path of the liveness check. Default: `/healthz`. */
  readonly path?: string | undefined;
  /** Path of the readiness check. Default: `/readyz`. */
  readonly ready?: string | undefined;
  /** Whether the dependencies of the tools, such as a database, are available. An exception is logged and means `false`. Default: `true`. */
  readonly isReady?: (() => MaybePromise<boolean>) | undefined;
}

/**
 * Creates a wire of health checks: `GET /healthz` returns 200 while the process runs, `GET /readyz` 200 while it accepts calls
 * and 503 while it shuts down. They need no authentication.
 *
 * @example Health checks beside another wire
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 * import { healthPage } from "jsr:@toolwire/toolwire/health";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcpLite(), healthPage()] });
 * console.log((await server.fetch(new Request("http://localhost/readyz"))).status); // → 200
 * await server.close();
 * console.log((await server.fetch(new Request("http://localhost/readyz"))).status); // → 503
 * ```
 * @throws {TypeError} If both paths are the same, or an option is invalid or unknown.
 */
export function healthPage(options: HealthOptions = {}): RequestWire {
  checkOptions<HealthOptions>("serve health checks", options, { path: PATH, ready: PATH, isReady: FUNCTION });
  const { path = "/healthz", ready = "/readyz", isReady = () => true } = options;
  if (path === ready) throw new TypeError(`Cannot serve health checks: path and ready are both ${path}`);
  return { name: "health", mount: (host) => mountHealth(host, path, ready, isReady) };
}

function mountHealth(
  { dispatch }: WireHost,
  path: string,
  ready: string,
  isReady: () => MaybePromise<boolean>,
): MountedWire {
  const readiness = async (head: Head): Promise<Reply> => {
    try {
      return statusReply(head, !dispatch.isClosed && await isReady());
    } catch (thrown) {
      dispatch.mask(thrown, { path: ready });
      return statusReply(head, false);
    }
  };
  return {
    paths: [path, ready],
    unauthenticatedPaths: [path, ready],
    handle(head) {
      if (head.method !== "GET" && head.method !== "HEAD") return NOT_ALLOWED;
      return head.path === path ? statusReply(head, true) : readiness(head);
    },
  };
}

const NOT_ALLOWED: Reply = {
  status: 405,
  headers: { ...JSON_HEADERS, allow: "GET, HEAD" },
  body: '{"status":"error"}',
};

function statusReply({ method }: Head, isHealthy: boolean): Reply {
  const body = isHealthy ? '{"status":"ok"}' : '{"status":"unavailable"}';
  return { status: isHealthy ? 200 : 503, headers: JSON_HEADERS, body: method === "HEAD" ? null : body };
}
