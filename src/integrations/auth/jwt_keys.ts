/**
 * What verifies the signatures of tokens: public keys of an issuer, or a shared secret. Each has its own algorithms, and neither accepts
 * those of the other, so that a public key, which every client has, is never used as a secret.
 */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { fetchWhole } from "../../http_client/fetch_whole.ts";
import { isConfidential } from "../../internal/http.ts";
import type { IssuerJwtOptions, JwtOptions } from "./jwt_options.ts";

/** Algorithms with public keys. With `none`, every client could issue tokens. */
const PUBLIC_ALGORITHMS: readonly string[] = [
  ...["RS", "PS", "ES"].flatMap((family) => ["256", "384", "512"].map((bits) => family + bits)),
  "EdDSA",
  "Ed25519",
];

/** Algorithms with a secret, and the length of a secret in bytes, which is at least that of the hash: RFC 7518, section 3.2. */
const SECRET_BYTES: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Maximum size of a key set, in bytes. */
const MAX_KEY_SET_BYTES = 262_144;

/** Time limit for fetching a key set, in milliseconds. A shorter limit of the authentication takes precedence. */
const KEY_SET_TIMEOUT_MS = 5_000;

/** The key or secret of a token, by its header, and the algorithms that are accepted. */
export interface JwtKeys {
  readonly find: JWTVerifyGetKey;
  readonly algorithms: string[];
}

/** @throws {TypeError} If there is not exactly one of `jwksUrl`, `keys` and `secret`, or an algorithm does not fit. */
export function jwtKeysOf(options: JwtOptions): JwtKeys {
  const { secret, jwksUrl, keys } = options;
  if (secret === undefined) {
    return { find: keySetOf(options), algorithms: algorithmsOf(options, PUBLIC_ALGORITHMS, PUBLIC_ALGORITHMS) };
  }
  if (jwksUrl !== undefined || keys !== undefined) throw chooseOne();
  const algorithms = algorithmsOf(options, Object.keys(SECRET_BYTES), ["HS256"]);
  const bytes = secretBytes(secret, Math.max(...algorithms.map((algorithm) => SECRET_BYTES[algorithm]!)), algorithms);
  return { find: () => bytes, algorithms };
}

function keySetOf(options: IssuerJwtOptions): JWTVerifyGetKey {
  const { jwksUrl, keys, fetch: send, timeoutMs = KEY_SET_TIMEOUT_MS } = options;
  if ((jwksUrl === undefined) === (keys === undefined)) throw chooseOne();
  if (jwksUrl === undefined) return createLocalJWKSet(keys as unknown as JSONWebKeySet);
  const url = new URL(jwksUrl);
  if (!isConfidential(url)) {
    throw new TypeError(`Cannot fetch keys from ${url.href}: the URL has to be https`);
  }
  const limits = { send, maxBytes: MAX_KEY_SET_BYTES, timeoutMs: Math.min(KEY_SET_TIMEOUT_MS, timeoutMs) };
  return createRemoteJWKSet(url, { [customFetch]: (_, init) => fetchWhole(url, init, limits) });
}

function chooseOne(): TypeError {
  return new TypeError("Cannot verify tokens: pass either jwksUrl or keys, or a secret that the issuer shares");
}

function algorithmsOf(
  { algorithms }: JwtOptions,
  supported: readonly string[],
  byDefault: readonly string[],
): string[] {
  const unsupported = algorithms?.find((algorithm) => !supported.includes(algorithm));
  if (unsupported === undefined && algorithms?.length !== 0) return [...algorithms ?? byDefault];
  const reason = unsupported === undefined ? "" : reasonOf(unsupported);
  throw new TypeError(
    `Cannot verify tokens with ${unsupported ?? "no algorithm"}${reason}: use some of ${supported.join(", ")}`,
  );
}

function reasonOf(algorithm: string): string {
  if (PUBLIC_ALGORITHMS.includes(algorithm)) return ", which needs jwksUrl or keys instead of a secret";
  return Object.hasOwn(SECRET_BYTES, algorithm) ? ", which needs a secret instead of public keys" : "";
}

/** The bytes of a secret: text as UTF-8. */
function secretBytes(secret: string | Uint8Array, least: number, algorithms: readonly string[]): Uint8Array {
  // A copy, since programs erase secrets. `slice` of a `Buffer` makes none.
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : new Uint8Array(secret);
  const text = new TextDecoder().decode(bytes).trimStart();
  if (text.startsWith("-----BEGIN") || /^\{[^]*"kty"/.test(text)) {
    throw new TypeError(
      "Cannot verify tokens: the secret is a key in PEM or JWK form; pass a public key as keys: { keys: […] }",
    );
  }
  if (bytes.length >= least) return bytes;
  throw new TypeError(
    `Cannot verify tokens: the secret has ${bytes.length} bytes; ${algorithms.join(", ")} needs at least ${least}`,
  );
}
