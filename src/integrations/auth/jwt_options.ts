/** Options of `jwt()`: tokens of an issuer with public keys, or tokens with a secret. */
import type { Principal } from "../../core/call/call.ts";
import type { JsonObject } from "../../internal/json.ts";
import type { BearerOptions } from "./bearer.ts";

/**
 * Options of `jwt()` that both kinds of tokens have.
 *
 * @typeParam Claims Type of the claims of principals.
 */
export interface JwtChecks<Claims extends object = object> extends BearerOptions {
  /**
   * Accepted algorithms. Default with public keys: all of them, which are RS, PS and ES of 256, 384 and 512 bits, and EdDSA. Default with a
   * secret: HS256.
   */
  readonly algorithms?: readonly string[] | undefined;
  /** Scopes that every token has to have, in its claim `scope` or `scp`. Default: none. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Maximum difference between clocks, in seconds, as the claims are. Default: 60. */
  readonly clockToleranceSeconds?: number | undefined;
  /**
   * Name of the claim that has the tenant, such as `org_id` or `tid`. A token without it is refused. Default: callers have no tenant. With the
   * option `principal`, that function gives the tenant instead.
   */
  readonly tenant?: string | undefined;
  /** Returns the principal for the claims of a token. Default: id from `sub`, scopes from `scope` and `scp`, and all claims. */
  readonly principal?: ((claims: JsonObject) => Principal<Claims> | null | undefined) | undefined;
}

/** Options of `jwt()` for tokens of an issuer with public keys. Exactly one of `jwksUrl` and `keys` is required. */
export interface IssuerJwtOptions<Claims extends object = object> extends JwtChecks<Claims> {
  /** Issuer of the tokens: the exact value of the claim `iss`. */
  readonly issuer: string;
  /** Identifiers of this server: its URL, or its name at the issuer. One of them has to be in the claim `aud`. */
  readonly audience: string | readonly string[];
  /**
   * URL of the issuer's keys. They are fetched when they are needed, cached, and fetched again for an unknown key. A response may
   * have 262,144 bytes and take 5 seconds.
   */
  readonly jwksUrl?: string | URL | undefined;
  /** The issuer's public keys, as a JSON Web Key Set: `{ keys: […] }`. */
  readonly keys?: { readonly keys: readonly JsonObject[] } | undefined;
  /** Replaces the global `fetch` for the keys. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Not with public keys. */
  readonly secret?: undefined;
}

/** Options of `jwt()` for tokens that the application itself issues, with a secret. */
export interface SecretJwtOptions<Claims extends object = object> extends JwtChecks<Claims> {
  /**
   * Secret that signs the tokens: at least 32 random bytes for HS256, 48 for HS384, 64 for HS512. Text is encoded as UTF-8. Every program
   * that has it can issue tokens.
   */
  readonly secret: string | Uint8Array;
  /** Issuer of the tokens: the exact value of the claim `iss`. Default: the claim is ignored. */
  readonly issuer?: string | undefined;
  /** Identifiers of this server. One of them has to be in the claim `aud`. Default: the claim is ignored. */
  readonly audience?: string | readonly string[] | undefined;
  /** Not with a secret. */
  readonly jwksUrl?: undefined;
  /** Not with a secret. */
  readonly keys?: undefined;
}

/** Options of `jwt()`: for tokens of an issuer with public keys, or for tokens with a secret. */
export type JwtOptions<Claims extends object = object> = IssuerJwtOptions<Claims> | SecretJwtOptions<Claims>;
