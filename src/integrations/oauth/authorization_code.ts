/**
 * The authorization code grant: tokens with the consent of a user in a browser.
 *
 * Source: OAuth 2.1, section 4.1, with PKCE (RFC 7636), resource indicators (RFC 8707) and issuer identification (RFC 9207).
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
import { releasing } from "../../internal/clean_up.ts";
import {
  createGrant,
  type Grant,
  type GrantFlow,
  type GrantRequest,
  type IssuerMetadata,
  requiredIssuer,
} from "./grant.ts";
import { hasAuthErrorCode, toAuthError } from "./auth_server_client.ts";
import { identify } from "./registration.ts";
import type { IssuedTokens, StoredClient } from "./token_storage.ts";
import { requestTokens } from "./token_request.ts";
import { abortable } from "../../internal/time.ts";

/** Opens the authorization page for the user, and receives the redirect. */
export interface Redirect {
  /** URL that the browser is redirected to: `redirect_uri`. */
  readonly url: string;
  /**
   * Opens the page for the user. Returns the URL that the browser was redirected to: `url` with the response in its query.
   */
  visit(page: URL, signal: AbortSignal): Promise<URL | string>;
  /** Called at the end, after a failure too. */
  close?(): MaybePromise<void>;
}

/** Options of {@link authorizationCode}. */
export interface AuthorizationCodeOptions {
  /** Redirect, or a function that creates one for each authorization, such as `loopbackRedirect` of `./oauth/loopback`. */
  readonly redirect: Redirect | (() => MaybePromise<Redirect>);
  /** Client id at the authorization server, if the client is registered. */
  readonly clientId?: string | undefined;
  /** Client secret, if the client has one. */
  readonly clientSecret?: string | undefined;
  /** Issuer that registered the client: the only one that tokens are requested from. Required with a secret; `"*"` for any issuer. */
  readonly issuer?: string | undefined;
  /** URL of the client id metadata document. It is the client id at authorization servers that support this. */
  readonly clientMetadataUrl?: string | undefined;
  /** Metadata for dynamic client registration, by the names of RFC 7591: `{ client_name: "Docs bot" }`. */
  readonly clientMetadata?: JsonObject | undefined;
  /** Time limit for the user in milliseconds. Default: 300,000. */
  readonly timeoutMs?: number | undefined;
}

const RULES: OptionRules<AuthorizationCodeOptions> = {
  redirect: required(rule("a redirect, with url and visit, or a function that returns one", isRedirect)),
  clientId: TEXT,
  clientSecret: TEXT,
  issuer: TEXT,
  clientMetadataUrl: TEXT,
  clientMetadata: OBJECT,
  timeoutMs: POSITIVE,
};

/**
 * Grant for `oauthFetch`: tokens with the consent of a user in a browser, by the authorization code flow with PKCE.
 *
 * The client id is `clientId`, or else `clientMetadataUrl` if the authorization server supports it, or else the result of a dynamic client
 * registration, which is kept in the store.
 *
 * @throws {TypeError} If there is a secret without an issuer or a client id, or an option is invalid or unknown.
 * @throws {RangeError} If `timeoutMs` is not above 0.
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  checkOptions("request the consent of a user", options, RULES);
  const { clientSecret, clientId, clientMetadataUrl } = options;
  if (clientSecret !== undefined && clientId === undefined) {
    throw new TypeError("Cannot use a client secret: pass the clientId that it belongs to");
  }
  if (clientMetadataUrl !== undefined && !/^https:\/\/[^/]+\/./.test(clientMetadataUrl)) {
    throw new TypeError(`Cannot use ${clientMetadataUrl} as a client id: clientMetadataUrl must be https, with a path`);
  }
  return createGrant("authorization_code", new AuthorizationCode(options));
}

function isRedirect(value: unknown): boolean {
  const { url, visit } = Object(value) as Partial<Redirect>;
  return typeof value === "function" || (typeof url === "string" && URL.canParse(url) && typeof visit === "function");
}

/** The grant of a user: consent in a browser, with PKCE, and the exchange of the code for tokens. */
class AuthorizationCode implements GrantFlow {
  readonly issuer: string | undefined;
  readonly #options: AuthorizationCodeOptions;

  constructor(options: AuthorizationCodeOptions) {
    this.issuer = requiredIssuer(options.clientSecret, options.issuer);
    this.#options = options;
  }

