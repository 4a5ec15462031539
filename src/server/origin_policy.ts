/**
 * Checks the Host of requests, allows listed origins, and answers CORS preflights.
 *
 * The host protects against DNS rebinding: a hostile page that reaches a local server under its own name.
 */
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import type { MaybePromise } from "../internal/async.ts";
import type { Head, MountedWire, Reply } from "../wires/wire.ts";
import { hostOf, OriginGuard, quote } from "./origin_guard.ts";
import type { Routes } from "./routes.ts";
import type { CorsOptions, OriginPolicy } from "./server_options.ts";

/** Names of this machine, as seen from itself: the hosts that `serve` accepts by default on a loopback address. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The option `originPolicy` of `createServer` of `./core`, made by {@link originPolicy}. */
export interface OriginRules extends OriginPolicy {
  /**
   * Creates the guard of a server.
   *
   * @internal
   */
  readonly "~origins": (
    policy: OriginPolicy,
    log: Pick<Dispatch, "log" | "mask">,
    routes: Routes,
  ) => OriginGuard;
}

/**
 * Hosts, origins and CORS, for `originPolicy` of `createServer` of `./core`, which throws a `TypeError` if a host or an origin is
 * invalid. `createServer` of the front door takes its members as options.
 *
 * @example Pages of one other origin may call the server
 * ```ts
 * import { createServer, defineTool, originPolicy } from "jsr:@toolwire/toolwire/core";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const policy = originPolicy({ origins: ["https://app.example"], cors: true });
 * const server = createServer({ tools: [ping], originPolicy: policy });
 * const request = new Request("https://api.example/mcp-lite/v1/tools", { headers: { origin: "https://app.example" } });
 * const { headers } = await server.fetch(request);
 * console.log(headers.get("access-control-allow-origin")); // → https://app.example
 * ```
 */
export function originPolicy(policy: OriginPolicy): OriginRules {
  return { ...policy, "~origins": (...guarded) => new PolicyGuard(...guarded) };
}

const DEFAULT_MAX_AGE_SECONDS = 600;

/** Enforces an {@link OriginPolicy}. */
class PolicyGuard extends OriginGuard {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string> | "*";
  readonly #cors: CorsOptions | undefined;
  /** Whether CORS was switched off, in place of left out. */
  readonly #isCorsOff: boolean;
  readonly #exposed: string;
  /** The last host that was accepted. A client sends the same in every call, and looking it up takes 2 % of one. */
  #lastHost: string | undefined;

  /** @param routes The wires, which have response headers that pages read. */
  constructor(
    { hosts, origins = [], cors }: OriginPolicy,
    log: Pick<Dispatch, "log" | "mask">,
    routes: Routes,
  ) {
    super(log);
    this.#hosts = hosts === undefined ? undefined : new Set(hosts.map(parseHost));
    this.#origins = origins === "*" ? "*" : new Set(origins.map(parseOrigin));
    this.#isCorsOff = cors === false;
    this.#cors = cors === true ? {} : cors === false ? undefined : cors;
    const ofServer = this.#cors?.exposeHeaders ?? ["retry-after", "www-authenticate"];
    const ofWires = [...routes.values()].flatMap(({ exposedHeaders = [] }) => exposedHeaders);
    this.#exposed = [...ofServer, ...new Set(ofWires)].join(", ");
  }

  override get decorate(): OriginGuard["decorate"] {
    return this.#cors && ((head, reply) => this.#addHeaders(head, reply));
  }

  override check(
    head: Head,
    wire: MountedWire | undefined,
    isPublic: boolean | undefined,
  ): MaybePromise<Reply> | undefined {
    const hosts = this.#hosts;
    if (hosts !== undefined) {
      const host = hostOf(head);
      if (host !== this.#lastHost && !isListed(host, hosts)) {
        return this.refuse(head, wire, `This server does not answer for host ${quote(host)}: add it to "hosts"`);
      }
      this.#lastHost = host;
    }
    return super.check(head, wire, isPublic);
  }

  protected override allows(origin: string, head: Head): boolean {
    return this.#origins === "*" || this.#origins.has(origin.toLowerCase()) || super.allows(origin, head);
  }

  protected override preflight(head: Head, origin: string | null, methods: readonly string[]): Reply | undefined {
    if (this.#cors === undefined) {
      // The browser shows the page no answer to a preflight, so that the log alone has the reason.
      if (origin !== null && !this.#isCorsOff) this.warn(head, `Pages of ${quote(origin)} need CORS: add "cors: true"`);
      return super.preflight(head, origin, methods);
    }
    const wanted = head.metadata.get("access-control-request-headers");
    const headers = {
      allow: [...methods, "OPTIONS"].join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-max-age": String(this.#cors.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS),
      ...(wanted !== null && { "access-control-allow-headers": wanted }),
    };
    return { status: 204, headers, body: null };
  }

  /** Adds CORS headers if the request came from another origin. */
  #addHeaders(head: Head, reply: Reply): Reply {
    const origin = head.metadata.get("origin");
    const cors = origin !== null && this.allows(origin, head) && {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": this.#exposed,
    };
    return { ...reply, headers: { ...reply.headers, ...cors, vary: "origin" } };
  }
}

function parseHost(host: string): string {
  if (!host.includes("/")) return host.toLowerCase();
  throw new TypeError(`Cannot listen for host ${quote(host)}: write its name alone, such as "api.example"`);
}

/** Formats an origin as browsers do: without a trailing slash and a default port. */
function parseOrigin(origin: string): string {
  const parsed = URL.canParse(origin) ? new URL(origin).origin : "null";
  if (parsed !== "null") return parsed;
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]+$/i.test(origin)) return origin.toLowerCase();
  throw new TypeError(`Cannot allow origin ${quote(origin)}: write it with its scheme, such as "https://app.example"`);
}

function isListed(host: string, hosts: ReadonlySet<string>): boolean {
  const wanted = host.toLowerCase();
  return hosts.has(wanted) || hosts.has(wanted.replace(/:\d+$/, ""));
}
