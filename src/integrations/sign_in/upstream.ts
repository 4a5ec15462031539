/**
 * The sign-in at the identity provider, with `oauth4webapi`: PKCE, state, nonce, issuer and id token.
 *
 * Source: OAuth 2.1, OpenID Connect Core 1.0, section 3.1, and RFC 9207.
 */
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  customFetch,
  genericTokenEndpointRequest,
  getValidatedIdTokenClaims,
  jwksCache,
  type JWKSCacheInput,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { JsonObject } from "../../internal/json.ts";
import { AuthServerClient, readJsonObject } from "../oauth/auth_server_client.ts";
import type { IssuerMetadata } from "../oauth/grant.ts";
import { clientAuthentication } from "../oauth/token_request.ts";
import type { SignInConfig } from "./config.ts";
import { OAuthError } from "./oauth_error.ts";
import type { ProviderUser, SignInProvider } from "./provider.ts";

/** Random values of one sign-in at the provider: `state`, `nonce`, and the verifier of PKCE. */
export interface UpstreamSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Result of a code exchange or a refresh at the provider: its tokens, their lifetime and scopes, and the user that they belong to. */
export interface UpstreamGrant extends ProviderUser {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number | undefined;
  readonly scopes: readonly string[] | undefined;
}

/** Input of a refresh at the provider: the user, and the provider's refresh token or an access token that does not expire. */
export interface SavedGrant extends ProviderUser {
  readonly refreshToken?: string | undefined;
  /** The provider's access token, if its tokens do not expire; it is used in place of a refresh token. */
  readonly accessToken?: string | undefined;
}

/** Claims about the token in place of the user. */
const TOKEN_CLAIMS: ReadonlySet<string> = new Set(
  [
    "iss",
    "aud",
    "azp",
    "exp",
    "iat",
    "nbf",
    "jti",
    "nonce",
    "at_hash",
    "c_hash",
    "s_hash",
    "sid",
    "rh",
    "uti",
    "aio",
    "ver",
  ],
);

/** Time that the provider's metadata are cached, in milliseconds. */
const METADATA_MS = 3_600_000;

/** Client of the identity provider: sends users to it, exchanges its codes and refreshes its tokens (authorization code flow with PKCE). */
export class Upstream {
  readonly #settings: SignInProvider["~provider"];
  readonly #redirectUri: string;
  readonly #client: AuthServerClient;
  readonly #send: NonNullable<SignInConfig["fetch"]>;
  readonly #now: () => number;
  readonly #keys: JWKSCacheInput = {};
  #metadata: { readonly server: IssuerMetadata; readonly untilMs: number } | undefined;

  constructor({ provider, issuer, fetch: send, now }: SignInConfig) {
    this.#settings = provider["~provider"];
    this.#redirectUri = `${issuer}/callback`;
    // Read when it is called, so that tests and instrumentation can replace the global.
    this.#send = send ?? ((url, init) => fetch(url, init));
    this.#client = new AuthServerClient(this.#send, new URL(issuer));
    this.#now = now;
  }

