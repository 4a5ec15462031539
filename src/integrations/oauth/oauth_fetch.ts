import {
  allowInsecureRequests,
  customFetch,
  type DPoPHandle,
  protectedResourceRequest,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { cancelBody } from "../../http_client/read.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isConfidential } from "../../internal/http.ts";
import { abortable } from "../../internal/time.ts";
import { ANYTHING, checkOptions, FUNCTION, OBJECT, type OptionRules, rule, TEXTS } from "../../internal/options.ts";
import { type Challenge, NO_CHALLENGE, readChallenge } from "./discovery.ts";
import { type Grant, grantFlow } from "./grant.ts";
import { type DpopKeys, OAuthSession } from "./oauth_session.ts";
import type { OAuthStore, StoredTokens } from "./token_storage.ts";

/** Options of {@link oauthFetch}. */
export interface OAuthFetchOptions {
  /** Grant that tokens are requested by. */
  readonly grant: Grant;
  /** Store of the tokens. Default: in memory. */
  readonly store?: OAuthStore | undefined;
  /** Scopes of the first request. Default: those that the server requires, or else all that it supports. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Key pair that tokens are bound to by DPoP (RFC 9449), so that a stolen token cannot be used. For `sign` and `verify`, with an
   * extractable public key; the authorization server must support DPoP.
   */
  readonly dpop?: DpopKeys | undefined;
  /** Replaces the global `fetch`, also for requests to authorization servers. */
  readonly fetch?: FetchFunction | undefined;
}

const RULES: OptionRules<OAuthFetchOptions> = {
  grant: ANYTHING,
  store: rule("like a Map, with get, set, delete and perhaps lock", isStore),
  scopes: TEXTS,
  dpop: OBJECT,
  fetch: FUNCTION,
};

/** Result of {@link oauthFetch}: a `fetch` for transports that gets, sends and renews tokens, with `signIn` and `signOut`. */
export interface OAuthFetch {
  /** Sends a request with the current token, and repeats it with another one if the server rejects it. */
  (url: string, init: RequestInit): Promise<Response>;
  /**
   * Gets tokens now unless there are valid ones, since a user takes longer than the time limit of a call. Does nothing if the server
   * requires none.
   *
   * @throws {ToolError} If no tokens can be obtained.
   */
  signIn(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Deletes the tokens and the client registration from the store. The tokens are not revoked. */
  signOut(): Promise<void>;
}

/**
 * A `fetch` for transports that gets the tokens of one server by OAuth as specified by MCP: from the authorization server that the server
 * names, when it first rejects a request. Tokens are renewed by refresh tokens before they expire. If the server requires further scopes,
 * they are requested once.
 *
 * Tokens are only sent to the origin of `url`. Parallel calls wait for the same token. A request with a stream as its body is not repeated.
 * Failures are thrown as a `ToolError` with the code `unauthenticated`, or `unavailable` for a temporary error.
 *
 * @example A machine, with a secret
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { bearer, protectedResourcePage } from "jsr:@toolwire/toolwire/auth";
 * import { mcp, mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 * import { clientCredentials, oauthFetch } from "jsr:@toolwire/toolwire/oauth";
 *
 * const [url, issuer] = ["https://api.example/mcp", "https://login.example"];
 * const server = createServer({
 *   tools: [defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id)],
 *   wires: [mcp(), protectedResourcePage({ resource: url, authorizationServers: [issuer] })],
 *   auth: bearer((token) => token === "token-of-the-robot" ? { id: "robot" } : undefined),
 * });
 *
 * // Replaces the network and the authorization server.
 * const answers = new Map<string, object>([
 *   [`${issuer}/.well-known/oauth-authorization-server`, { issuer, token_endpoint: `${issuer}/token` }],
 *   [`${issuer}/token`, { access_token: "token-of-the-robot", token_type: "Bearer", expires_in: 3600 }],
 * ]);
 * const network = async (to: string, init: RequestInit) => {
 *   const answer = answers.get(to);
 *   return answer === undefined ? await server.fetch(new Request(to, init)) : Response.json(answer);
 * };
 *
 * const grant = clientCredentials({ clientId: "robot", clientSecret: "secret", issuer });
 * const client = createClient<typeof server>(mcpTransport(url, { fetch: oauthFetch(url, { grant, fetch: network }) }));
 * console.log(await client.whoami({})); // → robot
 * ```
 * @param url URL of the server, as passed to its transport.
 * @throws {TypeError} If the URL is invalid, or neither https nor on this machine, or an option is invalid or unknown.
 */
export function oauthFetch(url: string | URL, options: OAuthFetchOptions): OAuthFetch {
  checkOptions("get tokens", options, RULES);
  const server = new URL(url);
  if (!isConfidential(server)) {
    throw new TypeError(`Cannot send tokens to ${server.href}: it must be https, or on this machine`);
  }
  const { grant, store = new Map(), scopes, dpop, fetch: send = (to, init) => fetch(to, init) } = options;
  server.hash = "";
  const session = new OAuthSession({ url: server, flow: grantFlow(grant), store, scopes, dpop, send });
  const sendAuthorized = async (to: string, init: RequestInit) => {
    if (new URL(to).origin !== server.origin) return await send(to, init);
    return await sendWithRenewal(session, send, to, init);
  };
  return Object.assign(sendAuthorized, {
    signIn: ({ signal }: { readonly signal?: AbortSignal | undefined } = {}) =>
      abortable(signIn(session, send, server), signal),
    signOut: () => session.signOut(),
  });
}

function isStore(value: unknown): boolean {
  const { get, set, delete: remove, lock } = Object(value) as Partial<OAuthStore>;
  return [get, set, remove, lock ?? get].every((one) => typeof one === "function");
}

/** Maximum number of tries: without a token, with an old one, with a new one, with a nonce, and with one for further scopes. */
const MAX_TRIES = 5;

async function sendWithRenewal(
  session: OAuthSession,
  send: FetchFunction,
  url: string,
  init: RequestInit,
): Promise<Response> {
  let tokens = await abortable(session.current(), init.signal);
  let [hasNonce, hasFurtherScopes] = [false, false];
  for (let tries = 1;; tries++) {
    const response = await sendWith(tokens, session.dpop, send, url, init);
    const challenge = await readChallenge(response);
    if (tokens !== undefined && (challenge === undefined || challenge.isInsufficient)) session.confirm(tokens);
    // A stream cannot be sent again. Further scopes are requested once, since a server could require more each time.
    const isLast = tries === MAX_TRIES || init.body instanceof ReadableStream ||
      (hasFurtherScopes && challenge?.isInsufficient);
    if (challenge === undefined || isLast) return response;
    const isForNonce: boolean = challenge.wantsNonce && tokens !== undefined && !hasNonce;
    const next = isForNonce ? tokens : await renewAfter(response, session, tokens, challenge, init.signal);
    if (next === undefined) return response;
    cancelBody(response);
    hasNonce ||= isForNonce;
    hasFurtherScopes ||= challenge.isInsufficient;
    tokens = next;
  }
}

/** Gets other tokens after a response that rejected the current ones. The response is discarded if this throws. */
async function renewAfter(
  response: Response,
  session: OAuthSession,
  rejected: StoredTokens | undefined,
  challenge: Challenge,
  signal: AbortSignal | null | undefined,
): Promise<StoredTokens | undefined> {
  try {
    return await abortable(session.renew(rejected, challenge), signal);
  } catch (thrown) {
    cancelBody(response);
    throw thrown;
  }
}

async function sendWith(
  tokens: StoredTokens | undefined,
  dpop: DPoPHandle | undefined,
  send: FetchFunction,
  url: string,
  init: RequestInit,
): Promise<Response> {
  if (tokens === undefined) return await send(url, init);
  const headers = new Headers(init.headers);
  const options = {
    [allowInsecureRequests]: true as const,
    [customFetch]: (_: string, { headers: authorized }: { readonly headers: Readonly<Record<string, string>> }) => {
      for (const name of ["authorization", "dpop"]) {
        if (authorized[name] !== undefined) headers.set(name, authorized[name]);
      }
      return send(url, { ...init, headers });
    },
    ...(dpop !== undefined && { DPoP: dpop }),
  };
  try {
    const method = init.method ?? "GET";
    return await protectedResourceRequest(tokens.accessToken, method, new URL(url), undefined, undefined, options);
  } catch (thrown) {
    // The library throws for each response with a challenge.
    if (thrown instanceof WWWAuthenticateChallengeError) return thrown.response;
    throw thrown;
  }
}

/** Sends a request without effect, to get a challenge, and then gets tokens unless there are valid ones. */
async function signIn(session: OAuthSession, send: FetchFunction, server: URL): Promise<void> {
  const tokens = await session.current();
  const response = await sendWith(tokens, session.dpop, send, server.href, { method: "GET", redirect: "manual" });
  const challenge = await readChallenge(response);
  cancelBody(response);
  if (tokens !== undefined && challenge === undefined) return;
  const renewed = await session.renew(tokens, challenge ?? NO_CHALLENGE, true);
  if (renewed !== undefined || challenge === undefined) return;
  throw new ToolError("unauthenticated", `Cannot sign in: no token for ${server.href} can be obtained`);
}
