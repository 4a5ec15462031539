import {
  type AuthorizationServer,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
} from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { isConfidential } from "../../internal/http.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, required, rule, TEXT } from "../../internal/options.ts";
import { authenticationOf } from "./client_auth.ts";
import { Courier } from "./auth_server_client.ts";
import type { AssertionRequest } from "./jwt_bearer.ts";
import { refusalOf } from "./refusal.ts";

/** Options of {@link identityAssertion}. */
export interface IdentityAssertionOptions {
  /** Who signs people in: the issuer of their ID tokens. */
  readonly issuer: string;
  /** Its token endpoint. */
  readonly tokenUrl: string;
  /** What it calls this client. */
  readonly clientId: string;
  /** The secret that goes with it, if it has one. */
  readonly clientSecret?: string | undefined;
  /** The ID token of the person who is signed in; a function is called for each assertion. */
  readonly idToken: string | (() => MaybePromise<string>);
  /** Takes the place of the global `fetch`. */
  readonly fetch?: FetchFunction | undefined;
}

const RULES: OptionRules<IdentityAssertionOptions> = {
  issuer: required(TEXT),
  tokenUrl: required(TEXT),
  clientId: required(TEXT),
  clientSecret: TEXT,
  idToken: required(rule("text, or a function that gives it", (value) => TEXT.fits(value) || FUNCTION.fits(value))),
  fetch: FUNCTION,
};

/**
 * Assertions for {@link jwtBearer} of people who are signed in with their company: it gives them for an ID token, if the company
 * allows the person to use the server (MCP's "Enterprise-Managed Authorization").
 *
 * Source: RFC 8693, and the OAuth working group's "Identity Assertion Authorization Grant".
 *
 * @throws {TypeError} If `tokenUrl` is no URL, or neither https nor on this machine, or another option is not what it has to be.
 */
export function identityAssertion(options: IdentityAssertionOptions): (request: AssertionRequest) => Promise<string> {
  checkOptions("get assertions", options, RULES);
  const { issuer, tokenUrl, clientId, clientSecret: secret, idToken } = options;
  const { fetch: send = (url, init) => fetch(url, init) } = options;
  const url = new URL(tokenUrl);
  if (!isConfidential(url)) throw new TypeError(`Cannot exchange tokens at ${tokenUrl}: it has to be https`);
  const server: AuthorizationServer = { issuer, token_endpoint: url.href };
  return async (request) => {
    const courier = new Courier(send, url);
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
      const authentication = authenticationOf({ id: clientId, secret }, { issuer });
      const response = await genericTokenEndpointRequest(
        server,
        client,
        authentication,
        "urn:ietf:params:oauth:grant-type:token-exchange",
        parameters,
        courier.options,
      );
      // What it gives is no access token, and says so.
      const recognizedTokenTypes = { n_a: () => {} };
      return (await processGenericTokenEndpointResponse(server, client, response, { recognizedTokenTypes }))
        .access_token;
    } catch (thrown) {
      throw refusalOf(thrown, issuer);
    }
  };
}
