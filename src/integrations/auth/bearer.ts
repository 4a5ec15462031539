import type { Principal } from "../../core/call/call.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isPromiseLike, mapMaybe, type MaybePromise } from "../../internal/async.ts";
import { asObject } from "../../internal/json.ts";
import { checkOptions, type OptionRules } from "../../internal/options.ts";
import type { Auth } from "../../server/auth.ts";
import {
  AUTHENTICATE_RULES,
  type AuthenticateOptions,
  type AuthRequest,
  createAuth,
  RefusalReason,
  withScopes,
} from "./authenticate.ts";

/**
 * Returns the principal of a token; `undefined` or `null` rejects the request as `unauthenticated`. A thrown `ToolError` rejects it with its
 * code, any other exception with a masked error.
 */
export type VerifyToken<Claims extends object = object> = (
  token: string,
  request: AuthRequest,
) => MaybePromise<Principal<Claims> | null | undefined>;

/** Options of {@link bearer}. With `allowAnonymous`, requests without a token are accepted; a token that is sent has to be valid. */
export type BearerOptions = AuthenticateOptions;

/** Validation rules for {@link BearerOptions}. */
export const BEARER_RULES: OptionRules<BearerOptions> = AUTHENTICATE_RULES;

/**
 * Authenticates callers by the token in `Authorization: Bearer …`: `createServer({ auth: bearer(verify) })`. Tokens are not read
 * from anywhere else, and never from URLs.
 *
 * @example A fixed list of tokens
 * ```ts
 * import { createClient, createServer, defineTool, mcpLiteTransport } from "jsr:@toolwire/toolwire";
 * import { bearer } from "jsr:@toolwire/toolwire/auth";
 *
 * const tokens = new Map([["a-long-random-text", { id: "ada", scopes: ["docs:read"] }]]);
 * const search = defineTool("search").describe("Search the documents").scopes("docs:read")
 *   .handle((_, ctx) => `found for ${ctx.principal?.id}`);
 * const server = createServer({ tools: [search], auth: bearer((token) => tokens.get(token)) });
 *
 * const client = createClient<typeof server>(mcpLiteTransport("http://localhost/mcp-lite/v1", {
 *   fetch: (url, init) => server.fetch(new Request(url, init)),
 *   headers: { authorization: "Bearer a-long-random-text" },
 * }));
 * console.log(await client.search({})); // → found for ada
 * ```
 * @typeParam Claims Type of the claims of principals.
 * @throws {TypeError} If `verify` is not a function, or an option is invalid or unknown.
 * @throws {RangeError} If `timeoutMs` is not above 0.
 */
export function bearer<Claims extends object = object>(
  verify: VerifyToken<Claims>,
  options: BearerOptions = {},
): Auth<Principal<Claims>> {
  if (typeof verify !== "function") {
    throw new TypeError("Cannot verify tokens: pass a function (token) => principal, or use jwt({ … })");
  }
  checkOptions("verify tokens", options, BEARER_RULES);
  const { requiredScopes = [] } = options;
  if (requiredScopes.length === 0) return createBearer(verify, options);
  return createBearer(
    (token, request) => mapMaybe(verify(token, request), (found) => withScopes(found, requiredScopes)),
    options,
  );
}

/** Creates the `auth` of {@link bearer} from options that are validated. `verify` checks the scopes. */
export function createBearer<Caller extends Principal<object>>(
  verify: VerifyToken,
  options: BearerOptions,
): Auth<Caller> {
  const { allowAnonymous = false, securitySchemes = BEARER_SCHEMES, timeoutMs, requiredScopes } = options;
  return createAuth(
    (request) => {
      const token = readToken(request.metadata.get("authorization"));
      if (token !== undefined) return required(refusing(verify, token, request));
      if (allowAnonymous) return undefined;
      throw new ToolError("unauthenticated", "Send a token, as Authorization: Bearer <token>");
    },
    { securitySchemes, timeoutMs, allowAnonymous, requiredScopes },
  );
}

const BEARER_SCHEMES: BearerOptions["securitySchemes"] = { bearer: { type: "http", scheme: "bearer" } };

/** Creates the `unauthenticated` error for a refused token. @param reason For the log. The caller gets `message` only. */
export function invalidToken(message: string, reason: string = message): ToolError {
  return new ToolError("unauthenticated", message, {
    details: { error: "invalid_token" },
    cause: new RefusalReason(reason),
  });
}

/** Reads the token of the header. Credentials of other schemes are ignored. */
function readToken(authorization: string | null): string | undefined {
  if (authorization === null || !/^bearer(?: |$)/i.test(authorization)) return undefined;
  const [token] = /^[\w.~+/-]+=*$/.exec(authorization.slice(7)) ?? [];
  if (token === undefined) throw invalidToken("The token is malformed");
  return token;
}

/** Calls `verify`. A token that it refuses by a separate `unauthenticated` error is named invalid in the challenge, too, as RFC 6750 requires. */
function refusing(verify: VerifyToken, token: string, request: AuthRequest): ReturnType<VerifyToken> {
  try {
    const principal = verify(token, request);
    return isPromiseLike(principal) ? Promise.resolve(principal).catch(asInvalidToken) : principal;
  } catch (thrown) {
    return asInvalidToken(thrown);
  }
}

/** @throws What was thrown; an `unauthenticated` error that has no error in its details gets `invalid_token`. */
function asInvalidToken(thrown: unknown): never {
  if (!(thrown instanceof ToolError) || thrown.code !== "unauthenticated") throw thrown;
  const details = asObject(thrown.details);
  if (details["error"] !== undefined) throw thrown;
  const { message, cause } = thrown;
  throw new ToolError("unauthenticated", message, { details: { error: "invalid_token", ...details }, cause });
}

/** @throws {ToolError} If there is no principal. */
function required(principal: MaybePromise<Principal<object> | null | undefined>): MaybePromise<Principal<object>> {
  return mapMaybe(principal, (found) => {
    if (found === undefined || found === null) throw invalidToken("The token is unknown");
    return found;
  });
}
