/**
 * Client id at an authorization server: a given one, the URL of a metadata document, or the result of dynamic client registration.
 *
 * Source: MCP, revision 2026-07-28, "Authorization", "Client registration"; RFC 7591.
 */
import { type AuthorizationServer, dynamicClientRegistrationRequest } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { JsonObject } from "../../internal/json.ts";
import { isLoopback } from "../../internal/http.ts";
import { authServerError, readJsonObject, toAuthError } from "./auth_server_client.ts";
import type { GrantRequest, IssuerMetadata } from "./grant.ts";
import type { StoredClient } from "./token_storage.ts";

/** The options of `authorizationCode` that identify the client, or that it is registered with. */
export interface RegistrationOptions {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly clientMetadata?: JsonObject | undefined;
}

/** Returns `clientId`, else `clientMetadataUrl` if supported, else a stored or new registration. @throws {ToolError} If it cannot register. */
export async function identify(
  options: RegistrationOptions,
  redirectUrl: string,
  request: GrantRequest,
): Promise<StoredClient> {
  const { clientId, clientSecret, clientMetadataUrl } = options;
  const { server, storage } = request;
  if (clientId !== undefined) return { id: clientId, secret: clientSecret };
  if (clientMetadataUrl !== undefined && server["client_id_metadata_document_supported"] === true) {
    return { id: clientMetadataUrl };
  }
  await storage.saveIssuer(server.issuer);
  const known = await storage.client(server.issuer);
  // With another redirect URL, the authorization page would show an error and not redirect.
  if (known?.redirectUrl === redirectUrl) return known;
  if (server["registration_endpoint"] === undefined) {
    throw new ToolError(
      "unauthenticated",
      `The authorization server ${server.issuer} has no registration endpoint: get a client id there, and pass it as clientId`,
    );
  }
  const client = await register(options, redirectUrl, request);
  await storage.saveClient(server.issuer, client);
  return client;
}

async function register(
  { clientMetadata }: RegistrationOptions,
  redirectUrl: string,
  { server, authServer }: GrantRequest,
): Promise<StoredClient> {
  const { issuer } = server;
  const metadata = {
    client_name: "Toolwire",
    grant_types: registeredGrantTypes(server),
    response_types: ["code"],
    application_type: isNative(redirectUrl) ? "native" : "web",
    token_endpoint_auth_method: registeredAuthMethod(server),
    ...clientMetadata,
    redirect_uris: [redirectUrl],
  };
  let response: Response;
  try {
    response = await dynamicClientRegistrationRequest(server as AuthorizationServer, metadata, authServer.options);
  } catch (thrown) {
    throw toAuthError(thrown, issuer);
  }
  const body = await readJsonObject(response);
  // Not by the library, which rejects status 200 and secrets without an expiry; both are common.
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: registered } = body ?? {};
  if (!response.ok) throw authServerError(issuer, body?.["error"], body);
  if (typeof id !== "string" || id === "") {
    throw toAuthError(new TypeError("The response has no client_id"), issuer);
  }
  // Without a method, a secret that was not requested is used with the preferred method of the server's metadata.
  const method = registered ?? clientMetadata?.["token_endpoint_auth_method"];
  return {
    id,
    redirectUrl,
    ...(typeof secret === "string" && secret !== "" && { secret }),
    ...(typeof method === "string" && { method }),
  };
}

/** Authentication method to register: none if the server supports it, since the client of a user cannot keep a secret. */
function registeredAuthMethod({ token_endpoint_auth_methods_supported: supported }: IssuerMetadata): string {
  if (!Array.isArray(supported) || supported.includes("none")) return "none";
  return supported.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post";
}

/** Grant types to register: refresh tokens, too, unless the server does not support them. */
function registeredGrantTypes({ grant_types_supported: supported }: IssuerMetadata): string[] {
  const all = ["authorization_code", "refresh_token"];
  return Array.isArray(supported) ? all.filter((type) => supported.includes(type)) : all;
}

function isNative(redirectUrl: string): boolean {
  const url = new URL(redirectUrl);
  return !/^https?:$/.test(url.protocol) || isLoopback(url);
}
