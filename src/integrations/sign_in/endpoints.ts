/** The endpoints of the authorization server, as a wire. */
import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonMediaType } from "../../internal/http.ts";
import { Future } from "../../internal/future.ts";
import { JSON_HEADERS } from "../../wires/framing/http.ts";
import type { Body, Head, MountedWire, Reply, WireHost } from "../../wires/wire.ts";
import { type Authorization, type ClientRequest, readAuthorization, readState, responseUrl } from "./authorization.ts";
import { checkRedirect, Clients, type SignInClient } from "./clients.ts";
import type { SignInConfig } from "./config.ts";
import { consentPage, Cookies, errorPage, isSameText } from "./consent.ts";
import { OAuthError, readParameters } from "./oauth_error.ts";
import type { Sealer } from "./sealer.ts";
import { type CodeContent, TokenEndpoint } from "./token_endpoint.ts";
import { Upstream } from "./upstream.ts";

/** Time for the user's consent, and for the sign-in at the provider, in seconds. */
const SIGN_IN_SECONDS = 600;
/** Lifetime of a code in seconds. */
const CODE_SECONDS = 60;
/** Maximum size of a form or a registration, in characters. */
const MAX_BODY_CHARS = 65_536;

/** Pages of any origin may call these endpoints: clients in browsers do, and no cookie is read there. */
const CORS: Readonly<Record<string, string>> = { "access-control-allow-origin": "*" };
const PREFLIGHT: Readonly<Record<string, string>> = {
  ...CORS,
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "86400",
};

/** What the consent form has, and what the cookie of a sign-in has. */
type Pending = ClientRequest & { readonly secret: string };
/** A sign-in under way, which the browser carries as a sealed cookie. */
type Transaction = ClientRequest & {
  readonly verifier: string;
  readonly nonce: string;
  readonly upstreamState: string;
};

type Endpoint = (head: Head, body: Body) => Promise<Reply>;

/** A method, what answers it, and whether pages of other origins may call it. */
interface Route {
  readonly method: "GET" | "POST";
  readonly answer: Endpoint;
  readonly isForPrograms: boolean;
}

