/**
 * Authentication of requests: identifies the caller once for each request, before its body is read, on every wire.
 *
 * Fails closed: a request is rejected if anything is thrown.
 */
import type { Metadata, Principal } from "../../core/call/call.ts";
import { type ErrorResult, errorResult, missingScopesOf } from "../../core/call/outcome.ts";
import { toPrincipal, toRequestPrincipal } from "../../core/call/principal.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Received } from "../../core/schema/received.ts";
import { settleThrown } from "../../core/dispatch/error_masking.ts";
import { Deadlines } from "../../internal/deadlines.ts";
import type { MaybeFuture } from "../../internal/future.ts";
import { asObject } from "../../internal/json.ts";
import { BOOLEAN, checkOptions, OBJECT, type OptionRules, POSITIVE, TEXTS } from "../../internal/options.ts";
import { isPromiseLike, mapMaybe, type MaybePromise } from "../../internal/async.ts";
import type { Auth, MountedAuth } from "../../server/auth.ts";
import { refusalReply } from "../../server/pages/refusal_reply.ts";
import type { AuthDescription, Body, Head, MountedWire, ProtectedResource, Reply, WireHost } from "../../wires/wire.ts";
import { isUnauthenticated as isPublicPath } from "../../wires/wire.ts";

/** Argument of {@link Identify}: the part of a request that is available before its body is read, on every wire. */
export interface AuthRequest {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path of the URL below the server's `basePath`, without the query: tokens must not be sent in it. */
  readonly path: string;
  /** HTTP headers or gRPC metadata. */
  readonly metadata: Metadata;
  /** What the runtime passed to `fetch` beside the request: the bindings of a Worker. `undefined` without `fetch`. */
  readonly env: unknown;
  /** The request of `fetch`, for session libraries that take one; `undefined` without `fetch`. Its body is read by the wire. */
  readonly request: Request | undefined;
}

/** Reads members of a head on demand, because some are costly. */
class HeadRequest implements AuthRequest {
  readonly metadata: Metadata;
  readonly #head: Head;

  constructor(head: Head, metadata: Metadata) {
    this.metadata = metadata;
    this.#head = head;
  }

  get method(): string {
    return this.#head.method;
  }

  get path(): string {
    return this.#head.path;
  }

  get env(): unknown {
    return this.#head.host?.env;
  }

  get request(): Request | undefined {
    return this.#head.host?.request;
  }
}

/**
 * Identifies the caller of a request. `undefined` or `null` rejects the request as `unauthenticated`, except with `allowAnonymous`: then the
 * caller is anonymous. A thrown `ToolError` rejects the request with its code. Any other exception is masked, and rejects the request as
 * well.
 */
export type Identify<Claims extends object = object> = (
  request: AuthRequest,
) => MaybePromise<Principal<Claims> | null | undefined>;

/**
 * Type of the callers that an `auth`, or a function that identifies callers, gives: `defineTool.for<{ principal: CallerOf<typeof auth> }>()`.
 * Where callers may be anonymous, add `| undefined`.
 */
export type CallerOf<Source extends Auth | ((...given: never[]) => unknown)> = Source extends Auth<infer Caller>
  ? AsHandled<Caller>
  : Source extends (...given: never[]) => infer Found ? AsHandled<NonNullable<Awaited<Found>>>
  : never;

/** A caller as handlers get it: with the JSON of its claims. */
export type AsHandled<Caller> = Caller extends Principal<infer Claims>
  // Claims of any kind have no members.
  ? [keyof Claims] extends [never] ? Principal
  : Received<Claims> extends infer Json extends object ? Principal<Json>
  : never
  : never;

