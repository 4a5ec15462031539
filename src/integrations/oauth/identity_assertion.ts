import {
  type AuthorizationServer,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
} from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { isConfidential } from "../../internal/http.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, required, rule, TEXT } from "../../internal/options.ts";
import { clientAuthentication } from "./client_auth.ts";
import { AuthServerClient } from "./auth_server_client.ts";
import type { AssertionRequest } from "./machine_grants.ts";
import { toAuthError } from "./auth_error.ts";

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
 * Assertions for {@link jwtBearer} from a company's identity provider. It exchanges the ID token of a user for an assertion if the company
 * allows the user to access the server (MCP's "Enterprise-Managed Authorization").
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
