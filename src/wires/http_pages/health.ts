/**
 * Health and readiness over HTTP, for whoever starts, stops and balances servers.
 *
 * @module
 */
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, PATH } from "../../internal/options.ts";
import type { Head, MountedWire, Reply, RequestWire, WireHost } from "../wire.ts";

/** Options of {@link healthPage}. */
export interface HealthOptions {
  /** Where it is told that the process lives. Default: `/healthz`. */
  readonly path?: string;
  /** Where it is told whether calls are taken. Default: `/readyz`. */
  readonly ready?: string;
  /** Whether what the tools need is there, such as a database; what it throws is logged, and means no. Default: it is. */
  readonly isReady?: () => MaybePromise<boolean>;
}

/**
 * A wire that says how a server is: `GET /healthz` answers 200 while the process lives, `GET /readyz` 200 while it takes calls
 * and 503 once it is being closed. Nobody has to say who asks.
 *
 * @example Beside the wire that calls come by
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 * import { healthPage } from "jsr:@toolwire/toolwire/health";
 * import { strictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcpLite(), healthPage()] });
 * strictEqual((await server.fetch(new Request("http://localhost/readyz"))).status, 200);
 * await server.close();
 * strictEqual((await server.fetch(new Request("http://localhost/readyz"))).status, 503);
 * ```
 * @throws {TypeError} If both paths are the same, an option is not what it should be, or there is no such option.
 */
export function healthPage(options: HealthOptions = {}): RequestWire {
  checkOptions<HealthOptions>("tell health", options, { path: PATH, ready: PATH, isReady: FUNCTION });
  const { path = "/healthz", ready = "/readyz", isReady = () => true } = options;
  if (path === ready) throw new TypeError(`Cannot tell health and readiness at one path: ${path}`);
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
      return statusReply(head, !dispatch.closeSignal.aborted && await isReady());
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

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

const NOT_ALLOWED: Reply = { status: 405, headers: { ...HEADERS, allow: "GET, HEAD" }, body: '{"status":"error"}' };

function statusReply({ method }: Head, isGood: boolean): Reply {
  const body = isGood ? '{"status":"ok"}' : '{"status":"unavailable"}';
  return { status: isGood ? 200 : 503, headers: HEADERS, body: method === "HEAD" ? null : body };
}