/** Options of {@link authenticate}. */
export interface AuthenticateOptions {
  /** Time limit for the identification in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Accept requests without a principal, from anonymous callers. Tools with `.scopes()` reject them. Default: `false`, which rejects them
   * as `unauthenticated`.
   */
  readonly allowAnonymous?: boolean | undefined;
  /**
   * Scopes that every principal needs, in addition to the `.scopes()` of tools. A principal without them is refused with
   * `permission_denied` (403), and the challenges of 401 and 403 name them. Anonymous callers need none. Default: none.
   */
  readonly requiredScopes?: readonly string[] | undefined;
  /**
   * How callers authenticate, for OpenAPI documents: security schemes of OpenAPI 3.1, by name, such as
   * `{ apiKey: { type: "apiKey", in: "header", name: "x-api-key" } }`. Default: not described.
   */
  readonly securitySchemes?: AuthDescription["schemes"] | undefined;
}

/** Validation rules for {@link AuthenticateOptions}. */
export const AUTHENTICATE_RULES: OptionRules<AuthenticateOptions> = {
  timeoutMs: POSITIVE,
  allowAnonymous: BOOLEAN,
  requiredScopes: TEXTS,
  securitySchemes: OBJECT,
};

/**
 * Authenticates callers with a function: `createServer({ auth: authenticate((request) => …) })`. For bearer tokens there are
 * `bearer` and `jwt`.
 *
 * @example Callers with API keys
 * ```ts
 * import { createServer, defineTool, ToolError } from "jsr:@toolwire/toolwire";
 * import { authenticate } from "jsr:@toolwire/toolwire/auth";
 *
 * const callers = new Map([["a-long-random-text", { id: "ada", scopes: ["docs:read"] }]]);
 * const whoami = defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id);
 *
 * const server = createServer({
 *   tools: [whoami],
 *   auth: authenticate(({ metadata }) => {
 *     const caller = callers.get(metadata.get("x-api-key") ?? "");
 *     if (caller === undefined) throw new ToolError("unauthenticated", "Send your key in x-api-key");
 *     return caller;
 *   }),
 * });
 * const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/tools", { method: "POST" }));
 * console.log(response.status); // → 401
 * ```
 * @typeParam Claims Type of the claims of principals.
 * @throws {TypeError} If `identify` is not a function, or an option is invalid or unknown.
 * @throws {RangeError} If `timeoutMs` is not above 0.
 */
export function authenticate<Claims extends object = object>(
  identify: Identify<Claims>,
  options: AuthenticateOptions = {},
): Auth<Principal<Claims>> {
  if (typeof identify !== "function") {
    throw new TypeError("Cannot authenticate callers: pass a function ({ metadata }) => principal");
  }
  checkOptions("authenticate callers", options, AUTHENTICATE_RULES);
  const { requiredScopes = [] } = options;
  if (requiredScopes.length === 0) return createAuth(identify, options);
  return createAuth((request) => mapMaybe(identify(request), (found) => withScopes(found, requiredScopes)), options);
}

/**
 * Returns the principal of a caller if it has all scopes. An anonymous caller needs none.
 *
 * @throws {ToolError} `permission_denied`, with the scopes, if one is missing.
 */
export function withScopes(
  identified: Principal<object> | null | undefined,
  required: readonly string[],
): Principal | null | undefined {
  if (identified === undefined || identified === null) return identified;
  // Its unread members are logged where the server reads it.
  const principal = toPrincipal(identified, () => {});
  const { scopes: given = [] } = principal;
  if (required.every((scope) => given.includes(scope))) return principal;
  throw new ToolError("permission_denied", `Needs scopes ${required.join(", ")}`, {
    details: { required_scopes: required },
    cause: new RefusalReason(`scopes: expected ${JSON.stringify(required)}, given ${JSON.stringify(given)}`),
  });
}

/** Creates `auth` of a server from options that are validated. Of `requiredScopes` only the challenges are made: `identify` checks them. */
export function createAuth<Caller extends Principal<object>>(
  identify: Identify,
  options: AuthenticateOptions,
): Auth<Caller> {
  const { timeoutMs = 10_000, allowAnonymous: allowsAnonymous = false, securitySchemes: schemes } = options;
  const settings = { timeoutMs, security: { schemes, allowsAnonymous }, scopes: options.requiredScopes ?? [] };
  return { mount: (host, routes) => new Authenticator(identify, settings, host, routes) };
}

