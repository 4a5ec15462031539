/**
 * OAuth for clients: gets tokens from the authorization server of a server, with the consent of a user or for a machine, sends and
 * renews them. Uses `oauth4webapi`.
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
