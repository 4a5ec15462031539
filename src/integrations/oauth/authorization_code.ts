/**
 * Tokens that a person agrees to, in a browser.
 *
 * Source: OAuth 2.1, section 4.1, with PKCE (RFC 7636), resource indicators (RFC 8707) and issuers in answers (RFC 9207).
 *
 * @module
 */
import {
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { JsonObject } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, OBJECT, type OptionRules, POSITIVE, required, rule, TEXT } from "../../internal/options.ts";
import { withTimeLimit } from "../../core/call/time_limit.ts";
import {
  type Grant,
  type GrantFlow,
  grantOf,
  type GrantRequest,
  type IssuedTokens,
  issuerFor,
  type IssuerMetadata,
} from "./grant.ts";
import { isRefusedBy, refusalOf } from "./refusal.ts";
import { identify } from "./registration.ts";
import type { StoredClient } from "./token_storage.ts";
import { requestTokens } from "./token_request.ts";
import { abortable } from "../../internal/time.ts";

/** How a person gets to the page where they agree, and their answer back. */
export interface Redirect {
  /** Where the browser is sent with the answer: `redirect_uri`. */
  readonly url: string;
  /**
   * Has a person look at the page, and gives the URL that the browser was sent to in the end: `url`, with the answer in its query.
   *
   * @param signal Aborts when it has taken too long.
   */
  visit(page: URL, signal: AbortSignal): Promise<URL | string>;
  /** Called once the answer is there, or will not be. */
  close?(): MaybePromise<void>;
}

/** Options of {@link authorizationCode}. */
export interface AuthorizationCodeOptions {
  /** How a person agrees; a function is called for each time that one is asked. `loopbackRedirect` of `./oauth/loopback` makes one. */
  readonly redirect: Redirect | (() => MaybePromise<Redirect>);
  /** What the authorization server calls this client, if it is registered there. */
  readonly clientId?: string | undefined;
  /** The secret that goes with it, if it has one. */
  readonly clientSecret?: string | undefined;
  /** Who has registered it: the only one that is asked for tokens. Needed beside a secret; `"*"` for whom the server names. */
  readonly issuer?: string | undefined;
  /** URL of a document about this client, which is then its id, where servers take that. */
  readonly clientMetadataUrl?: string | undefined;
  /** What to say of this client where it has to register by itself, by the names of RFC 7591: `{ client_name: "Docs bot" }`. */
  readonly clientMetadata?: JsonObject | undefined;
  /** How long the person may take, in milliseconds. Default: 300,000. */
  readonly timeoutMs?: number | undefined;
}

const RULES: OptionRules<AuthorizationCodeOptions> = {
  redirect: required(rule("a redirect, with url and visit, or a function that gives it", isRedirect)),
  clientId: TEXT,
  clientSecret: TEXT,
  issuer: TEXT,
  clientMetadataUrl: TEXT,
  clientMetadata: OBJECT,
  timeoutMs: POSITIVE,
};

