/**
 * OAuth for clients: tokens of a server's authorization server, had with a person's consent or by what a machine knows, sent and
 * renewed. By `oauth4webapi`.
 *
 * @module
 */
export { type OAuthFetch, oauthFetch, type OAuthFetchOptions } from "./oauth_fetch.ts";
export { authorizationCode, type AuthorizationCodeOptions, type Redirect } from "./authorization_code.ts";
export { clientCredentials, type ClientCredentialsOptions } from "./client_credentials.ts";
export type { ClientKey } from "./client_auth.ts";
export { type AssertionRequest, jwtBearer, type JwtBearerOptions } from "./jwt_bearer.ts";
export { identityAssertion, type IdentityAssertionOptions } from "./identity_assertion.ts";
export type { Grant } from "./grant.ts";
export type { OAuthStore } from "./token_storage.ts";
export { bearerFetch, type FetchFunction, type GetToken } from "./bearer_fetch.ts";
