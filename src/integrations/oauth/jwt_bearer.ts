import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, required, TEXT } from "../../internal/options.ts";
import { createGrant, type Grant, requiredIssuer } from "./grant.ts";
import { requestTokens, scopeParameter } from "./token_request.ts";

/** What an assertion is for. */
export interface AssertionRequest {
  /** Who gets it: the authorization server's issuer, which is the claim `aud`. */
  readonly issuer: string;
  /** What the token will be for; `undefined` if the server does not say. */
  readonly resource: string | undefined;
  /** What will be asked for; `undefined` leaves it to the server. */
  readonly scopes: readonly string[] | undefined;
}

/** Options of {@link jwtBearer}. */
export interface JwtBearerOptions {
  /** Gives the JSON Web Token that says who this is: that of a workload, or of a company's own sign-in. Called for each token. */
  readonly assertion: (request: AssertionRequest) => MaybePromise<string>;
  /** What the authorization server calls this client. */
  readonly clientId: string;
  /** Its secret, if it has one. */
  readonly clientSecret?: string | undefined;
  /** Who takes such tokens: the only one that gets them. `"*"` for whom the server names, where their audience is enough. */
  readonly issuer: string;
}

const RULES: OptionRules<JwtBearerOptions> = {
  assertion: required(FUNCTION),
  clientId: required(TEXT),
  clientSecret: TEXT,
  issuer: required(TEXT),
};

/**
 * Tokens for a statement that another party has signed: workload identity, or a company's sign-in (`identityAssertion` gets those).
 *
 * Source: RFC 7523, section 2.1.
 *
 * @throws {TypeError} If an option is missing, such as the issuer, or is not what it has to be.
 */
export function jwtBearer(options: JwtBearerOptions): Grant {
  checkOptions("get tokens for an assertion", options, RULES);
  const { assertion, clientId, clientSecret, issuer } = options;
  return createGrant(GRANT_TYPE, {
    issuer: requiredIssuer(clientSecret, issuer),
    async obtain(request) {
      const { server, resource, scopes } = request;
      const said = await assertion({ issuer: server.issuer, resource, scopes });
      return await requestTokens(request, { id: clientId, secret: clientSecret }, {
        grantType: GRANT_TYPE,
        parameters: { assertion: said, ...scopeParameter(scopes) },
      });
    },
  });
}

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
