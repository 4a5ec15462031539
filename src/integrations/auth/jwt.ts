/**
 * Verification of access tokens that are JSON Web Tokens, with `jose`.
 *
 * Source: RFC 7519, RFC 9068, and the security considerations of RFC 8725.
 */
import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";
import type { Principal } from "../../core/call/call.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject, type JsonObject } from "../../internal/json.ts";
import {
  ANYTHING,
  checkOptions,
  FUNCTION,
  type OptionRules,
  rule,
  TEXT,
  TEXTS,
  wholeNumber,
} from "../../internal/options.ts";
import type { Auth } from "../../server/auth.ts";
import { RefusalReason } from "./authenticate.ts";
import { BEARER_RULES, createBearer, invalidToken, type VerifyToken } from "./bearer.ts";
import { jwtKeysOf } from "./jwt_keys.ts";
import type { IssuerJwtOptions, JwtOptions, SecretJwtOptions } from "./jwt_options.ts";

const RULES: OptionRules<Omit<IssuerJwtOptions, "secret"> & Pick<SecretJwtOptions, "secret">> = {
  // Checked below, with more specific messages.
  issuer: ANYTHING,
  audience: ANYTHING,
  jwksUrl: ANYTHING,
  keys: rule("a key set { keys: […] }", (value) => isJsonObject(value) && Array.isArray(value["keys"])),
  secret: rule("text or bytes", (value) => typeof value === "string" || value instanceof Uint8Array),
  algorithms: TEXTS,
  clockToleranceSeconds: wholeNumber(0, "seconds"),
  tenant: TEXT,
  principal: FUNCTION,
  fetch: FUNCTION,
  ...BEARER_RULES,
};

/** Codes of errors in the token. All other errors are problems with the keys, or with fetching them. */
const TOKEN_ERRORS: ReadonlySet<string> = new Set([
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

const JWT_SCHEMES: JwtOptions["securitySchemes"] = {
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
};

/**
 * Authenticates callers by tokens that are JSON Web Tokens: `createServer({ auth: jwt({ issuer, audience, jwksUrl }) })`. A token
 * needs a valid signature by a key of the issuer, the issuer's name, this server as its audience, an expiry, the `requiredScopes`, and a
 * subject unless the option `principal` is set. With `jwt({ secret })` the signature is HS256, and issuer and audience are validated if
 * they are given.
 *
 * @typeParam Claims Type of the claims of principals: of those that the option `principal` returns, else as written, `jwt<{ role: string }>(…)`.
 * @throws {TypeError} If an option is missing, invalid or unknown.
 * @throws {RangeError} If a number is out of range.
 */
export function jwt<Claims extends object = object>(options: JwtOptions<Claims>): Auth<Principal<Claims>> {
  const verify = jwtVerifier(options);
  const { allowAnonymous, timeoutMs, requiredScopes, securitySchemes = JWT_SCHEMES } = options;
  return createBearer(verify, { allowAnonymous, timeoutMs, requiredScopes, securitySchemes });
}

/**
 * Creates a function that verifies tokens as {@link jwt} does, for a {@link bearer} that accepts other tokens as well.
 *
 * @throws {TypeError} If an option is missing, invalid or unknown.
 * @throws {RangeError} If a number is out of range.
 */
export function jwtVerifier(options: JwtOptions): VerifyToken {
  checkOptions("verify tokens", options, RULES);
  const { find, algorithms } = jwtKeysOf(options);
  const { secret, issuer, audience, requiredScopes = [], tenant, principal } = options;
  if (tenant !== undefined && principal !== undefined) {
    throw new TypeError(
      "Cannot verify tokens: tenant is for the default principal; with the option principal, return the tenant there",
    );
  }
  const hasSecret = secret !== undefined;
  const verifyOptions: JWTVerifyOptions = {
    ...((!hasSecret || issuer !== undefined) && { issuer: nonEmpty("issuer", issuer) }),
    ...((!hasSecret || audience !== undefined) && { audience: audiencesOf(audience) }),
    algorithms,
    clockTolerance: options.clockToleranceSeconds ?? 60,
    requiredClaims: ["exp"],
  };
  return async (token) => {
    const claims = await verify(token, find, verifyOptions);
    const given = scopesOf(claims);
    if (requiredScopes.some((scope) => !given.includes(scope))) {
      throw new ToolError("permission_denied", `The token lacks a required scope: ${requiredScopes.join(", ")}`, {
        details: { required_scopes: requiredScopes },
        cause: new RefusalReason(`claim "scope": expected ${show(requiredScopes)}, given ${show(given)}`),
      });
    }
    return principal === undefined ? principalOf(claims as JsonObject, tenant) : principal(claims as JsonObject);
  };
}

async function verify(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (thrown) {
    if (thrown instanceof errors.JWKSMultipleMatchingKeys) return await verifyWithEach(token, thrown, options);
    throw toToolError(thrown, token, options);
  }
}

/** Verifies a token without a key id, for which several keys match. One of them has to verify it. */
async function verifyWithEach(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let last: unknown = keys;
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (thrown) {
      last = thrown;
      if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) break;
    }
  }
  throw toToolError(last, token, options);
}

