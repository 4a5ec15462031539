/**
 * Checks the Host and Origin of requests, and answers CORS preflights.
 *
 * Protects against DNS rebinding (a hostile page that reaches a local server under its own name) and against pages of other
 * origins. Does not authenticate callers.
 */
import { errorResult } from "../core/call/outcome.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import type { MaybePromise } from "../internal/async.ts";
import { errorReply } from "../wires/framing/json_rpc/reply.ts";
import type { Head, MountedWire, Reply } from "../wires/wire.ts";

/** CORS for pages of the allowed origins. */
export interface CorsOptions {
  /** Time that a browser may cache the answer to a preflight, in seconds. Default: 600. */
  readonly maxAgeSeconds?: number;
  /** Response headers that pages may read, beside those that the server's wires need them to. Default: `["retry-after", "www-authenticate"]`. */
  readonly exposeHeaders?: readonly string[];
}

/** The hosts and origins that requests may have. */
export interface OriginPolicy {
  /** Host names (with or without port) under which the server may be reached. Default: any. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins, beside the server's own, whose pages may call it: `https://app.example`; `"*"` for all. Default: none. */
  readonly origins?: readonly string[] | "*" | undefined;
  /** Whether to answer preflights and send CORS headers to allowed origins. Default: `false`. */
  readonly cors?: boolean | CorsOptions | undefined;
}

/** The names of this machine, as seen from itself. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const DEFAULT_MAX_AGE_SECONDS = 600;

/** Enforces an {@link OriginPolicy}. */
export class OriginGuard {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string> | "*";
  readonly #cors: CorsOptions | undefined;

  readonly #exposed: string;
  readonly #log: Pick<Dispatch, "warn">;

  /**
   * @param log Receives refused requests.
   * @param wireHeaders Response headers of the wires that pages have to read.
   */
  constructor(options: OriginPolicy, log: Pick<Dispatch, "warn">, wireHeaders: readonly string[]) {
    this.#log = log;
    const { hosts, origins = [], cors } = options;
    this.#hosts = hosts === undefined ? undefined : new Set(hosts.map(parseHost));
    this.#origins = origins === "*" ? "*" : new Set(origins.map(parseOrigin));
    this.#cors = cors === true ? {} : cors === false ? undefined : cors;
    this.#exposed = [...this.#cors?.exposeHeaders ?? ["retry-after", "www-authenticate"], ...wireHeaders].join(", ");
  }

  /** Whether replies need {@link decorate}. */
  get hasCors(): boolean {
    return this.#cors !== undefined;
  }

  /**
   * The reply to a request that violates the policy, or to a preflight; `undefined` for other requests.
   *
   * @param isPublic Whether pages of any origin may send it.
   */
  check(head: Head, wire: MountedWire | undefined, isPublic: boolean | undefined): MaybePromise<Reply> | undefined {
    if (this.#hosts !== undefined && !isListed(hostOf(head), this.#hosts)) {
      return this.#refuse(head, wire, `This server does not answer for host ${quote(hostOf(head))}: add it to "hosts"`);
    }
    if (isPublic) return undefined;
    const origin = head.metadata.get("origin");
    if (origin !== null && !this.#allows(origin, head)) {
      return this.#refuse(head, wire, `Origin ${quote(origin)} is not allowed: add it to "origins"`);
    }
    if (head.method !== "OPTIONS") return undefined;
    const { methods = ["POST"] } = wire ?? {};
    if (this.#cors !== undefined) return this.#preflight(head, this.#cors, methods);
    if (origin === null) return undefined;
    const refused = errorReply(
      null,
      errorResult("invalid_request", 'Preflights are answered with "cors: true"'),
      405,
    );
    return { ...refused, headers: { ...refused.headers, allow: methods.join(", ") } };
  }

  /** The reply with CORS headers, if the request came from another origin and CORS is on. */
  decorate(head: Head, reply: Reply): Reply {
    const origin = head.metadata.get("origin");
    const cors = origin !== null && this.#allows(origin, head) && {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": this.#exposed,
    };
    return { ...reply, headers: { ...reply.headers, ...cors, vary: "origin" } };
  }

  #allows(origin: string, head: Head): boolean {
    if (this.#origins === "*" || this.#origins.has(origin.toLowerCase())) return true;
    return origin.replace(/^https?:\/\//i, "").toLowerCase() === hostOf(head).toLowerCase();
  }

  /** Returns an error in the format of the wire, if there is one. */
  #refuse(head: Head, wire: MountedWire | undefined, message: string): MaybePromise<Reply> {
    this.#log.warn("Request refused", { path: quotePath(head.path), reason: message });
    const refusal = errorResult("permission_denied", message);
    return wire?.errorReply?.(head, refusal, 403) ?? errorReply(null, refusal, 403);
  }

  #preflight(head: Head, cors: CorsOptions, methods: readonly string[]): Reply {
    const wanted = head.metadata.get("access-control-request-headers");
    const headers = {
      allow: [...methods, "OPTIONS"].join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-max-age": String(cors.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS),
      ...(wanted !== null && { "access-control-allow-headers": wanted }),
    };
    return { status: 204, headers, body: null };
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

function hostOf(head: Head): string {
  return head.metadata.get("host") ?? head.authority;
}

function isListed(host: string, hosts: ReadonlySet<string>): boolean {
  const wanted = host.toLowerCase();
  return hosts.has(wanted) || hosts.has(wanted.replace(/:\d+$/, ""));
}

/** Maximum length of the texts of a request that messages and log lines repeat, in characters. */
const MAX_QUOTED = 128;

/** A path for the log. Long segments are cut, because they can be tokens, as those of promises over REST. */
function quotePath(path: string): string {
  return path.replace(/[^/]{65,}/g, (segment) => `${segment.slice(0, 8)}…`).slice(0, MAX_QUOTED);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED));
}
