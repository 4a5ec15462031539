import {
  type AuthorizationServer,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import { clientAuthentication, type ClientKey } from "./client_auth.ts";
import { readJsonObject } from "./auth_server_client.ts";
import type { GrantRequest } from "./grant.ts";
import { toAuthError } from "./auth_error.ts";
import type { IssuedTokens, StoredClient } from "./token_storage.ts";

/** Parameters of a token request. */
export interface TokenRequest {
  readonly grantType: string;
  /** Parameters of the grant. `resource` is added. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Key for client authentication in place of a secret. */
  readonly key?: ClientKey | undefined;
}

/** Sends a token request. @throws {ToolError} If no token is issued. */
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

/** Encodes scopes as a parameter. */
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

/** Removes parts that the library would validate and that are not used. */
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
