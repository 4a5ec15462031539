import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretPost,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  None,
  PrivateKeyJwt,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import { readJsonObject, toAuthError } from "./auth_server_client.ts";
import type { GrantRequest, IssuerMetadata } from "./grant.ts";
import type { IssuedTokens, StoredClient } from "./token_storage.ts";

/** What is specific to one request of the token endpoint. */
interface TokenRequest {
  readonly grantType: string;
  /** Parameters of the grant. `resource` is added. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Key for client authentication in place of a secret. */
  readonly key?: ClientKey | undefined;
}

/** Sends a request to the token endpoint. `scopes` of the result are the requested ones. @throws {ToolError} If no valid token is issued. */
export async function requestTokens(
  request: GrantRequest,
  client: StoredClient,
  { grantType, parameters, key }: TokenRequest,
): Promise<IssuedTokens> {
  const { authServer, dpop, resource, scopes } = request;
  const server = request.server as AuthorizationServer;
  const named = { client_id: client.id };
  const all = { ...parameters, ...(resource !== undefined && { resource }) };
  const options = { ...authServer.options, ...(dpop !== undefined && { DPoP: dpop }) };
  const send = async () => {
    const authentication = clientAuthentication(client, request.server, key);
    const response = await genericTokenEndpointRequest(server, named, authentication, grantType, all, options);
    return await processGenericTokenEndpointResponse(server, named, await withoutUnused(response));
  };
  try {
    return { ...readTokens(await retryWithNonce(send), dpop !== undefined), scopes };
  } catch (thrown) {
    throw toAuthError(thrown, server.issuer);
  }
}

/** Encodes scopes as the parameter `scope`, separated by spaces; no parameter for `undefined`. */
export function scopeParameter(scopes: readonly string[] | undefined): Readonly<Record<string, string>> {
  return scopes === undefined ? {} : { scope: scopes.join(" ") };
}

/** Retries once if the DPoP proof lacked a nonce, which the library has taken from the response. */
async function retryWithNonce<Value>(send: () => Promise<Value>): Promise<Value> {
  try {
    return await send();
  } catch (thrown) {
    if (isDPoPNonceError(thrown)) return await send();
    throw thrown;
  }
}

/** Copies a token response without the members that `oauth4webapi` would validate and that are not used here. */
async function withoutUnused(response: Response): Promise<Response> {
  const body = await readJsonObject(response.clone());
  if (body === undefined) return response;
  // The identity of the user is not needed.
  const { id_token: _, ...rest } = body;
  const headers = new Headers(response.headers);
  // The error code of the body takes precedence over a challenge.
  if (rest["error"] !== undefined) headers.delete("www-authenticate");
  return new Response(JSON.stringify(rest), { status: response.status, headers });
}

function readTokens(tokens: TokenEndpointResponse, isBound: boolean): Omit<IssuedTokens, "scopes"> {
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken, expires_in: expiresInSeconds } =
    tokens;
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new ToolError("unauthenticated", "The token contains characters that are not allowed in a header");
  }
  if (isBound !== (type === "dpop")) {
    throw new ToolError("unauthenticated", `The token is bound to ${isBound ? "no key" : "another key"}`);
  }
  return { accessToken, type: isBound ? "dpop" : "bearer", refreshToken, expiresInSeconds };
}

/** Private key for client authentication by a signed JWT (`private_key_jwt`), in place of a client secret. */
export interface ClientKey {
  /** Signing key for ES256, RS256, PS256 or Ed25519. */
  readonly key: CryptoKey;
  /** Id of the key at the authorization server: `kid`. */
  readonly id?: string | undefined;
}

/** Client authentication at a token endpoint: `key`, or the secret by `method` or one of `server`, or none. @throws {ToolError} If none fits. */
export function clientAuthentication(
  { secret, method }: StoredClient,
  server: IssuerMetadata,
  key?: ClientKey,
): ClientAuth {
  if (key !== undefined) return PrivateKeyJwt(key.id === undefined ? { key: key.key } : { key: key.key, kid: key.id });
  if (secret === undefined || method === "none") return None();
  switch (method ?? preferred(server)) {
    case "client_secret_basic":
      return secretBasic(secret);
    case "client_secret_post":
      return ClientSecretPost(secret);
    case "none":
      return None();
    default:
      throw new ToolError("unauthenticated", `${server.issuer} supports no authentication with a client secret`);
  }
}

/** Authentication methods, preferred one first. */
const METHODS: readonly string[] = ["client_secret_basic", "client_secret_post", "none"];

function preferred({ token_endpoint_auth_methods_supported: supported }: IssuerMetadata): string | undefined {
  // The default of RFC 8414.
  return Array.isArray(supported) ? METHODS.find((method) => supported.includes(method)) : METHODS[0];
}

/**
 * Basic authentication by RFC 6749, section 2.3.1. `oauth4webapi` escapes more characters, which fails at servers that do not unescape.
 */
function secretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formEncode(client.client_id)}:${formEncode(secret)}`)}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
