import { checkOptions, OBJECT, type OptionRules, required, TEXT } from "../../internal/options.ts";
import type { ClientKey } from "./client_auth.ts";
import { createGrant, type Grant, requiredIssuer } from "./grant.ts";
import { requestTokens, scopeParameter } from "./token_request.ts";

/** Options of {@link clientCredentials}. Either a secret or a key is needed. */
export interface ClientCredentialsOptions {
  /** What the authorization server calls this client. */
  readonly clientId: string;
  /** Its secret. */
  readonly clientSecret?: string | undefined;
  /** Its private key, which signs a statement in the place of a secret: `private_key_jwt`. */
  readonly clientKey?: ClientKey | undefined;
  /**
   * Who has registered it: the only one that is asked for tokens. Needed beside a secret, which the server could otherwise have sent
   * to itself; `"*"` for whom the server names, where you trust it with the secret.
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
 * Tokens of a machine, by a secret or a private key of its own.
 *
 * @throws {TypeError} If it has neither, or both, or a secret and no issuer, or an option is not what it has to be.
 */
export function clientCredentials(options: ClientCredentialsOptions): Grant {
  checkOptions("get tokens for a machine", options, RULES);
  const { clientId, clientSecret, clientKey, issuer } = options;
  if ((clientSecret === undefined) === (clientKey === undefined)) {
    throw new TypeError("Cannot prove who the client is: pass clientSecret or clientKey, one of them");
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