function toToolError(thrown: unknown, token: string, options: JWTVerifyOptions): ToolError {
  if (thrown instanceof errors.JOSEError && TOKEN_ERRORS.has(thrown.code)) {
    const message = thrown instanceof errors.JWTExpired ? "The token has expired" : "The token is invalid";
    return invalidToken(message, reasonOf(thrown, token, options));
  }
  return new ToolError("unavailable", "Tokens cannot be verified at the moment; try again", {
    cause: thrown,
    details: { retry_after_ms: 1_000 },
  });
}

/** Claims whose values the log may have: they name the issuer, this server and times, and no person. */
const SHOWN_CLAIMS: ReadonlySet<string> = new Set(["iss", "aud", "exp", "nbf", "iat"]);

/** Why a token was refused: the claim, what was expected and what was given; or the problem of its signature. */
function reasonOf(thrown: errors.JOSEError, token: string, options: JWTVerifyOptions): string {
  if (thrown instanceof errors.JWTExpired || thrown instanceof errors.JWTClaimValidationFailed) {
    const { claim, payload } = thrown;
    if (!SHOWN_CLAIMS.has(claim)) return `claim ${show(claim)}: ${thrown.message}`;
    const expected = {
      iss: show(options.issuer),
      aud: show(options.audience),
      exp: `a time after ${nowSeconds()}`,
    }[claim] ?? `a time before ${nowSeconds()}`;
    return `claim "${claim}": expected ${expected}, given ${show(payload[claim])}`;
  }
  const { alg, kid } = headerOf(token);
  if (thrown instanceof errors.JOSEAlgNotAllowed) {
    return `header "alg": expected one of ${options.algorithms?.join(", ")}, given ${show(alg)}`;
  }
  if (thrown instanceof errors.JWKSNoMatchingKey) {
    return `no key of the issuer matches the header: "alg" is ${show(alg)}, "kid" is ${show(kid)}`;
  }
  if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) return `not a signed JSON Web Token (${thrown.code})`;
  const hasSecret = options.algorithms?.every((algorithm) => algorithm.startsWith("HS"));
  return `the signature does not match ${hasSecret ? "the secret" : `the issuer's key with "kid" ${show(kid)}`}`;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function headerOf(token: string): Readonly<Record<string, unknown>> {
  try {
    return { ...decodeProtectedHeader(token) };
  } catch {
    return {};
  }
}

/** Maximum length of a value in the log, in characters. */
const MAX_SHOWN_CHARS = 200;

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, MAX_SHOWN_CHARS);
}

function principalOf(claims: JsonObject, tenantClaim: string | undefined): Principal {
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "") {
    throw invalidToken("The token has no subject", `claim "sub": expected text that is not empty, given ${typeof sub}`);
  }
  const caller = { id: sub, scopes: scopesOf(claims), claims };
  if (tenantClaim === undefined) return caller;
  const tenant = claims[tenantClaim];
  if (typeof tenant === "string" && tenant !== "") return { ...caller, tenant };
  const reason = `claim ${show(tenantClaim)}: expected text that is not empty, given ${typeof tenant}`;
  throw invalidToken("The token names no tenant", reason);
}

/** Scopes of a token: `scope` is a string in OAuth; some issuers send `scp`, as a string or a list. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  return [scope, scp].flat().flatMap((text) => typeof text === "string" ? text.split(" ") : []).filter(Boolean);
}

/** A URL is accepted with and without a trailing slash. */
function audiencesOf(audience: string | readonly string[] | undefined): string[] {
  const all = [audience].flat().map((one) => nonEmpty("audience", one));
  if (all.length === 0) nonEmpty("audience", undefined);
  return all.flatMap((one) => one.includes("://") ? [one.replace(/\/$/, ""), `${one.replace(/\/$/, "")}/`] : [one]);
}

function nonEmpty(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`Cannot verify tokens: ${name} has to be a non-empty string`);
}