/**
 * Tokens that a person agrees to, in a browser.
 *
 * What the client is called is taken from `clientId`, or else `clientMetadataUrl` where the authorization server takes that, or else
 * it registers by itself, and keeps in the store what it is called.
 *
 * @throws {TypeError} If there is a secret without an issuer or a client id, `clientMetadataUrl` cannot be one, or another option is
 *   not what it has to be.
 * @throws {RangeError} If `timeoutMs` is not above 0.
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  checkOptions("have a person agree", options, RULES);
  const { clientSecret, clientId, clientMetadataUrl } = options;
  if (clientSecret !== undefined && clientId === undefined) {
    throw new TypeError("Cannot use a client secret: pass the clientId that it goes with");
  }
  if (clientMetadataUrl !== undefined && !/^https:\/\/[^/]+\/./.test(clientMetadataUrl)) {
    throw new TypeError(`Cannot be called ${clientMetadataUrl}: clientMetadataUrl has to be https, with a path`);
  }
  return grantOf("authorization_code", new AuthorizationCode(options));
}

function isRedirect(value: unknown): boolean {
  const { url, visit } = Object(value) as Partial<Redirect>;
  return typeof value === "function" || (typeof url === "string" && URL.canParse(url) && typeof visit === "function");
}

class AuthorizationCode implements GrantFlow {
  readonly issuer: string | undefined;
  readonly #options: AuthorizationCodeOptions;

  constructor(options: AuthorizationCodeOptions) {
    this.issuer = issuerFor(options.clientSecret, options.issuer);
    this.#options = options;
  }

  async obtain(request: GrantRequest): Promise<IssuedTokens> {
    const { server } = request;
    assertProvesKey(server);
    const { redirect } = this.#options;
    const opened = typeof redirect === "function" ? await redirect() : redirect;
    try {
      return await this.#ask(opened, { ...request, scopes: withOfflineAccess(request.scopes, server) });
    } finally {
      await opened.close?.();
    }
  }

  async refresh(
    request: GrantRequest,
    refreshToken: string,
    client: StoredClient | undefined,
  ): Promise<IssuedTokens> {
    const { clientId, clientSecret } = this.#options;
    const known = client ?? (clientId === undefined ? undefined : { id: clientId, secret: clientSecret });
    if (known === undefined) {
      const details = { error: "invalid_grant" };
      throw new ToolError("unauthenticated", "Nobody knows whom the token was issued to", { details });
    }
    const parameters = { refresh_token: refreshToken };
    const issued = await requestTokens(request, known, { grantType: "refresh_token", parameters });
    // A server that does not give another one lets this one be used again.
    return { ...issued, refreshToken: issued.refreshToken ?? refreshToken, client };
  }

  async #ask(redirect: Redirect, request: GrantRequest): Promise<IssuedTokens> {
    const { server, vault } = request;
    const client = await identify(this.#options, redirect.url, request);
    try {
      const verifier = generateRandomCodeVerifier();
      const state = generateRandomState();
      const page = await pageOf(request, client.id, redirect.url, { verifier, state });
      const answer = await this.#visit(redirect, page);
      const code = readCode(answer, server, client.id, state);
      const parameters = { code, redirect_uri: redirect.url, code_verifier: verifier };
      const issued = await requestTokens(request, client, { grantType: "authorization_code", parameters });
      return { ...issued, ...(this.#options.clientId === undefined && { client }) };
    } catch (thrown) {
      // It may have been forgotten there; another time it registers anew.
      if (isRefusedBy(thrown, "invalid_client", "unauthorized_client")) await vault.forgetClient(server.issuer);
      throw thrown;
    }
  }

  async #visit(redirect: Redirect, page: URL): Promise<URL | string> {
    const { timeoutMs = 300_000 } = this.#options;
    return await withTimeLimit(timeoutMs, async ({ signal }) => {
      try {
        return await abortable(redirect.visit(page, signal), signal);
      } catch (cause) {
        const why = signal.aborted ? `it took longer than ${timeoutMs} ms` : "the way to the page, or back, has failed";
        throw new ToolError("unauthenticated", `Nobody has agreed: ${why}`, { cause });
      }
    });
  }
}

/** Without it, whoever sees the code could use it. */
function assertProvesKey({ issuer, code_challenge_methods_supported: methods }: IssuerMetadata): void {
  if (Array.isArray(methods) && methods.includes("S256")) return;
  throw new ToolError("unauthenticated", `The authorization server ${issuer} does not do PKCE by S256`);
}

async function pageOf(
  { server, courier, resource, scopes }: GrantRequest,
  clientId: string,
  redirectUrl: string,
  { verifier, state }: { readonly verifier: string; readonly state: string },
): Promise<URL> {
  // Whatever opens it may run programs by other schemes.
  const page = courier.parse(server["authorization_endpoint"]);
  const params = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUrl,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    scope: scopes?.join(" "),
    resource,
    // OpenID Connect gives no refresh token where nobody was asked.
    prompt: scopes?.includes(OFFLINE_ACCESS) ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) page.searchParams.set(name, value);
  return page;
}

/** The code of an answer that is one to what was asked, and by whom it was asked. */
function readCode(answer: URL | string, server: IssuerMetadata, clientId: string, state: string): string {
  try {
    const params = new URL(answer).searchParams;
    const answered = validateAuthResponse(server as AuthorizationServer, { client_id: clientId }, params, state);
    const [code, ...others] = answered.getAll("code");
    if (code === undefined || others.length > 0) throw new TypeError("There has to be one code in the answer");
    return code;
  } catch (thrown) {
    throw refusalOf(thrown, server.issuer);
  }
}

const OFFLINE_ACCESS = "offline_access";

/** A refresh token, where the authorization server has them by this name: so that nobody is asked again every hour. */
function withOfflineAccess(
  scopes: readonly string[] | undefined,
  { scopes_supported: supported }: IssuerMetadata,
): readonly string[] | undefined {
  const isOffered = Array.isArray(supported) && supported.includes(OFFLINE_ACCESS);
  return isOffered && scopes !== undefined ? [...new Set([...scopes, OFFLINE_ACCESS])] : scopes;
}
