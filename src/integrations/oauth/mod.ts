/**
 * OAuth for clients: gets tokens from the authorization server of a server, with the consent of a user or for a machine, sends and
 * renews them. Uses `oauth4webapi`.
 *
 * @module
 */
export { type OAuthFetch, oauthFetch, type OAuthFetchOptions } from "./oauth_fetch.ts";
export { authorizationCode, type AuthorizationCodeOptions, type Redirect } from "./authorization_code.ts";
export type { ClientKey } from "./token_request.ts";
export {
  type AssertionRequest,
  clientCredentials,
  type ClientCredentialsOptions,
  jwtBearer,
  type JwtBearerOptions,
} from "./machine_grants.ts";
export { identityAssertion, type IdentityAssertionOptions } from "./machine_grants.ts";
export type { Grant } from "./grant.ts";
export type { DpopKeys } from "./oauth_session.ts";
export type { OAuthStore } from "./token_storage.ts";
export { bearerFetch, type FetchFunction, type GetToken } from "./bearer_fetch.ts";
