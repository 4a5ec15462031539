/**
 * What a client is called by an authorization server: what it has been told, the address of a document about itself, or what the
 * server gives it on the spot.
 *
 * Source: MCP, revision 2026-07-28, "Authorization", "Client registration"; RFC 7591.
 *
 * @module
 */
import { type AuthorizationServer, dynamicClientRegistrationRequest } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { JsonObject } from "../../internal/json.ts";
import { isLoopback } from "../../internal/http.ts";
import { readJsonObject } from "./auth_server_client.ts";
import type { GrantRequest, IssuerMetadata } from "./grant.ts";
import { authServerError, toAuthError } from "./auth_error.ts";
import type { StoredClient } from "./token_storage.ts";

/** What a client can be called. */
export interface RegistrationOptions {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly clientMetadata?: JsonObject | undefined;
}

/** What this client is called there; registers it if need be. */
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
  await storage.keepIssuer(server.issuer);
  const known = await storage.client(server.issuer);
  // A redirect to elsewhere would be refused, on a page that nobody gets back from.
  if (known?.redirectUrl === redirectUrl) return known;
  if (server["registration_endpoint"] === undefined) {
    throw new ToolError(
      "unauthenticated",
      `The authorization server ${server.issuer} registers nobody: get a client id there, and pass it as clientId`,
    );
  }
  const client = await register(options, redirectUrl, request);
  await storage.keepClient(server.issuer, client);
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
    grant_types: grantTypesOf(server),
    response_types: ["code"],
    application_type: isNative(redirectUrl) ? "native" : "web",
    token_endpoint_auth_method: methodOf(server),
    ...clientMetadata,
    redirect_uris: [redirectUrl],
  };
  let response: Response;
  try {
    response = await dynamicClientRegistrationRequest(server as AuthorizationServer, metadata, authServer.options);
  } catch (thrown) {
    throw toAuthError(thrown, issuer);
  }
  const answer = await readJsonObject(response);
  // The library would also refuse 200, and secrets that do not say when they end; both are common.
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: given } = answer ?? {};
  if (!response.ok) throw authServerError(issuer, answer?.["error"], answer);
  if (typeof id !== "string" || id === "") {
    throw toAuthError(new TypeError("There is no client_id in the answer"), issuer);
  }
  // A secret that was not asked for, by a server that does not say what for, is used as its metadata have it.
  const method = given ?? clientMetadata?.["token_endpoint_auth_method"];
  return {
    id,
    redirectUrl,
    ...(typeof secret === "string" && secret !== "" && { secret }),
    ...(typeof method === "string" && { method }),
  };
}

/** A client that people run themselves keeps no secret: without one, if the server lets it. */
function methodOf({ token_endpoint_auth_methods_supported: supported }: IssuerMetadata): string {
  if (!Array.isArray(supported) || supported.includes("none")) return "none";
  return supported.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post";
}

/** Refresh tokens, unless the server says that it has none. */
function grantTypesOf({ grant_types_supported: supported }: IssuerMetadata): string[] {
  const all = ["authorization_code", "refresh_token"];
  return Array.isArray(supported) ? all.filter((type) => supported.includes(type)) : all;
}

function isNative(redirectUrl: string): boolean {
  const url = new URL(redirectUrl);
  return !/^https?:$/.test(url.protocol) || isLoopback(url);
}
