import { checkOptions, OBJECT, type OptionRules, required, TEXT } from "../../internal/options.ts";
import type { ClientKey } from "./client_auth.ts";
import { createGrant, type Grant, requiredIssuer } from "./grant.ts";
import { requestTokens, scopeParameter } from "./token_request.ts";

/** Options of {@link clientCredentials}. Either a secret or a key is needed. */
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

const RULES: OptionRules<ClientCredentialsOptions> = {
  clientId: required(TEXT),
  clientSecret: TEXT,
  clientKey: OBJECT,
  issuer: TEXT,
};

/**
 * Tokens for a machine, by a client secret or a private key.
 *
 * @throws {TypeError} Without exactly one of the two, with a secret and no issuer, or if an option is invalid or unknown.
 */
export function clientCredentials(options: ClientCredentialsOptions): Grant {
  checkOptions("get tokens for a machine", options, RULES);
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
