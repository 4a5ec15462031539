/**
 * Access tokens that are JSON Web Tokens, verified by `jose`.
 *
 * Source: RFC 7519, RFC 9068, and the security considerations of RFC 8725.
 *
 * @module
 */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";
import type { Principal } from "../../core/call/call.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../internal/json.ts";
import { isConfidential } from "../../internal/http.ts";
import {
  ANYTHING,
  checkOptions,
  FUNCTION,
  type OptionRules,
  rule,
  TEXTS,
  wholeNumber,
} from "../../internal/options.ts";
import type { Auth } from "../../server/auth.ts";
import { bearer, BEARER_RULES, type BearerOptions, invalidToken, type VerifyToken } from "./bearer.ts";

/** What {@link jwt} verifies tokens with and holds them to. Either `jwksUrl` or `keys` is needed. */
export interface JwtOptions extends BearerOptions {
  /** Who issues the tokens: the claim `iss`, to the letter. */
  readonly issuer: string;
  /** Whom they are for: this server, by its URL or what the issuer calls it. One of them has to be in the claim `aud`. */
  readonly audience: string | readonly string[];
  /** Where the issuer publishes its keys. They are fetched when they are needed, kept, and fetched again for a key that is not among them. */
  readonly jwksUrl?: string | URL | undefined;
  /** The issuer's public keys, as a JSON Web Key Set: `{ keys: […] }`. */
  readonly keys?: { readonly keys: readonly JsonObject[] } | undefined;
  /** Algorithms that are good. Default: those by public keys: RS, PS and ES of 256, 384 and 512 bits, and EdDSA. */
  readonly algorithms?: readonly string[] | undefined;
  /** What every token has to allow, whatever it is used for. Default: nothing. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** How far clocks may differ, in seconds. Default: 60. */
  readonly clockToleranceSeconds?: number | undefined;
  /** Who the caller is, by the token's claims. Default: the claim `sub`, with the scopes of `scope` and `scp`, and all claims. */
  readonly principal?: ((claims: JsonObject) => Principal | undefined) | undefined;
  /** Takes the place of the global `fetch` for the keys. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

const RULES: OptionRules<JwtOptions> = {
  // These three say by themselves what is wrong.
  issuer: ANYTHING,
  audience: ANYTHING,
  jwksUrl: ANYTHING,
  keys: rule("a key set { keys: […] }", (value) => isJsonObject(value) && Array.isArray(value["keys"])),
  algorithms: TEXTS,
  requiredScopes: TEXTS,
  clockToleranceSeconds: wholeNumber(0, "seconds"),
  principal: FUNCTION,
  fetch: FUNCTION,
  ...BEARER_RULES,
};

/** By public keys: what verifies with a secret could be made by whoever verifies, and `none` by anybody. */
const ALGORITHMS: readonly string[] = [
  ...["RS", "PS", "ES"].flatMap((family) => ["256", "384", "512"].map((bits) => family + bits)),
  "EdDSA",
  "Ed25519",
];

/** What is wrong with a token itself; anything else is wrong with the keys, or the way to them. */
const TOKEN_PROBLEMS: ReadonlySet<string> = new Set([
  errors.JOSEAlgNotAllowed.code,
  errors.JOSENotSupported.code,
  errors.JWKSMultipleMatchingKeys.code,
  errors.JWKSNoMatchingKey.code,
  errors.JWSInvalid.code,
  errors.JWSSignatureVerificationFailed.code,
  errors.JWTClaimValidationFailed.code,
  errors.JWTExpired.code,
  errors.JWTInvalid.code,
]);

/**
 * Verifies tokens that are JSON Web Tokens: `createServer({ auth: jwt({ issuer, audience, jwksUrl }) })`. A token needs a good
 * signature by a key of its issuer, an audience that is this server, an expiry, and a subject.
 *
 * @throws {TypeError} If an option is missing, or not what it should be, or there is no such option.
 */
export function jwt(options: JwtOptions): Auth {
  const verify = jwtVerifier(options);
  const { allowsAnonymous, timeoutMs } = options;
  return bearer(verify, { allowsAnonymous, timeoutMs });
}

/**
 * Verifies tokens as {@link jwt} does, for a {@link bearer} that knows other tokens as well.
 *
 * @throws {TypeError} If an option is missing, or not what it should be, or there is no such option.
 */
export function jwtVerifier(options: JwtOptions): VerifyToken {
  checkOptions("verify tokens", options, RULES);
  const keys = keysOf(options);
  const { algorithms = ALGORITHMS, requiredScopes = [], principal = principalOf } = options;
  assertPublic(algorithms);
  const terms: JWTVerifyOptions = {
    issuer: nonEmpty("issuer", options.issuer),
    audience: audiencesOf(options.audience),
    algorithms: [...algorithms],
    clockTolerance: options.clockToleranceSeconds ?? 60,
    requiredClaims: ["exp"],
  };
  return async (token) => {
    const claims = await verified(token, keys, terms);
    const missing = requiredScopes.some((scope) => !scopesOf(claims).includes(scope));
    if (missing) {
      throw new ToolError("permission_denied", `The token does not allow ${requiredScopes.join(", ")}`, {
        details: { required_scopes: requiredScopes },
      });
    }
    return principal(claims as JsonObject);
  };
}

async function verified(token: string, keys: JWTVerifyGetKey, terms: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, terms)).payload;
  } catch (thrown) {
    if (thrown instanceof errors.JWKSMultipleMatchingKeys) return await verifiedByOne(token, thrown, terms);
    throw refusalOf(thrown);
  }
}

