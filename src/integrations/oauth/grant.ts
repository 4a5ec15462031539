import type { Json } from "../../internal/json.ts";
import type { AuthServerClient } from "./auth_server_client.ts";
import type { DPoPHandle } from "oauth4webapi";
import type { IssuedTokens, StoredClient, TokenStorage } from "./token_storage.ts";

/** Metadata of an authorization server, by the names of RFC 8414. */
export interface IssuerMetadata {
  readonly issuer: string;
  /** Any other member. */
  readonly [name: string]: Json | undefined;
}

/** What a {@link GrantFlow} requests tokens for: authorization server, resource and scopes, and the means to do it. */
export interface GrantRequest {
  readonly server: IssuerMetadata;
  /** Parameter `resource`, which limits the token to this resource; `undefined` for servers without RFC 9728. */
  readonly resource: string | undefined;
  /** Requested scopes; `undefined` leaves them to the authorization server. */
  readonly scopes: readonly string[] | undefined;
  readonly authServer: AuthServerClient;
  readonly storage: TokenStorage;
  /** Creates DPoP proofs, if tokens are bound to a key. */
  readonly dpop: DPoPHandle | undefined;
}

/** Operations of a {@link Grant}: gets tokens, and renews them. Internal to this library. */
export interface GrantFlow {
  /** Required issuer; `undefined` for any issuer that the server names. */
  readonly issuer: string | undefined;
  obtain(request: GrantRequest): Promise<IssuedTokens>;
  /** Requests tokens with a refresh token. Missing if `obtain` needs no user. */
  refresh?(request: GrantRequest, refreshToken: string, client: StoredClient | undefined): Promise<IssuedTokens>;
}

/** Grant by which `oauthFetch` gets tokens: the result of `authorizationCode`, `clientCredentials` or `jwtBearer`. */
export interface Grant {
  /** Name: `grant_type` at the token endpoint. */
  readonly type: string;
}

/** A grant as callers pass it, with the flow that obtains its tokens. */
class FlowGrant implements Grant {
  readonly type: string;
  readonly flow: GrantFlow;

  constructor(type: string, flow: GrantFlow) {
    this.type = type;
    this.flow = flow;
  }
}

/** Creates a grant with operations that {@link grantFlow} returns. @param type `grant_type` at the token endpoint. */
export function createGrant(type: string, flow: GrantFlow): Grant {
  return new FlowGrant(type, flow);
}

/** Returns the operations of a grant. @throws {TypeError} If it was not created by this library. */
export function grantFlow(grant: Grant): GrantFlow {
  if (grant instanceof FlowGrant) return grant.flow;
  throw new TypeError("Cannot get tokens: pass a grant, such as authorizationCode({ … }) or clientCredentials({ … })");
}

/**
 * Returns the only issuer that a grant requests tokens from; `undefined` for any issuer: if it is `"*"`, or missing without a secret.
 *
 * @throws {TypeError} If there is a secret without an issuer.
 */
export function requiredIssuer(secret: string | undefined, issuer: string | undefined): string | undefined {
  if (secret !== undefined && issuer === undefined) {
    const hint = '"*" sends it to any issuer that the server names';
    throw new TypeError(`Cannot use a client secret: pass the issuer that it belongs to; ${hint}`);
  }
  return issuer === "*" ? undefined : issuer;
}
