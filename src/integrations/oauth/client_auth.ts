import { type ClientAuth, ClientSecretPost, None, PrivateKeyJwt } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { IssuerMetadata } from "./grant.ts";
import type { StoredClient } from "./token_storage.ts";

/** Private key of a client. */
export interface ClientKey {
  /** Signing key for ES256, RS256, PS256 or Ed25519. */
  readonly key: CryptoKey;
  /** Id of the key at the authorization server: `kid`. */
  readonly id?: string | undefined;
}

/** Selects the client authentication at the token endpoint by the credentials and the supported methods. */
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