  /** The page of the provider that the user's browser is sent to. */
  async authorizationUrl({ state, nonce, verifier }: UpstreamSecrets): Promise<URL> {
    const { clientId, scopes = [], parameters = {} } = this.#settings;
    const server = await this.#server();
    const page = this.#client.parse(server["authorization_endpoint"]);
    const params = {
      ...parameters,
      response_type: "code",
      client_id: clientId,
      redirect_uri: this.#redirectUri,
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      state,
      ...(this.#hasIdToken && { nonce }),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(params)) page.searchParams.set(name, value);
    return page;
  }

  /** Validates the response of the provider: its state and issuer. @throws {OAuthError} If the provider has refused, or it is invalid. */
  async readCode(query: string, state: string): Promise<string> {
    const server = await this.#server() as AuthorizationServer;
    try {
      const params = validateAuthResponse(server, this.#named, new URLSearchParams(query), state);
      const [code, ...others] = params.getAll("code");
      if (!code || others.length > 0) throw new OAuthError("server_error", "The response has no code");
      return code;
    } catch (thrown) {
      if (thrown instanceof AuthorizationResponseError) throw refusal(thrown.error);
      throw new OAuthError("server_error", "The response of the identity provider is not valid", {
        reason: thrown instanceof Error ? thrown.message : "unknown",
      });
    }
  }

  /** Exchanges a code. @throws {OAuthError} If the provider refuses it, such as a code that was used. */
  async exchange(
    code: string,
    { nonce, verifier }: Pick<UpstreamSecrets, "nonce" | "verifier">,
  ): Promise<UpstreamGrant> {
    const parameters = { code, redirect_uri: this.#redirectUri, code_verifier: verifier };
    return await this.#grant(async (server, authentication, options) => {
      const sent = genericTokenEndpointRequest(
        server,
        this.#named,
        authentication,
        "authorization_code",
        parameters,
        options,
      );
      const response = await withErrorStatus(await sent);
      const expected = this.#hasIdToken ? { expectedNonce: nonce, requireIdToken: true } : {};
      return { response, tokens: await processAuthorizationCodeResponse(server, this.#named, response, expected) };
    });
  }

  /** Asks the provider whether the user still has access. @throws {OAuthError} If not. */
  async refresh({ refreshToken, accessToken, ...user }: SavedGrant): Promise<UpstreamGrant> {
    const grant = refreshToken === undefined
      ? await this.#reidentify(accessToken)
      : await this.#grant(async (server, authentication, options) => {
        const sent = refreshTokenGrantRequest(server, this.#named, authentication, refreshToken, options);
        const response = await withErrorStatus(await sent);
        return { response, tokens: await processRefreshTokenResponse(server, this.#named, response) };
      }, user);
    if (grant.subject !== user.subject) throw signInAgain("it names another user");
    return { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
  }

  get #hasIdToken(): boolean {
    return this.#settings.identify === undefined;
  }

  get #named(): { readonly client_id: string } {
    return { client_id: this.#settings.clientId };
  }

  async #reidentify(accessToken: string | undefined): Promise<UpstreamGrant> {
    const { identify } = this.#settings;
    if (accessToken === undefined || identify === undefined) throw signInAgain("it has issued no refresh token");
    const user = await this.#ask(identify, accessToken);
    return { ...user, accessToken, refreshToken: undefined, expiresInSeconds: undefined, scopes: undefined };
  }

  /** @param known The user of an earlier response, for one without an id token. */
  async #grant(
    request: (
      server: AuthorizationServer,
      authentication: ReturnType<typeof clientAuthentication>,
      options: AuthServerClient["options"],
    ) => Promise<{ readonly response: Response; readonly tokens: TokenEndpointResponse }>,
    known?: ProviderUser,
  ): Promise<UpstreamGrant> {
    const server = await this.#server();
    const { clientId, clientSecret } = this.#settings;
    const authentication = clientAuthentication({ id: clientId, secret: clientSecret }, server);
    try {
      const { response, tokens } = await request(server as AuthorizationServer, authentication, this.#client.options);
      const user = await this.#identify(server as AuthorizationServer, response, tokens) ?? known;
      if (user === undefined) throw signInAgain("it names no user");
      return {
        ...user,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        expiresInSeconds: tokens.expires_in,
        // GitHub separates them by commas.
        scopes: tokens.scope?.split(/[ ,]+/).filter(Boolean),
      };
    } catch (thrown) {
      throw toOAuthError(thrown);
    }
  }

  /** The user of a response; `undefined` if it has no id token, as after a refresh. */
  async #identify(
    server: AuthorizationServer,
    response: Response,
    tokens: TokenEndpointResponse,
  ): Promise<ProviderUser | undefined> {
    const { identify } = this.#settings;
    if (identify !== undefined) return await this.#ask(identify, tokens.access_token);
    const claims = getValidatedIdTokenClaims(tokens);
    if (claims === undefined) return undefined;
    if (claims.sub === "") throw signInAgain("the subject of its id token is empty");
    await validateApplicationLevelSignature(server, response, {
      [customFetch]: (url, { method, headers }) => this.#client.fetch(url, { method, headers }),
      [allowInsecureRequests]: true,
      [jwksCache]: this.#keys,
    });
    const about = Object.entries(claims).filter(([name]) => !TOKEN_CLAIMS.has(name));
    return { subject: claims.sub, claims: Object.fromEntries(about) as JsonObject };
  }

  async #ask(
    identify: NonNullable<SignInProvider["~provider"]["identify"]>,
    accessToken: string,
  ): Promise<ProviderUser> {
    let user: Partial<ProviderUser>;
    try {
      user = Object(await identify(accessToken, this.#send));
    } catch (cause) {
      if (!(cause instanceof ToolError)) throw new ToolError("internal", "identify() has failed", { cause });
      throw cause.code === "unauthenticated" ? signInAgain(cause.message) : cause;
    }
    const { subject, claims = {} } = user;
    if (typeof subject === "string" && subject !== "") return { subject, claims };
    throw new ToolError(
      "internal",
      "identify() has to return { subject, claims }, the subject a text that is not empty",
    );
  }

  async #server(): Promise<IssuerMetadata> {
    const { issuer, authorizationUrl, tokenUrl } = this.#settings;
    if (authorizationUrl !== undefined && tokenUrl !== undefined) {
      return {
        issuer,
        authorization_endpoint: authorizationUrl,
        token_endpoint: tokenUrl,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      };
    }
    if (this.#metadata !== undefined && this.#now() < this.#metadata.untilMs) return this.#metadata.server;
    const found = await this.#client.readObject(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    if (found?.["issuer"] !== issuer) {
      const given = found === undefined ? "there are no metadata" : `they name ${JSON.stringify(found["issuer"])}`;
      throw new ToolError("internal", `Cannot read the metadata of the identity provider ${issuer}: ${given}`);
    }
    const server = found as unknown as IssuerMetadata;
    this.#metadata = { server, untilMs: this.#now() + METADATA_MS };
    return server;
  }
}

/** GitHub answers 200 to refused requests. */
async function withErrorStatus(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { error } = await readJsonObject(response.clone()) ?? {};
  return typeof error === "string" ? Response.json({ error }, { status: 400 }) : response;
}

/** Codes of the provider that a client is given; others are problems of this server. */
function refusal(code: string): OAuthError {
  const known = code === "access_denied" || code === "temporarily_unavailable";
  return new OAuthError(known ? code : "server_error", "The identity provider has refused the sign-in");
}

/** Codes of a token endpoint that are problems of this server's registration. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "invalid_request",
  "invalid_scope",
]);

/** Converts an exception of the library, whose cause may have the response with its tokens: it must not reach the log. */
function toOAuthError(thrown: unknown): unknown {
  if (thrown instanceof ToolError || thrown instanceof OAuthError) return thrown;
  if (thrown instanceof ResponseBodyError) {
    const code = /^[\w.-]{1,64}$/.exec(thrown.error)?.[0] ?? "an error";
    return OWN_FAULTS.has(code)
      ? new Error(`The identity provider has refused the request of this server: ${code}`)
      : signInAgain(`it answered ${code}`);
  }
  return signInAgain(thrown instanceof Error ? thrown.message : "unknown");
}

function signInAgain(reason: string): OAuthError {
  return new OAuthError("invalid_grant", "The identity provider has not confirmed the sign-in; sign in again", {
    reason,
  });
}