/** A token that does not name its key is good if it is by one of those that fit. */
async function verifiedByOne(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  terms: JWTVerifyOptions,
): Promise<JWTPayload> {
  let last: unknown = keys;
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, terms)).payload;
    } catch (thrown) {
      last = thrown;
      if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) break;
    }
  }
  throw refusalOf(last);
}

function refusalOf(thrown: unknown): ToolError {
  if (thrown instanceof errors.JWTExpired) return invalidToken("The token has expired");
  if (thrown instanceof errors.JOSEError && TOKEN_PROBLEMS.has(thrown.code)) {
    return invalidToken("The token is not valid here");
  }
  return new ToolError("unavailable", "Tokens cannot be verified now; try again", {
    cause: thrown,
    details: { retry_after_ms: 1_000 },
  });
}

function principalOf(claims: JsonObject): Principal {
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "") throw invalidToken("The token names no subject");
  return { id: sub, scopes: scopesOf(claims), claims: claims as Json };
}

/** As OAuth has them, in one text; as some issuers do, in `scp`, as text or a list. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  return [scope, scp].flat().flatMap((text) => typeof text === "string" ? text.split(" ") : []).filter(Boolean);
}

function keysOf({ jwksUrl, keys, fetch: send }: JwtOptions): JWTVerifyGetKey {
  if ((jwksUrl === undefined) === (keys === undefined)) {
    throw new TypeError("Cannot verify tokens: pass jwksUrl or keys, one of them");
  }
  if (jwksUrl === undefined) return createLocalJWKSet(keys as unknown as JSONWebKeySet);
  const url = new URL(jwksUrl);
  if (!isConfidential(url)) {
    throw new TypeError(`Cannot take keys from ${url.href}: it has to be https`);
  }
  return createRemoteJWKSet(url, send === undefined ? {} : { [customFetch]: send as typeof fetch });
}

function assertPublic(algorithms: readonly string[]): void {
  const stranger = algorithms.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (stranger === undefined && algorithms.length > 0) return;
  throw new TypeError(`Cannot verify tokens by ${stranger ?? "no algorithm"}: there are ${ALGORITHMS.join(", ")}`);
}

/** A URL is the same with and without a slash at its end. */
function audiencesOf(audience: string | readonly string[]): string[] {
  const all = [audience].flat().map((one) => nonEmpty("audience", one));
  if (all.length === 0) nonEmpty("audience", undefined);
  return all.flatMap((one) => one.includes("://") ? [one.replace(/\/$/, ""), `${one.replace(/\/$/, "")}/`] : [one]);
}

function nonEmpty(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`Cannot verify tokens: ${name} has to be text`);
}
