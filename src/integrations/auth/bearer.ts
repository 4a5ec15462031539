import type { Principal } from "../../core/call/call.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { BOOLEAN, checkOptions, type OptionRules } from "../../internal/options.ts";
import type { Auth } from "../../server/auth.ts";
import { authenticate, AUTHENTICATE_RULES, type AuthenticateOptions, type AuthRequest } from "./authenticate.ts";

/**
 * Tells whose token it is; `undefined` if it is nobody's, which refuses the request. What is thrown refuses it as well, as
 * {@link authenticate} says.
 */
export type VerifyToken = (token: string, request: AuthRequest) => MaybePromise<Principal | undefined>;

/** Options of {@link bearer}. */
export interface BearerOptions extends AuthenticateOptions {
  /**
   * Whether callers without a token may call too, as nobody in particular: tools with `.scopes()` refuse them. A token that is
   * shown has to be good in any case. Default: `false`.
   */
  readonly allowsAnonymous?: boolean | undefined;
}

/** What they have to be. */
export const BEARER_RULES: OptionRules<BearerOptions> = { ...AUTHENTICATE_RULES, allowsAnonymous: BOOLEAN };

/**
 * Reads the token of `Authorization: Bearer …`, for `createServer({ auth: bearer(verify) })`. Tokens are read nowhere else, above
 * all not in URLs.
 *
 * @example Tokens that the server knows
 * ```ts
 * import { createClient, createServer, defineTool, mcpLiteTransport } from "jsr:@toolwire/toolwire";
 * import { bearer } from "jsr:@toolwire/toolwire/auth";
 * import { strictEqual } from "node:assert/strict";
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
 * strictEqual(await client.search({}), "found for ada");
 * ```
 * @throws {TypeError} If `verify` is no function, or an option is not what it should be.
 * @throws {RangeError} If `timeoutMs` is not above 0.
 */
export function bearer(verify: VerifyToken, options: BearerOptions = {}): Auth {
  if (typeof verify !== "function") {
    throw new TypeError("Cannot verify tokens: pass a function (token) => principal, or use jwt({ … })");
  }
  checkOptions("verify tokens", options, BEARER_RULES);
  const { allowsAnonymous, ...rest } = options;
  return authenticate((request) => {
    const token = readToken(request.metadata.get("authorization"));
    if (token !== undefined) return whose(verify(token, request));
    if (allowsAnonymous) return undefined;
    throw new ToolError("unauthenticated", "Send a token, as Authorization: Bearer <token>");
  }, rest);
}

/** The refusal of a token. */
export function invalidToken(message: string): ToolError {
  return new ToolError("unauthenticated", message, { details: { error: "invalid_token" } });
}

/** Credentials of other schemes are none of ours. */
function readToken(authorization: string | null): string | undefined {
  if (authorization === null || !/^bearer(?: |$)/i.test(authorization)) return undefined;
  const [token] = /^[\w.~+/-]+=*$/.exec(authorization.slice(7)) ?? [];
  if (token === undefined) throw invalidToken("The token is malformed");
  return token;
}

function whose(known: MaybePromise<Principal | undefined>): MaybePromise<Principal> {
  return known instanceof Promise ? known.then(whose) : known ?? refuseUnknown();
}

function refuseUnknown(): never {
  throw invalidToken("The token is not known here");
}
