/**
 * The token endpoint: codes and refresh tokens of this server. Everything of ours is checked before the provider is asked, or another
 * caller could use up the provider's code.
 *
 * Source: OAuth 2.1, sections 3.2 and 4, RFC 7636, RFC 8707 and RFC 7009.
 */
import type { JsonObject } from "../../internal/json.ts";
import { type Authorization, checkResource, hashText } from "./authorization.ts";
import type { SignInConfig } from "./config.ts";
import { isSameText } from "./consent.ts";
import { OAuthError } from "./oauth_error.ts";
import type { Opened, Sealer } from "./sealer.ts";
import { type RefreshContent, TokenIssuer } from "./token_issuer.ts";
import type { Upstream } from "./upstream.ts";

/** Content of a sealed authorization code. The provider's code is inside, and is exchanged only for the client that it was issued to. */
export interface CodeContent extends JsonObject {
  /** Unique id, which is used once. */
  readonly id: string;
  readonly authorization: Authorization;
  /** Code of the provider. */
  readonly code: string;
  readonly verifier: string;
  readonly nonce: string;
}

type Parameters = ReadonlyMap<string, string>;

/** Seconds for which used codes and revoked sign-ins stay known after their expiry: clocks differ. */
const KEPT_SECONDS = 120;

/** Exchanges authorization codes and refresh tokens of this server for tokens, after its checks also at the provider. Revokes sign-ins. */
export class TokenEndpoint {
  readonly #config: SignInConfig;
  readonly #sealer: Sealer;
  readonly #upstream: Upstream;
  readonly #issuer: TokenIssuer;

  constructor(config: SignInConfig, sealer: Sealer, upstream: Upstream) {
    this.#config = config;
    this.#sealer = sealer;
    this.#upstream = upstream;
    this.#issuer = new TokenIssuer(config, sealer);
  }

  /** Returns the JSON of the response, with the tokens. @throws {OAuthError} If the request is refused. */
  async issue(parameters: Parameters): Promise<JsonObject> {
    switch (parameters.get("grant_type")) {
      case "authorization_code":
        return await this.#exchange(parameters);
      case "refresh_token":
        return await this.#refresh(parameters);
      default:
        throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
    }
  }

  /** Revokes the sign-in that a token belongs to. Other tokens are ignored, as RFC 7009 says. */
  async revoke(parameters: Parameters): Promise<void> {
    const client = await hashText(required(parameters, "client_id"));
    const token = required(parameters, "token");
    for (const kind of ["refresh", "access"] as const) {
      const opened = await this.#sealer.open(kind, token);
      if (typeof opened === "string" || opened.content["client"] !== client) continue;
      await this.#revokeSession(String(opened.content["session"]));
    }
  }

  async #exchange(parameters: Parameters): Promise<JsonObject> {
    const opened = await this.#open("code", required(parameters, "code"));
    const { id, authorization, code, verifier, nonce } = opened.content as CodeContent;
    const { client, redirectUri, challenge, scopes } = authorization;
    await this.#checkClient(parameters, client);
    if (parameters.get("redirect_uri") !== redirectUri) {
      throw invalidGrant("redirect_uri is not that of the authorization");
    }
    const given = parameters.get("code_verifier") ?? "";
    if (!/^[\w.~-]{43,128}$/.test(given) || !isSameText(challenge, await hashText(given))) {
      throw invalidGrant("code_verifier does not match the code_challenge");
    }
    if (!await this.#use(id, opened.expSeconds)) throw invalidGrant(USED);
    const grant = await this.#upstream.exchange(code, { verifier, nonce });
    return await this.#issuer.issue({ client, session: crypto.randomUUID(), scopes, wanted: scopes, grant });
  }

  async #refresh(parameters: Parameters): Promise<JsonObject> {
    const opened = await this.#open("refresh", required(parameters, "refresh_token"));
    const { id, client, session, scopes, subject, claims, ...tokens } = opened.content as RefreshContent;
    await this.#checkClient(parameters, client);
    const wanted = parameters.get("scope")?.split(" ").filter(Boolean) ?? scopes;
    if (!wanted.every((scope) => scopes.includes(scope))) {
      throw new OAuthError("invalid_scope", "A refresh can only narrow the scopes");
    }
    if (await this.#config.store?.has(revokedKey(session))) throw invalidGrant("the sign-in was revoked");
    if (await this.#config.store?.has(usedKey(id))) await this.#endReused(session);
    const { refreshToken, accessToken } = tokens;
    const saved = { ...(refreshToken !== null && { refreshToken }), ...(accessToken !== null && { accessToken }) };
    const grant = await this.#upstream.refresh({ subject, claims, ...saved });
    // After the provider has answered: a client may send the token again if it has not.
    if (!await this.#use(id, opened.expSeconds)) await this.#endReused(session);
    return await this.#issuer.issue({ client, session, scopes, wanted, grant });
  }

  async #open(kind: "code" | "refresh", token: string): Promise<Opened> {
    const opened = await this.#sealer.open(kind, token);
    if (typeof opened === "string") throw invalidGrant(`it is ${opened}`);
    return opened;
  }

  async #checkClient(parameters: Parameters, client: string): Promise<void> {
    if (await hashText(required(parameters, "client_id")) !== client) {
      throw invalidGrant("it was issued to another client");
    }
    checkResource(parameters.get("resource"), this.#config.resource);
  }

  /** Marks a code or a refresh token as used. Returns whether this is its first use; without a store the provider decides. */
  async #use(id: string, expSeconds: number): Promise<boolean> {
    return await this.#config.store?.add(usedKey(id), (expSeconds + KEPT_SECONDS) * 1000) ?? true;
  }

  /** Ends the sign-in of a refresh token that was used twice: one of the two users is not the client. */
  async #endReused(session: string): Promise<never> {
    await this.#revokeSession(session);
    throw invalidGrant(USED);
  }

  async #revokeSession(session: string): Promise<void> {
    const { refreshTokenSeconds, accessTokenSeconds } = this.#config;
    const seconds = this.#sealer.nowSeconds + Math.max(refreshTokenSeconds, accessTokenSeconds) + KEPT_SECONDS;
    await this.#config.store?.add(revokedKey(session), seconds * 1000);
  }
}

const USED = "it was used before";

function usedKey(id: string): string {
  return `used ${id}`;
}

/** Key of the option `store` for a revoked sign-in. @param session Id of the sign-in, which all its tokens have. */
export function revokedKey(session: string): string {
  return `revoked ${session}`;
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value) return value;
  throw new OAuthError("invalid_request", `The parameter ${name} is missing`);
}

function invalidGrant(reason: string): OAuthError {
  return new OAuthError("invalid_grant", `The code or refresh token is refused: ${reason}`);
}