/**
 * Why a token was refused, for the log of the server: the claim, what was expected and what was given. It is the `cause` of a
 * `ToolError`, and never has the token.
 */
export class RefusalReason extends Error {}

const TIMED_OUT: ErrorResult = errorResult("deadline_exceeded", "The caller could not be identified in time");

/** The message for a caller that the server does not know. A `ToolError` of `identify` can give a better one. */
const UNKNOWN_CALLER = "The caller is unknown: send credentials that this server accepts";

/** Settings of {@link Authenticator}. */
interface AuthSettings {
  readonly timeoutMs: number;
  readonly security: AuthDescription;
  /** Scopes that callers without credentials learn to request. */
  readonly scopes: readonly string[];
}

/** Finds the principal of each request by the function of the options, within its time limit, and refuses the others. */
class Authenticator implements MountedAuth {
  readonly security: AuthDescription;
  readonly #identify: Identify;
  readonly #timeoutMs: number;
  readonly #scopes: readonly string[];
  readonly #host: WireHost;
  readonly #routes: ReadonlyMap<string, MountedWire>;
  readonly #deadlines: Deadlines;

  constructor(
    identify: Identify,
    { timeoutMs, security, scopes }: AuthSettings,
    host: WireHost,
    routes: ReadonlyMap<string, MountedWire>,
  ) {
    this.security = security;
    this.#identify = identify;
    this.#timeoutMs = timeoutMs;
    this.#scopes = scopes;
    this.#host = host;
    this.#routes = routes;
    this.#deadlines = new Deadlines(host.clock);
  }

  answer(head: Head, body: Body, wire: MountedWire): MaybeFuture<Reply> {
    if (isPublicPath(wire, head.path)) return wire.handle(head, body);
    const checked = this.#authenticate(head, wire.credentials?.(head) ?? head.metadata);
    if (checked === undefined) return wire.handle(head, body);
    if (!(checked instanceof Promise)) return this.#reject(head, body, wire, checked);
    return checked.then((error) => {
      return error === undefined ? wire.handle(head, body) : this.#reject(head, body, wire, error);
    });
  }

