/** Grants of machine clients: credentials of the client, or an assertion. */
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, OBJECT, type OptionRules, required, rule, TEXT } from "../../internal/options.ts";
import { clientAuthentication, type ClientKey, requestTokens, scopeParameter } from "./token_request.ts";
import { createGrant, type Grant, requiredIssuer } from "./grant.ts";
import {
  type AuthorizationServer,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
} from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { isConfidential } from "../../internal/http.ts";
import { AuthServerClient, toAuthError } from "./auth_server_client.ts";

/** Options of {@link clientCredentials}. Exactly one of `clientSecret` and `clientKey` is required. */
export interface ClientCredentialsOptions {
  /** Client id at the authorization server. */
  readonly clientId: string;
  /** Client secret. */
  readonly clientSecret?: string | undefined;
  /** Private key for client authentication with a signed assertion: `private_key_jwt`. */
  readonly clientKey?: ClientKey | undefined;
  /**
   * Issuer that registered the client: the only one that tokens are requested from. Required with a secret, since a server could name
   * itself as the issuer; `"*"` for any issuer, if the server is trusted with the secret.
   */
  readonly issuer?: string | undefined;
}

const CREDENTIALS_RULES: OptionRules<ClientCredentialsOptions> = {
  clientId: required(TEXT),
  clientSecret: TEXT,
  clientKey: OBJECT,
  issuer: TEXT,
};

/**
 * Grant for `oauthFetch`: tokens for a program without a user, by a client secret or a private key (`client_credentials`).
 *
 * @throws {TypeError} Without exactly one of the two, with a secret and no issuer, or if an option is invalid or unknown.
 */
export function clientCredentials(options: ClientCredentialsOptions): Grant {
  checkOptions("get tokens for a machine", options, CREDENTIALS_RULES);
  const { clientId, clientSecret, clientKey, issuer } = options;
  if ((clientSecret === undefined) === (clientKey === undefined)) {
    throw new TypeError("Cannot authenticate the client: pass either clientSecret or clientKey");
  }
  return createGrant("client_credentials", {
    issuer: requiredIssuer(clientSecret, issuer),
    obtain: (request) =>
      requestTokens(request, { id: clientId, secret: clientSecret }, {
        grantType: "client_credentials",
        parameters: scopeParameter(request.scopes),
        key: clientKey,
      }),
  });
}

/** Argument of the option `assertion` of {@link jwtBearer}: what the returned assertion has to be valid for. */
export interface AssertionRequest {
  /** Issuer of the authorization server that receives the assertion: the claim `aud`. */
  readonly issuer: string;
  /** Resource that the token is for; `undefined` if the server does not name one. */
  readonly resource: string | undefined;
  /** Requested scopes; `undefined` leaves them to the authorization server. */
  readonly scopes: readonly string[] | undefined;
}

/** Options of {@link jwtBearer}. */
export interface JwtBearerOptions {
  /** Returns a JSON Web Token that identifies the client, such as a workload identity. Called for each access token. */
  readonly assertion: (request: AssertionRequest) => MaybePromise<string>;
  /** Client id at the authorization server. */
  readonly clientId: string;
  /** Client secret, if the client has one. */
  readonly clientSecret?: string | undefined;
  /** Issuer that receives the assertions. `"*"` for any issuer that the server names, if the audience limits them enough. */
  readonly issuer: string;
}

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";

const ASSERTION_RULES: OptionRules<JwtBearerOptions> = {
  assertion: required(FUNCTION),
  clientId: required(TEXT),
  clientSecret: TEXT,
  issuer: required(TEXT),
};

/**
 * Grant for `oauthFetch`: exchanges an assertion that another party has signed, such as a workload identity or that of
 * {@link identityAssertion}, for tokens. Refresh tokens are not used: each token needs a new assertion.
 *
 * Source: RFC 7523, section 2.1.
 *
 * @throws {TypeError} If an option is missing, invalid or unknown.
 */
export function jwtBearer(options: JwtBearerOptions): Grant {
  checkOptions("get tokens for an assertion", options, ASSERTION_RULES);
  const { assertion, clientId, clientSecret, issuer } = options;
  return createGrant(GRANT_TYPE, {
    issuer: requiredIssuer(clientSecret, issuer),
    async obtain(request) {
      const { server, resource, scopes } = request;
      const token = await assertion({ issuer: server.issuer, resource, scopes });
      return await requestTokens(request, { id: clientId, secret: clientSecret }, {
        grantType: GRANT_TYPE,
        parameters: { assertion: token, ...scopeParameter(scopes) },
      });
    },
  });
}

/** Options of {@link identityAssertion}. */
export interface IdentityAssertionOptions {
  /** Issuer of the ID tokens: the identity provider. */
  readonly issuer: string;
  /** Token endpoint of the identity provider. */
  readonly tokenUrl: string;
  /** Client id at the identity provider. */
  readonly clientId: string;
  /** Client secret, if the client has one. */
  readonly clientSecret?: string | undefined;
  /** ID token of the user. A function is called for each assertion. */
  readonly idToken: string | (() => MaybePromise<string>);
  /** Replaces the global `fetch`. */
  readonly fetch?: FetchFunction | undefined;
}

const RULES: OptionRules<IdentityAssertionOptions> = {
  issuer: required(TEXT),
  tokenUrl: required(TEXT),
  clientId: required(TEXT),
  clientSecret: TEXT,
  idToken: required(rule("text, or a function that returns it", (value) => TEXT.fits(value) || FUNCTION.fits(value))),
  fetch: FUNCTION,
};

/**
 * Creates the function `assertion` of {@link jwtBearer} for a company's identity provider. It exchanges the ID token of a user for an
 * assertion if the company allows the user to access the server (MCP's "Enterprise-Managed Authorization"), else throws a `ToolError`.
 *
 * Source: RFC 8693, and the OAuth working group's "Identity Assertion Authorization Grant".
 *
 * @throws {TypeError} If `tokenUrl` is neither https nor on this machine, or an option is invalid or unknown.
 */
export function identityAssertion(options: IdentityAssertionOptions): (request: AssertionRequest) => Promise<string> {
  checkOptions("get assertions", options, RULES);
  const { issuer, tokenUrl, clientId, clientSecret: secret, idToken } = options;
  const { fetch: send = (url, init) => fetch(url, init) } = options;
  const url = new URL(tokenUrl);
  if (!isConfidential(url)) throw new TypeError(`Cannot exchange tokens at ${tokenUrl}: it must be https`);
  const server: AuthorizationServer = { issuer, token_endpoint: url.href };
  return async (request) => {
    const authServer = new AuthServerClient(send, url);
    const client = { client_id: clientId };
    const parameters = {
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      subject_token: typeof idToken === "string" ? idToken : await idToken(),
      audience: request.issuer,
      ...(request.resource !== undefined && { resource: request.resource }),
      ...(request.scopes !== undefined && { scope: request.scopes.join(" ") }),
    };
    try {
      const authentication = clientAuthentication({ id: clientId, secret }, { issuer });
      const response = await genericTokenEndpointRequest(
        server,
        client,
        authentication,
        "urn:ietf:params:oauth:grant-type:token-exchange",
        parameters,
        authServer.options,
      );
      // The response has the token type `N_A`: an assertion is not an access token.
      const recognizedTokenTypes = { n_a: () => {} };
      return (await processGenericTokenEndpointResponse(server, client, response, { recognizedTokenTypes }))
        .access_token;
    } catch (thrown) {
      throw toAuthError(thrown, issuer);
    }
  };
}
