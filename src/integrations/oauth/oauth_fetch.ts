import {
  allowInsecureRequests,
  customFetch,
  type DPoPHandle,
  protectedResourceRequest,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { Send } from "../auth/bearer_fetch.ts";
import { cancelBody } from "../../http_client/read.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isConfidential } from "../../internal/http.ts";
import { ANYTHING, checkOptions, FUNCTION, OBJECT, type OptionRules, rule, TEXTS } from "../../internal/options.ts";
import { type Challenge, NO_CHALLENGE, readChallenge } from "./challenge.ts";
import { flowOf, type Grant } from "./grant.ts";
import { Session } from "./session.ts";
import type { OAuthStore, StoredTokens } from "./token_storage.ts";
import { untilAborted } from "./abortable.ts";

/** Options of {@link oauthFetch}. */
export interface OAuthFetchOptions {
  /** How tokens are had. */
  readonly grant: Grant;
  /** Where they are kept. Default: in memory, for as long as the process lasts. */
  readonly store?: OAuthStore | undefined;
  /** What to ask for at first. Default: what the server says that it needs, or else all that it has. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * A key pair that tokens are bound to (RFC 9449): stolen, they are of no use. For `sign` and `verify`, the public key extractable;
   * the authorization server has to know of it.
   */
  readonly dpop?: CryptoKeyPair | undefined;
  /** Takes the place of the global `fetch`, for the server as for those that it names. */
  readonly fetch?: Send | undefined;
}

const RULES: OptionRules<OAuthFetchOptions> = {
  grant: ANYTHING,
  store: rule("like a Map, with get, set and delete", isStore),
  scopes: TEXTS,
  dpop: OBJECT,
  fetch: FUNCTION,
};

/** A `fetch` for transports that gets, sends and renews tokens. */
export interface OAuthFetch {
  /** Sends a request, with a token if there is one, and if need be again with another. */
  (url: string, init: RequestInit): Promise<Response>;
  /**
   * Gets tokens now, if there are none that are good: people take longer than calls wait. Does nothing if the server wants none.
   *
   * @throws {ToolError} If there are none to be had.
   */
  signIn(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Forgets the tokens, and what the client was registered as. They are not revoked. */
  signOut(): Promise<void>;
}

/**
 * A `fetch` for transports that gets the tokens of one server by OAuth, as the specification of MCP says: from the authorization
 * server that the server names, when it first refuses a request. Refresh tokens renew them before they end; where the server wants
 * further scopes, these are asked for, once.
 *
 * Tokens go to the origin of `url` alone; requests to elsewhere go without. Parallel calls wait for one and the same token. What
 * cannot be had is thrown as a `ToolError`: `unauthenticated`, or `unavailable` if it may be there later.
 *
 * @example A machine, with a secret
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { bearer, protectedResourcePage } from "jsr:@toolwire/toolwire/auth";
 * import { mcp, mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 * import { clientCredentials, oauthFetch } from "jsr:@toolwire/toolwire/oauth";
 * import { strictEqual } from "node:assert/strict";
 *
 * const [url, issuer] = ["https://api.example/mcp", "https://login.example"];
 * const server = createServer({
 *   tools: [defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id)],
 *   wires: [mcp(), protectedResourcePage({ resource: url, authorizationServers: [issuer] })],
 *   auth: bearer((token) => token === "token-of-the-robot" ? { id: "robot" } : undefined),
 * });
 *
 * // In the place of the network, and of an authorization server.
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
 * strictEqual(await client.whoami({}), "robot");
 * ```
 * @param url The server's URL, as its transport gets it.
 * @throws {TypeError} If the URL is none, or neither https nor on this machine, or an option is not what it has to be.
 */
export function oauthFetch(url: string | URL, options: OAuthFetchOptions): OAuthFetch {
  checkOptions("get tokens", options, RULES);
  const server = new URL(url);
  if (!isConfidential(server)) {
    throw new TypeError(`Cannot send tokens to ${server.href}: it has to be https, or on this machine`);
  }
  const { grant, store = new Map(), scopes, dpop, fetch: send = (to, init) => fetch(to, init) } = options;
  server.hash = "";
  const session = new Session({ url: server, flow: flowOf(grant), store, scopes, dpop, send });
  const sendAuthorized = async (to: string, init: RequestInit) => {
    if (new URL(to).origin !== server.origin) return await send(to, init);
    return await exchange(session, send, to, init);
  };
  return Object.assign(sendAuthorized, {
    signIn: ({ signal }: { readonly signal?: AbortSignal | undefined } = {}) =>
      untilAborted(signIn(session, send, server), signal),
    signOut: () => session.forget(),
  });
}

function isStore(value: unknown): boolean {
  const { get, set, delete: remove } = Object(value) as Partial<OAuthStore>;
  return [get, set, remove].every((one) => typeof one === "function");
}

/** How often a request is sent at most: without a token, with an old one, with a new one, with a nonce, and with one that goes further. */
const MAX_TRIES = 5;

async function exchange(session: Session, send: Send, url: string, init: RequestInit): Promise<Response> {
  let tokens = await untilAborted(session.current(), init.signal);
  let [hasNonce, goesFurther] = [false, false];
  for (let tries = 1;; tries++) {
    const response = await sendWith(tokens, session.dpop, send, url, init);
    const challenge = await readChallenge(response);
    if (tokens !== undefined && (challenge === undefined || challenge.isInsufficient)) session.proven(tokens);
    // A body that has been read cannot be sent again; and a server that always wants further scopes would ask for ever.
    const isLast = tries === MAX_TRIES || init.body instanceof ReadableStream ||
      (goesFurther && challenge?.isInsufficient);
    if (challenge === undefined || isLast) return response;
    const isForNonce: boolean = challenge.wantsNonce && tokens !== undefined && !hasNonce;
    const next = isForNonce ? tokens : await renewAfter(response, session, tokens, challenge, init.signal);
    if (next === undefined) return response;
    cancelBody(response);
    hasNonce ||= isForNonce;
    goesFurther ||= challenge.isInsufficient;
    tokens = next;
  }
}

/** Other tokens than those that a response refuses, which nobody reads if there are none to be had. */
async function renewAfter(
  response: Response,
  session: Session,
  refused: StoredTokens | undefined,
  challenge: Challenge,
  signal: AbortSignal | null | undefined,
): Promise<StoredTokens | undefined> {
  try {
    return await untilAborted(session.renew(refused, challenge), signal);
  } catch (thrown) {
    cancelBody(response);
    throw thrown;
  }
}

async function sendWith(
  tokens: StoredTokens | undefined,
  dpop: DPoPHandle | undefined,
  send: Send,
  url: string,
  init: RequestInit,
): Promise<Response> {
  if (tokens === undefined) return await send(url, init);
  const headers = new Headers(init.headers);
  const options = {
    [allowInsecureRequests]: true as const,
    [customFetch]: (_: string, { headers: said }: { readonly headers: Readonly<Record<string, string>> }) => {
      for (const name of ["authorization", "dpop"]) if (said[name] !== undefined) headers.set(name, said[name]);
      return send(url, { ...init, headers });
    },
    ...(dpop !== undefined && { DPoP: dpop }),
  };
  try {
    const method = init.method ?? "GET";
    return await protectedResourceRequest(tokens.accessToken, method, new URL(url), undefined, undefined, options);
  } catch (thrown) {
    // The library throws whatever has a challenge.
    if (thrown instanceof WWWAuthenticateChallengeError) return thrown.response;
    throw thrown;
  }
}

/** Has the server say where tokens come from, by a request that does nothing, and gets some unless there are good ones. */
async function signIn(session: Session, send: Send, server: URL): Promise<void> {
  const tokens = await session.current();
  const response = await sendWith(tokens, session.dpop, send, server.href, { method: "GET", redirect: "manual" });
  const challenge = await readChallenge(response);
  cancelBody(response);
  if (tokens !== undefined && challenge === undefined) return;
  const renewed = await session.renew(tokens, challenge ?? NO_CHALLENGE, true);
  if (renewed !== undefined || challenge === undefined) return;
  throw new ToolError("unauthenticated", `${server.href} takes no tokens that are to be had`);
}