  challenge(error: ErrorResult, path: string): Readonly<Record<string, string>> | undefined {
    const resources = [...this.#routes.values()].flatMap(({ protectedResource }) => protectedResource ?? []);
    return encodeChallenge(error, path, resources, this.#scopes);
  }

  /** Sets the principal of the head, or returns the error that the request is rejected with. */
  #authenticate(head: Head, metadata: Metadata): MaybePromise<ErrorResult | undefined> {
    try {
      const principal = this.#identify(new HeadRequest(head, metadata));
      return isPromiseLike(principal) ? this.#await(head, principal) : this.#setPrincipal(head, principal);
    } catch (thrown) {
      return this.#toErrorResult(thrown);
    }
  }

  #await(head: Head, identified: PromiseLike<Principal<object> | null | undefined>): Promise<ErrorResult | undefined> {
    return new Promise((resolve) => {
      const deadline = this.#deadlines.add(this.#timeoutMs, () => resolve(TIMED_OUT));
      Promise.resolve(identified).then((principal) => this.#setPrincipal(head, principal))
        .catch((thrown) => this.#toErrorResult(thrown))
        .then((error) => {
          deadline.clear();
          resolve(error);
        });
    });
  }

  /** @throws {ToolError} If there is no principal, and anonymous callers are refused. @throws {TypeError} If `principal` is not one. */
  #setPrincipal(head: Head, identified: Principal<object> | null | undefined): undefined {
    const principal = identified ?? undefined;
    if (principal !== undefined) head.principal = toRequestPrincipal(principal, this.#host.dispatch);
    else if (!this.security.allowsAnonymous) throw new ToolError("unauthenticated", UNKNOWN_CALLER);
  }

  #toErrorResult(thrown: unknown): ErrorResult {
    try {
      const error = settleThrown(thrown);
      if (error?.kind === "error") {
        const { cause } = thrown as Error;
        // Other causes are problems of the server, such as unavailable keys. They are warnings because nothing is broken.
        const why = cause instanceof RefusalReason ? { reason: cause.message } : { error: thrown };
        if (cause !== undefined) {
          this.#host.dispatch.log("warn", "Caller rejected", { during: "auth", code: error.code, ...why });
        }
        return error.data === undefined ? error : { ...error, data: JSON.parse(JSON.stringify(error.data)) };
      }
    } catch {
      // The details are not JSON.
    }
    return this.#host.dispatch.mask(thrown, { during: "auth" });
  }

  async #reject(head: Head, body: Body, wire: MountedWire, error: ErrorResult): Promise<Reply> {
    // Over HTTP/2 an unread body resets the stream, and the response may be lost. The runtime reads streams with trailers; their
    // callers may wait for the response before they end the body.
    if (!head.carriesTrailers) await body.text();
    const reply = await refusalReply(head, wire, error, this.#host.dispatch);
    return { ...reply, headers: { ...reply.headers, ...this.#host.challenge(error, head.path) } };
  }
}

/** Maximum length of a quoted parameter, in characters. */
const MAX_QUOTED_CHARS = 256;

/**
 * Encodes the header `WWW-Authenticate` for an error that other credentials could resolve. Returns `undefined` for other errors.
 *
 * Source: RFC 6750, section 3, and RFC 9728, section 5.1.
 *
 * @param resources The protected resources of the server. The one with the longest path around `path` is used.
 * @param scopes Scopes that every caller needs, for a caller that is not authenticated.
 */
function encodeChallenge(
  { code, message, data }: ErrorResult,
  path: string,
  resources: readonly ProtectedResource[],
  scopes: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const { error } = asObject(data);
  const missing = missingScopesOf(data);
  const isUnauthenticated = code === "unauthenticated";
  const scope = (isUnauthenticated && missing.length === 0 ? scopes : missing).map(quotable).join(" ");
  if (!isUnauthenticated && (code !== "permission_denied" || scope === "")) return undefined;
  // A request without credentials gets a challenge without an error.
  const errorCode = isUnauthenticated ? (isText(error) ? quotable(error) : undefined) : "insufficient_scope";
  const params = {
    error: errorCode,
    error_description: errorCode === undefined ? undefined : quotable(message),
    scope: scope === "" ? undefined : scope,
    resource_metadata: closestTo(path, resources)?.metadataUrl,
  };
  const encoded = Object.entries(params).flatMap(([name, value]) => value === undefined ? [] : [`${name}="${value}"`]);
  return { "www-authenticate": `Bearer ${encoded.join(", ")}`.trimEnd() };
}

/**
 * The resource around a path with the longest path, if any. Below the mount of a framework, or behind a proxy that removes a prefix, the
 * server does not see the first segments of the path of its resource.
 */
function closestTo(path: string, resources: readonly ProtectedResource[]): ProtectedResource | undefined {
  const isAround = (one: string): boolean => one !== "" && `${path}/`.startsWith(`${one}/`);
  const around = resources.filter((one) => `${path}/`.startsWith(`${one.path}/`));
  const mounted = (): readonly ProtectedResource[] =>
    resources.filter((one) => [...one.path.matchAll(/\//g)].some(({ index }) => isAround(one.path.slice(index))));
  return (around.length > 0 ? around : mounted()).toSorted((one, other) => other.path.length - one.path.length)[0];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Replaces characters that a quoted parameter must not contain: only printable ASCII without quote and backslash is allowed. */
function quotable(text: string): string {
  return text.slice(0, MAX_QUOTED_CHARS).replace(/"/g, "'").replace(/[^\x20-\x7e]|\\/g, "?");
}
