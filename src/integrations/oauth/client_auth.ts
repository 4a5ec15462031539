import { type ClientAuth, ClientSecretPost, None, PrivateKeyJwt } from "oauth4webapi";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { IssuerMetadata } from "./grant.ts";
import type { StoredClient } from "./token_storage.ts";

/** A private key, and what the authorization server knows it by. */
export interface ClientKey {
  /** For signing: ES256, RS256, PS256 or Ed25519, by the key's own algorithm. */
  readonly key: CryptoKey;
  /** Its `kid`. */
  readonly id?: string | undefined;
}

/** How a client proves who it is at the token endpoint, by what it has and what the server takes. */
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
      throw new ToolError("unauthenticated", `${server.issuer} takes no secrets of clients`);
  }
}

/** The ways in which clients can prove who they are, best first. */
const METHODS: readonly string[] = ["client_secret_basic", "client_secret_post", "none"];

function preferred({ token_endpoint_auth_methods_supported: supported }: IssuerMetadata): string | undefined {
  // What RFC 8414 says of a server that does not say.
  return Array.isArray(supported) ? METHODS.find((method) => supported.includes(method)) : METHODS[0];
}

/**
 * As RFC 6749, section 2.3.1, has it. The library escapes more than that, which servers that unescape nothing do not understand.
 */
function secretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formEncode(client.client_id)}:${formEncode(secret)}`)}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
