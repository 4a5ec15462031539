import type { Json } from "../../internal/json.ts";
import type { AuthServerClient } from "./auth_server_client.ts";
import type { DPoPHandle } from "oauth4webapi";
import type { StoredClient, TokenStorage } from "./token_storage.ts";

/** What an authorization server tells of itself, by the names of RFC 8414. */
export interface IssuerMetadata {
  /** Who it is. */
  readonly issuer: string;
  /** Anything else. */
  readonly [name: string]: Json | undefined;
}

/** What tokens are wanted for, and where from. */
export interface GrantRequest {
  readonly server: IssuerMetadata;
  /** Sent as `resource`, so that the token is good there alone; servers of before RFC 9728 have none. */
  readonly resource: string | undefined;
  /** What to ask for; `undefined` leaves it to the server. */
  readonly scopes: readonly string[] | undefined;
  readonly authServer: AuthServerClient;
  readonly storage: TokenStorage;
  /** Proves possession of the key that tokens are to be bound to. */
  readonly dpop: DPoPHandle | undefined;
}

/** Tokens as they come. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly type: "bearer" | "dpop";
  readonly refreshToken?: string | undefined;
  readonly expiresInSeconds?: number | undefined;
  /** What was asked for in the end. */
  readonly scopes?: readonly string[] | undefined;
  /** Whom they were issued to, where that has registered by itself. */
  readonly client?: StoredClient | undefined;
}

/** How tokens are had: by a person who agrees, or by what a machine knows. */
export interface GrantFlow {
  /** Whose tokens these have to be; `undefined` for whoever the server names. */
  readonly issuer: string | undefined;
  /** Gets tokens. */
  obtain(request: GrantRequest): Promise<IssuedTokens>;
  /** Gets others for a refresh token; absent where `obtain` costs nobody anything. */
  refresh?(request: GrantRequest, refreshToken: string, client: StoredClient | undefined): Promise<IssuedTokens>;
}

/** How a client gets its tokens: what `authorizationCode`, `clientCredentials` and `jwtBearer` make. */
export interface Grant {
  /** Its name: `grant_type` at the token endpoint. */
  readonly type: string;
}

/** A grant with what is in it. */
class OwnGrant implements Grant {
  readonly type: string;
  readonly flow: GrantFlow;

  constructor(type: string, flow: GrantFlow) {
    this.type = type;
    this.flow = flow;
  }
}

/** Makes a grant. */
export function createGrant(type: string, flow: GrantFlow): Grant {
  return new OwnGrant(type, flow);
}

/** What a grant does. @throws {TypeError} If it is none of ours. */
export function grantFlow(grant: Grant): GrantFlow {
  if (grant instanceof OwnGrant) return grant.flow;
  throw new TypeError("Cannot get tokens: pass a grant, such as authorizationCode({ … }) or clientCredentials({ … })");
}

/**
 * Whose tokens these have to be, if that is said.
 *
 * @throws {TypeError} If there is a secret, and nothing is said.
 */
export function requiredIssuer(secret: string | undefined, issuer: string | undefined): string | undefined {
  if (secret !== undefined && issuer === undefined) {
    throw new TypeError(
      'Cannot keep a client secret: say whose it is, by issuer; "*" sends it to whom the server names',
    );
  }
  return issuer === "*" ? undefined : issuer;
}
