/**
 * Sign-in of users at identity providers that do not register clients: an authorization server for MCP clients that stores nothing. A
 * server needs it to let users of Google, GitHub, Entra ID, Okta, Auth0 or Keycloak in.
 *
 * @example Users of Google
 * ```ts fragment tools keys secret
 * import { createServer, mcp } from "jsr:@toolwire/toolwire";
 * import { google, signIn } from "jsr:@toolwire/toolwire/sign-in";
 *
 * const google1 = google({ clientId: "1234.apps.googleusercontent.com", clientSecret: secret });
 * const door = signIn({ provider: google1, resource: "https://api.example/mcp", keys, principal: ({ subject }) => ({ id: subject }) });
 * const server = createServer({ tools, wires: [mcp(), ...door.wires], auth: door.auth });
 * console.log(server.tools.length);
 * ```
 *
 * @module
 */
export { type SignIn, signIn, type UpstreamTokens } from "../integrations/sign_in/sign_in.ts";
export type { FetchDocument } from "../integrations/sign_in/client_document.ts";
export type { ListedClient, SignedInUser, SignInOptions, SignInStore } from "../integrations/sign_in/config.ts";
export {
  oauth,
  type OAuthOptions,
  oidc,
  type OidcOptions,
  type ProviderClient,
  type ProviderUser,
  type SignInProvider,
} from "../integrations/sign_in/provider.ts";
export { auth0, entra, github, google, keycloak, okta } from "../integrations/sign_in/presets.ts";
export type { Auth } from "../server/auth.ts";
export type { Metadata, Principal } from "../core/call/call.ts";
export type { MaybePromise } from "../internal/async.ts";
export type { Json, JsonObject } from "../internal/json.ts";
export type { RequestWire } from "../wires/wire.ts";