/** HTTP endpoints of `signIn`: metadata, authorize, consent, callback and token; register without the option `clients`, revoke with a `store`. */
export class SignInEndpoints implements MountedWire {
  readonly paths: readonly string[];
  readonly unauthenticatedPaths: readonly string[];
  readonly isAtRoot = true;
  readonly #host: WireHost;
  readonly #config: SignInConfig;
  readonly #sealer: Sealer;
  readonly #clients: Clients;
  readonly #upstream: Upstream;
  readonly #tokens: TokenEndpoint;
  readonly #cookies: Cookies;
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(host: WireHost, config: SignInConfig, sealer: Sealer) {
    this.#host = host;
    this.#config = config;
    this.#sealer = sealer;
    this.#clients = new Clients(config, sealer);
    this.#upstream = new Upstream(config);
    this.#tokens = new TokenEndpoint(config, sealer, this.#upstream);
    this.#cookies = new Cookies(config.issuer);
    this.#routes = this.#createRoutes();
    this.paths = this.unauthenticatedPaths = [...this.#routes.keys()];
  }

  handle(head: Head, body: Body): Future<Reply> {
    return Future.of(this.#answer(head, body));
  }

  #createRoutes(): ReadonlyMap<string, Route> {
    const path = new URL(this.#config.issuer).pathname.replace(/\/$/, "");
    const { basePath } = this.#host;
    // The server removes its base path from the paths of requests, except from those of well-known URIs.
    const base = `${path}/`.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
    const page = (method: Route["method"], answer: Endpoint): Route => ({ method, answer, isForPrograms: false });
    const program = (method: Route["method"], answer: Endpoint): Route => ({ method, answer, isForPrograms: true });
    return new Map([
      [`/.well-known/oauth-authorization-server${path}`, program("GET", () => this.#describe())],
      [`${base}/authorize`, page("GET", (head) => this.#authorize(head))],
      [`${base}/consent`, page("POST", (head, body) => this.#consent(head, body))],
      [`${base}/callback`, page("GET", (head) => this.#callback(head))],
      [`${base}/token`, program("POST", (head, body) => this.#token(head, body))],
      ...this.#clients.isOpen
        ? [[`${base}/register`, program("POST", (head, body) => this.#register(head, body))] as const]
        : [],
      ...this.#config.store
        ? [[`${base}/revoke`, program("POST", (head, body) => this.#revoke(head, body))] as const]
        : [],
    ]);
  }

  async #answer(head: Head, body: Body): Promise<Reply> {
    const route = this.#routes.get(head.path)!;
    if (head.method === "OPTIONS" && route.isForPrograms) return { status: 204, headers: PREFLIGHT, body: null };
    if (head.method !== route.method) {
      return { status: 405, headers: { ...route.isForPrograms && CORS, allow: route.method }, body: null };
    }
    try {
      const reply = await route.answer(head, body);
      return route.isForPrograms ? { ...reply, headers: { ...CORS, ...reply.headers } } : reply;
    } catch (thrown) {
      const error = this.#toOAuthError(thrown);
      if (!route.isForPrograms) return errorPage(error.status, error.message);
      return jsonReply(error.status, { error: error.code, error_description: error.message }, CORS);
    }
  }

  #toOAuthError(thrown: unknown): OAuthError {
    if (thrown instanceof OAuthError) {
      const { code, reason } = thrown;
      if (reason !== undefined) this.#host.dispatch.log("warn", "Sign-in refused", { during: "sign-in", code, reason });
      return thrown;
    }
    this.#host.dispatch.mask(thrown, { during: "sign-in" });
    return thrown instanceof ToolError && thrown.code === "unavailable"
      ? new OAuthError("temporarily_unavailable", "The identity provider does not answer; try again", { status: 503 })
      : new OAuthError("server_error", "The server cannot answer this request", { status: 500 });
  }

  /** Metadata of the authorization server (RFC 8414). */
  #describe(): Promise<Reply> {
    const { issuer, scopes, store } = this.#config;
    const { isOpen } = this.#clients;
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      ...(isOpen && { registration_endpoint: `${issuer}/register` }),
      ...(store !== undefined && {
        revocation_endpoint: `${issuer}/revoke`,
        revocation_endpoint_auth_methods_supported: ["none"],
      }),
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: isOpen,
      authorization_response_iss_parameter_supported: true,
    };
    return Promise.resolve(jsonReply(200, metadata, { "cache-control": "public, max-age=3600" }));
  }

  /** Errors are redirected only to a redirect URI that the client has registered. */
  async #authorize({ target }: Head): Promise<Reply> {
    const parameters = readParameters(queryOf(target));
    const client = await this.#clients.find(parameters.get("client_id"));
    const redirectUri = checkRedirect(client, parameters.get("redirect_uri"));
    const state = readState(parameters);
    try {
      const authorization = await readAuthorization(parameters, client, this.#config);
      return await this.#ask(client, { authorization, state });
    } catch (thrown) {
      return this.#refuse({ redirectUri, state }, thrown);
    }
  }

  /** The consent page. Each rendering has a cookie, because pages that are open at once would replace the cookie of another. */
  async #ask(client: SignInClient, request: ClientRequest): Promise<Reply> {
    const secret = generateRandomState();
    const sealed = await this.#sealer.seal("consent", { ...request, secret }, SIGN_IN_SECONDS);
    const cookie = this.#cookies.set(consentCookie(secret), secret, SIGN_IN_SECONDS)!;
    const { redirectUri, scopes } = request.authorization;
    return consentPage({ client, redirectUri, scopes, request: sealed, cookie }, this.#config);
  }

  async #consent(head: Head, body: Body): Promise<Reply> {
    this.#checkOrigin(head);
    const form = readParameters(await readBody(body, head, FORM_TYPE));
    const opened = await this.#sealer.open("consent", form.get("request") ?? "");
    if (typeof opened === "string") throw forbidden("The page is too old; start the sign-in again");
    const { authorization, state, secret } = opened.content as unknown as Pending;
    if (!isSameText(secret, this.#cookies.read(head.metadata, consentCookie(secret)))) {
      throw forbidden("This page belongs to another browser, or cookies are blocked; start the sign-in again");
    }
    if (form.get("answer") !== "allow") {
      return this.#refuse({ ...authorization, state }, new OAuthError("access_denied", "The user has refused"));
    }
    return await this.#leave({ authorization, state });
  }

  /** Sends the browser to the provider. The transaction is in a cookie of this browser, named after the state. */
  async #leave({ authorization, state }: ClientRequest): Promise<Reply> {
    const secrets = {
      state: generateRandomState(),
      nonce: generateRandomNonce(),
      verifier: generateRandomCodeVerifier(),
    };
    const { nonce, verifier, state: upstreamState } = secrets;
    const content = { authorization, state, verifier, nonce, upstreamState };
    const sealed = await this.#sealer.seal("transaction", content, SIGN_IN_SECONDS);
    const cookie = this.#cookies.set(upstreamState, sealed, SIGN_IN_SECONDS);
    if (cookie === undefined) {
      const error = new OAuthError("invalid_request", "The request is too long: shorten state or redirect_uri");
      return this.#refuse({ ...authorization, state }, error);
    }
    return redirect((await this.#upstream.authorizationUrl(secrets)).href, cookie);
  }

  async #callback({ target, metadata }: Head): Promise<Reply> {
    const query = queryOf(target);
    const upstreamState = readParameters(query).get("state") ?? "";
    const sealed = /^[\w-]{43}$/.test(upstreamState) ? this.#cookies.read(metadata, upstreamState) : undefined;
    const opened = sealed === undefined ? "invalid" : await this.#sealer.open("transaction", sealed);
    const transaction = typeof opened === "string" ? undefined : opened.content as unknown as Transaction;
    if (transaction === undefined || !isSameText(transaction.upstreamState, upstreamState)) {
      throw forbidden("This sign-in was not started in this browser, or it has expired; start it again");
    }
    const { authorization, state } = transaction;
    const cookie = this.#cookies.expire(upstreamState);
    try {
      const code = await this.#createCode(await this.#upstream.readCode(query, upstreamState), transaction);
      return redirect(responseUrl(authorization.redirectUri, { code }, state, this.#config.issuer), cookie);
    } catch (thrown) {
      return this.#refuse({ ...authorization, state }, thrown, cookie);
    }
  }

  async #createCode(code: string, { authorization, verifier, nonce }: Transaction): Promise<string> {
    const content: CodeContent = { id: crypto.randomUUID(), authorization, code, verifier, nonce };
    return await this.#sealer.seal("code", content, CODE_SECONDS);
  }

  async #token(head: Head, body: Body): Promise<Reply> {
    const form = readParameters(await readBody(body, head, FORM_TYPE));
    return jsonReply(200, await this.#tokens.issue(form));
  }

  async #register(head: Head, body: Body): Promise<Reply> {
    const text = await readBody(body, head, isJsonMediaType);
    let metadata: unknown;
    try {
      metadata = JSON.parse(text);
    } catch {
      throw new OAuthError("invalid_client_metadata", "The body must be JSON");
    }
    return jsonReply(201, await this.#clients.register(metadata));
  }

  async #revoke(head: Head, body: Body): Promise<Reply> {
    await this.#tokens.revoke(readParameters(await readBody(body, head, FORM_TYPE)));
    return jsonReply(200, {});
  }

  /** Redirects an error to the client. */
  #refuse(
    { redirectUri, state }: Pick<Authorization, "redirectUri"> & Pick<ClientRequest, "state">,
    thrown: unknown,
    cookie?: string,
  ): Reply {
    const { code, message } = this.#toOAuthError(thrown);
    const response = { error: code, error_description: message };
    return redirect(responseUrl(redirectUri, response, state, this.#config.issuer), cookie);
  }

  /** Browsers name the origin of a form. The cookie is what protects; this refuses earlier. */
  #checkOrigin({ metadata }: Head): void {
    const site = metadata.get("sec-fetch-site") ?? "same-origin";
    const origin = metadata.get("origin") ?? "null";
    const isOwn = origin === "null" || origin === new URL(this.#config.issuer).origin;
    if (!isOwn || (site !== "same-origin" && site !== "none")) throw forbidden("The form was sent by another site");
  }
}

/** Form encoding. */
const FORM_TYPE = (type: string | null): boolean => /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? "");

async function readBody(body: Body, head: Head, isExpected: (type: string | null) => boolean): Promise<string> {
  const text = await body.text();
  if (typeof text !== "string") throw new OAuthError("invalid_request", text.message, { status: 413 });
  if (text.length > MAX_BODY_CHARS) {
    throw new OAuthError("invalid_request", "The body is too large", { status: 413 });
  }
  if (isExpected(head.metadata.get("content-type"))) return text;
  throw new OAuthError("invalid_request", "The Content-Type of the request is not supported", { status: 415 });
}

function consentCookie(secret: string): string {
  // Not the secret itself: names of cookies may be logged.
  return `consent-${secret.slice(0, 8)}`;
}

function queryOf(target: string): string {
  const [, query = ""] = /\?([^#]*)/.exec(target) ?? [];
  return query;
}

function forbidden(message: string): OAuthError {
  return new OAuthError("access_denied", message, { status: 403 });
}

function redirect(location: string, cookie?: string): Reply {
  const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return { status: 303, headers: { ...headers, ...(cookie !== undefined && { "set-cookie": cookie }) }, body: null };
}

function jsonReply(status: number, body: object, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers: { ...JSON_HEADERS, "cache-control": "no-store", ...headers }, body: JSON.stringify(body) };
}
