/**
 * OAuth for clients: gets tokens from the authorization server of a server, with the consent of a user or for a machine, sends and renews
 * them. A client needs it if the server answers 401 without a token.
 *
 * @example A client that signs in as a machine
 * ```ts fragment url secret
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { clientCredentials, oauthFetch } from "jsr:@toolwire/toolwire/oauth";
 * import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 *
 * const grant = clientCredentials({ clientId: "docs-bot", clientSecret: secret });
 * const docs = createClient(mcpTransport(url, { fetch: oauthFetch(url, { grant }) }));
 * console.log(await docs.$.list());
 * ```
 *
 * @module
 */
export { type OAuthFetch, oauthFetch, type OAuthFetchOptions } from "../integrations/oauth/oauth_fetch.ts";
export {
  authorizationCode,
  type AuthorizationCodeOptions,
  type Redirect,
} from "../integrations/oauth/authorization_code.ts";
export type { ClientKey } from "../integrations/oauth/token_request.ts";
export {
  type AssertionRequest,
  clientCredentials,
  type ClientCredentialsOptions,
  jwtBearer,
  type JwtBearerOptions,
} from "../integrations/oauth/machine_grants.ts";
export { identityAssertion, type IdentityAssertionOptions } from "../integrations/oauth/machine_grants.ts";
export type { Grant } from "../integrations/oauth/grant.ts";
export type { DpopKeys } from "../integrations/oauth/oauth_session.ts";
export type { OAuthStore } from "../integrations/oauth/token_storage.ts";
export { bearerFetch, type FetchFunction, type GetToken } from "../integrations/oauth/bearer_fetch.ts";
