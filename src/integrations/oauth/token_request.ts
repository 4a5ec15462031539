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
import type { GrantRequest, IssuedTokens } from "./grant.ts";
import { toAuthError } from "./auth_error.ts";
import type { StoredClient } from "./token_storage.ts";

/** What the token endpoint is asked by. */
export interface TokenRequest {
  readonly grantType: string;
  /** Those of the grant; `resource` is added to them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What the client proves itself by in the place of a secret. */
  readonly key?: ClientKey | undefined;
}

/** Asks the token endpoint. @throws {ToolError} If it gives none. */
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
  const ask = async () => {
    const authentication = clientAuthentication(client, request.server, key);
    const response = await genericTokenEndpointRequest(server, named, authentication, grantType, all, options);
    return await processGenericTokenEndpointResponse(server, named, await essentialOf(response));
  };
  try {
    return { ...issued(await twiceForNonce(ask), dpop !== undefined), scopes };
  } catch (thrown) {
    throw toAuthError(thrown, server.issuer);
  }
}

/** The scopes, as a parameter. */
export function scopeParameter(scopes: readonly string[] | undefined): Readonly<Record<string, string>> {
  return scopes === undefined ? {} : { scope: scopes.join(" ") };
}

/** Asks again where the proof lacked a nonce, which the library has by then. */
async function twiceForNonce<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (thrown) {
    if (isDPoPNonceError(thrown)) return await ask();
    throw thrown;
  }
}

/** A response without what the library would look at, and we do not want. */
async function essentialOf(response: Response): Promise<Response> {
  const body = await readJsonObject(response.clone());
  if (body === undefined) return response;
  // The token that says who a person is, is for those who want to know that.
  const { id_token: _, ...rest } = body;
  const headers = new Headers(response.headers);
  // Where both say what is wrong, OAuth's own word counts.
  if (rest["error"] !== undefined) headers.delete("www-authenticate");
  return new Response(JSON.stringify(rest), { status: response.status, headers });
}

function issued(tokens: TokenEndpointResponse, isBound: boolean): Omit<IssuedTokens, "scopes"> {
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken, expires_in: expiresInSeconds } =
    tokens;
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new ToolError("unauthenticated", "The token has characters that no header may have");
  }
  if (isBound !== (type === "dpop")) {
    throw new ToolError("unauthenticated", `The token is bound to ${isBound ? "no key" : "a key that is not ours"}`);
  }
  return { accessToken, type: isBound ? "dpop" : "bearer", refreshToken, expiresInSeconds };
}
