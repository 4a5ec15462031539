/** Identity providers with known addresses and habits. */
import { ToolError } from "../../core/errors/tool_error.ts";
import { fetchWhole } from "../../http_client/fetch_whole.ts";
import type { JsonObject } from "../../internal/json.ts";
import { readJsonObject } from "../oauth/auth_server_client.ts";
import { oauth, type OAuthOptions, oidc, type ProviderClient, type SignInProvider } from "./provider.ts";

const PROFILE: readonly string[] = ["openid", "profile", "email"];

/** With this scope the provider issues a refresh token. */
const OFFLINE: readonly string[] = [...PROFILE, "offline_access"];

/** Provider for `signIn`: users of Google, of any domain. Google asks for consent at each sign-in, because it issues a refresh token only then. */
export function google(client: ProviderClient): SignInProvider {
  const parameters = { access_type: "offline", prompt: "consent", ...client.parameters };
  return oidc({ name: "Google", issuer: "https://accounts.google.com", ...client, parameters });
}

/** Provider for `signIn`: users of one tenant of Microsoft Entra ID. @throws {TypeError} If the tenant is not a UUID. */
export function entra({ tenant, ...client }: ProviderClient & {
  /** Id of the tenant, a UUID. */
  readonly tenant: string;
}): SignInProvider {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(tenant)) {
    throw new TypeError(
      `Cannot use Entra: tenant must be the UUID of a tenant, not ${
        JSON.stringify(tenant)
      }; "common" has users of any organization`,
    );
  }
  const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
  return oidc({ name: "Microsoft Entra", issuer, scopes: OFFLINE, ...client });
}

/** Provider for `signIn`: users of one Okta organization, or of a custom authorization server. @throws {TypeError} If `domain` is not a host name. */
export function okta({ domain, authorizationServer, ...client }: ProviderClient & {
  /** Domain of the organization: `example.okta.com`. */
  readonly domain: string;
  /** Id of a custom authorization server, such as `default`. Default: that of the organization. */
  readonly authorizationServer?: string | undefined;
}): SignInProvider {
  const path = authorizationServer === undefined ? "" : `/oauth2/${authorizationServer}`;
  return oidc({ name: "Okta", issuer: `https://${hostName("Okta", domain)}${path}`, scopes: OFFLINE, ...client });
}

/** Provider for `signIn`: users of one Auth0 tenant. @throws {TypeError} If `domain` is not a host name. */
export function auth0({ domain, ...client }: ProviderClient & {
  /** Domain of the tenant: `example.eu.auth0.com`. */
  readonly domain: string;
}): SignInProvider {
  return oidc({ name: "Auth0", issuer: `https://${hostName("Auth0", domain)}/`, scopes: OFFLINE, ...client });
}

/** Provider for `signIn`: users of one realm of a Keycloak server. */
export function keycloak({ url, realm, ...client }: ProviderClient & {
  /** URL of the server: `https://login.example`. */
  readonly url: string;
  /** Name of the realm. */
  readonly realm: string;
}): SignInProvider {
  const issuer = `${url.replace(/\/$/, "")}/realms/${encodeURIComponent(realm)}`;
  return oidc({ name: "Keycloak", issuer, ...client });
}

/** Provider for `signIn`: users of GitHub. It has no id tokens: its API is asked for the user, and `subject` is the number of the user. */
export function github(client: ProviderClient): SignInProvider {
  return oauth({
    name: "GitHub",
    issuer: "https://github.com/login/oauth",
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    scopes: ["read:user"],
    ...client,
    identify: readGitHubUser,
  });
}

function hostName(provider: string, domain: string): string {
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(domain)) return domain.toLowerCase();
  throw new TypeError(
    `Cannot use ${provider}: domain must be a host name without https://, not ${JSON.stringify(domain)}`,
  );
}

const readGitHubUser: OAuthOptions["identify"] = async (accessToken, send) => {
  const headers = {
    authorization: `Bearer ${accessToken}`,
    accept: "application/vnd.github+json",
    // Requests without it are refused.
    "user-agent": "toolwire",
    "x-github-api-version": "2022-11-28",
  };
  const limits = { send, maxBytes: 262_144, timeoutMs: 10_000 };
  const response = await fetchWhole(new URL("https://api.github.com/user"), { headers }, limits);
  const { id, login = null, name = null, email = null } = await readJsonObject(response) ?? {};
  if (response.status === 200 && typeof id === "number") {
    return { subject: `${id}`, claims: { preferred_username: login, name, email } as JsonObject };
  }
  const code = response.status === 401 ? "unauthenticated" : "unavailable";
  throw new ToolError(code, `GitHub answered ${response.status} to the request for its user`);
};
