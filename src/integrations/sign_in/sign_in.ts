/** An authorization server between MCP clients and an identity provider that does not register clients. */
import type { Metadata } from "../../core/call/call.ts";
import { systemClock } from "../../internal/time.ts";
import type { Auth } from "../../server/auth.ts";
import { protectedResourcePage } from "../../server/pages/protected_resource.ts";
import type { RequestWire } from "../../wires/wire.ts";
import { bearer, invalidToken, type VerifyToken } from "../auth/bearer.ts";
import { type SignInConfig, type SignInOptions, validateSignIn } from "./config.ts";
import { SignInEndpoints } from "./endpoints.ts";
import { Sealer } from "./sealer.ts";
import { revokedKey } from "./token_endpoint.ts";
import type { AccessContent } from "./token_issuer.ts";

/** Access token that the identity provider has issued for a user, and its scopes. The refresh token is not part of it. */
export interface UpstreamTokens {
  /** Access token for the provider's API. */
  readonly accessToken: string;
  /** Scopes of the access token; `undefined` if the provider has not stated them. */
  readonly scopes: readonly string[] | undefined;
}

/** Result of {@link signIn}: `wires` and `auth` for `createServer`, and access to the provider's tokens for handlers. */
export interface SignIn {
  /** Endpoints of the sign-in and metadata of the resource: values for the option `wires` of `createServer`, beside the wires of the tools. */
  readonly wires: readonly RequestWire[];
  /** Authenticates callers by the tokens of this sign-in: the value of the option `auth` of `createServer`. */
  readonly auth: Auth;
  /**
   * The provider's tokens of a caller, with the option `upstream: "tokens"`. Never send them to the caller. `undefined` without that option,
   * and in deferred work after its first run, which has no request.
   *
   * @param ctx The second argument of a handler.
   */
  upstreamTokens(ctx: { readonly metadata: Metadata }): Promise<UpstreamTokens | undefined>;
}

/**
 * Signs users in at an identity provider that does not register clients, such as Google or GitHub. The server becomes the authorization
 * server of its MCP clients, and one registered client of the provider. Without `store` it keeps nothing: replicas share the keys alone.
 *
 * Register `<issuer>/callback` as the redirect URI at the provider.
 *
 * @example Sign in with Google
 * ```ts
 * import { createServer, defineTool, mcp } from "jsr:@toolwire/toolwire";
 * import { google, signIn } from "jsr:@toolwire/toolwire/sign-in";
 *
 * const door = signIn({
 *   provider: google({ clientId: "1234.apps.googleusercontent.com", clientSecret: "from the Google console" }),
 *   resource: "https://api.example/mcp",
 *   keys: "k1:a secret of at least thirty-two bytes",
 *   principal: ({ subject, claims, scopes }) =>
 *     claims.hd === "example.com" ? { id: subject, scopes, claims: { email: claims.email } } : undefined,
 * });
 * const whoami = defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id);
 * const server = createServer({ tools: [whoami], wires: [mcp(), ...door.wires], auth: door.auth });
 *
 * const refused = await server.fetch(new Request("https://api.example/mcp", { method: "POST" }));
 * console.log(refused.status); // → 401
 * ```
 * @throws {TypeError} If an option is missing, unknown or invalid.
 * @throws {RangeError} If a lifetime is not a whole number of at least 1 second.
 */
export function signIn(options: SignInOptions): SignIn {
  const time = { clock: systemClock };
  const config: SignInConfig = { ...validateSignIn(options), now: () => time.clock.now() };
  const { resource, issuer, scopes, store } = config;
  const sealer = new Sealer(config.keys, config);
  const verify: VerifyToken = async (token) => {
    const { session, principal } = await readAccess(sealer, token, resource);
    if (await store?.has(revokedKey(session))) throw invalidToken("The token was revoked");
    return principal;
  };
  return {
    wires: [
      { name: "sign-in", mount: (host) => new SignInEndpoints(host, config, sealer) },
      protectedResourcePage({ resource, authorizationServers: [issuer], ...(scopes.length > 0 && { scopes }) }),
    ],
    auth: {
      mount(host, routes) {
        time.clock = host.clock;
        return bearer(verify).mount(host, routes);
      },
    },
    async upstreamTokens({ metadata }) {
      const [, token = ""] = /^bearer +(\S+)$/i.exec(metadata.get("authorization") ?? "") ?? [];
      if (token === "") return undefined;
      const { upstream } = await readAccess(sealer, token, resource);
      return upstream as UpstreamTokens | null ?? undefined;
    },
  };
}

/** Opens an access token. @throws {ToolError} If it is not one of this server, for this resource. */
async function readAccess(sealer: Sealer, token: string, resource: string): Promise<AccessContent> {
  const opened = await sealer.open("access", token);
  if (opened === "expired") throw invalidToken("The token has expired");
  const content = opened === "invalid" ? undefined : opened.content as AccessContent;
  if (content?.aud === resource) return content;
  const reason = content === undefined ? "not sealed by one of the keys" : `for ${content.aud}, not ${resource}`;
  throw invalidToken("The token is invalid", reason);
}