  async obtain(request: GrantRequest): Promise<IssuedTokens> {
    const { server } = request;
    assertPkce(server);
    const { redirect } = this.#options;
    const opened: Redirect = typeof redirect === "function" ? await redirect() : redirect;
    const scopes = withOfflineAccess(request.scopes, server);
    return await releasing(() => this.#authorize(opened, { ...request, scopes }), () => opened.close?.());
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
      throw new ToolError("unauthenticated", "Cannot refresh the token: its client id is unknown", { details });
    }
    const parameters = { refresh_token: refreshToken };
    const issued = await requestTokens(request, known, { grantType: "refresh_token", parameters });
    // Without a new refresh token, the old one remains valid.
    return { ...issued, refreshToken: issued.refreshToken ?? refreshToken, client };
  }

  async #authorize(redirect: Redirect, request: GrantRequest): Promise<IssuedTokens> {
    const { server, storage } = request;
    const client = await identify(this.#options, redirect.url, request);
    try {
      const verifier = generateRandomCodeVerifier();
      const state = generateRandomState();
      const page = await authorizationPage(request, client.id, redirect.url, { verifier, state });
      const response = await this.#visit(redirect, page);
      const code = readCode(response, server, client.id, state);
      const parameters = { code, redirect_uri: redirect.url, code_verifier: verifier };
      const issued = await requestTokens(request, client, { grantType: "authorization_code", parameters });
      return { ...issued, ...(this.#options.clientId === undefined && { client }) };
    } catch (thrown) {
      // The server may have deleted the registration. The next authorization registers again.
      if (hasAuthErrorCode(thrown, "invalid_client", "unauthorized_client")) await storage.deleteClient(server.issuer);
      throw thrown;
    }
  }

  async #visit(redirect: Redirect, page: URL): Promise<URL | string> {
    const { timeoutMs = 300_000 } = this.#options;
    return await withTimeLimit(timeoutMs, async ({ signal }) => {
      try {
        return await abortable(redirect.visit(page, signal), signal);
      } catch (cause) {
        const reason = signal.aborted
          ? `there was no response within ${timeoutMs} ms`
          : "the redirect failed; see the cause";
        throw new ToolError("unauthenticated", `Cannot get the consent of the user: ${reason}`, { cause });
      }
    });
  }
}

/** Without PKCE, anyone who sees the code could use it. */
function assertPkce({ issuer, code_challenge_methods_supported: methods }: IssuerMetadata): void {
  if (Array.isArray(methods) && methods.includes("S256")) return;
  throw new ToolError("unauthenticated", `The authorization server ${issuer} does not support PKCE with S256`);
}

async function authorizationPage(
  { server, authServer, resource, scopes }: GrantRequest,
  clientId: string,
  redirectUrl: string,
  { verifier, state }: { readonly verifier: string; readonly state: string },
): Promise<URL> {
  // Checked, since a URL of another scheme could run a program.
  const page = authServer.parse(server["authorization_endpoint"]);
  const params = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUrl,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    scope: scopes?.join(" "),
    resource,
    // OpenID Connect issues a refresh token only with explicit consent.
    prompt: scopes?.includes(OFFLINE_ACCESS) ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) page.searchParams.set(name, value);
  return page;
}

/** Validates the response, its state and its issuer, and returns the code. */
function readCode(response: URL | string, server: IssuerMetadata, clientId: string, state: string): string {
  try {
    const params = new URL(response).searchParams;
    const validated = validateAuthResponse(server as AuthorizationServer, { client_id: clientId }, params, state);
    const [code, ...others] = validated.getAll("code");
    if (code === undefined || others.length > 0) throw new TypeError("The response must contain one code");
    return code;
  } catch (thrown) {
    throw toAuthError(thrown, server.issuer);
  }
}

const OFFLINE_ACCESS = "offline_access";

/** Adds `offline_access` if the authorization server supports it, for a refresh token. */
function withOfflineAccess(
  scopes: readonly string[] | undefined,
  { scopes_supported: supported }: IssuerMetadata,
): readonly string[] | undefined {
  const isOffered = Array.isArray(supported) && supported.includes(OFFLINE_ACCESS);
  return isOffered && scopes !== undefined ? [...new Set([...scopes, OFFLINE_ACCESS])] : scopes;
}
