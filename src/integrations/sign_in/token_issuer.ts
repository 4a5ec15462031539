/**
 * Tokens of this server: access tokens and refresh tokens, sealed. The tokens of the provider are inside of them, and are never sent in
 * any other form.
 */
import type { Principal } from "../../core/call/call.ts";
import type { JsonObject } from "../../internal/json.ts";
import type { SignedInUser, SignInConfig } from "./config.ts";
import { OAuthError } from "./oauth_error.ts";
import type { Sealer } from "./sealer.ts";
import type { UpstreamGrant } from "./upstream.ts";

/** Content of a sealed access token of this server. Clients cannot read it. */
export interface AccessContent extends JsonObject {
  /** The resource that it is for. */
  readonly aud: string;
  /** SHA-256 of the id of the client. */
  readonly client: string;
  /** Id of the sign-in, for revocation. */
  readonly session: string;
  readonly principal: JsonObject & Principal;
  /** The provider's tokens, if handlers want them. */
  readonly upstream: JsonObject | null;
}

/** Content of a sealed refresh token of this server, with the provider's token that a refresh needs. Clients cannot read it. */
export interface RefreshContent extends JsonObject {
  /** Unique id, which is used once. */
  readonly id: string;
  readonly client: string;
  readonly session: string;
  /** Scopes of the user's consent. */
  readonly scopes: readonly string[];
  readonly subject: string;
  readonly claims: JsonObject;
  readonly refreshToken: string | null;
  readonly accessToken: string | null;
}

/** What tokens are issued for: a new sign-in or a refresh of one, with the response of the provider in `grant`. */
export interface SignedIn {
  readonly client: string;
  readonly session: string;
  /** Scopes of the user's consent. */
  readonly scopes: readonly string[];
  /** The scopes that this request for a token asks for, at most those of the consent. */
  readonly wanted: readonly string[];
  readonly grant: UpstreamGrant;
}

/** Longest access token in characters: the whole header of a request has 8 kB at many servers. */
const MAX_ACCESS_CHARS = 6_000;

/** Claims of the default principal. */
const CLAIMS: readonly string[] = ["name", "email", "email_verified", "preferred_username"];

/** Issues encrypted access tokens, and refresh tokens if the provider can be asked again, for users who signed in. */
export class TokenIssuer {
  readonly #config: SignInConfig;
  readonly #sealer: Sealer;

  constructor(config: SignInConfig, sealer: Sealer) {
    this.#config = config;
    this.#sealer = sealer;
  }

  /** Returns the response of the token endpoint. @throws {OAuthError} If the user is refused, or the token would be too long. */
  async issue(signedIn: SignedIn): Promise<JsonObject> {
    const { client, session, grant } = signedIn;
    const principal = await this.#principalOf(signedIn);
    const { accessToken, scopes, expiresInSeconds: ends = Infinity } = grant;
    const seconds = Math.floor(Math.min(this.#config.accessTokenSeconds, ends));
    const upstream = this.#config.upstream === "tokens" ? { accessToken, scopes: scopes ?? null } : null;
    const content: AccessContent = { aud: this.#config.resource, client, session, principal, upstream };
    const access = await this.#sealer.seal("access", content, seconds);
    if (access.length > MAX_ACCESS_CHARS) {
      throw new OAuthError("invalid_grant", "The access token would be too long for a header", {
        reason: `${access.length} characters are more than ${MAX_ACCESS_CHARS}: return fewer claims from principal()` +
          (upstream === null ? "" : ', or use upstream: "identity"'),
      });
    }
    const refresh = await this.#refreshToken(signedIn);
    return {
      access_token: access,
      token_type: "Bearer",
      expires_in: seconds,
      scope: (principal.scopes ?? []).join(" "),
      ...(refresh !== undefined && { refresh_token: refresh }),
    };
  }

  /** A refresh token, if the provider can be asked again: by its refresh token, or by an access token that does not expire. */
  async #refreshToken({ client, session, scopes, grant }: SignedIn): Promise<string | undefined> {
    const { subject, claims, refreshToken = null, accessToken, expiresInSeconds } = grant;
    const canIdentify = this.#config.provider["~provider"].identify !== undefined && expiresInSeconds === undefined;
    if (refreshToken === null && !canIdentify) return undefined;
    const content: RefreshContent = {
      id: crypto.randomUUID(),
      client,
      session,
      scopes,
      subject,
      claims,
      refreshToken,
      accessToken: refreshToken === null ? accessToken : null,
    };
    return await this.#sealer.seal("refresh", content, this.#config.refreshTokenSeconds);
  }

  async #principalOf({ wanted, grant }: SignedIn): Promise<AccessContent["principal"]> {
    const { principal: principalOf = defaultPrincipal, provider } = this.#config;
    const { subject, claims, scopes: providerScopes } = grant;
    const asked = provider["~provider"].scopes ?? [];
    // A scope that the provider knows too is granted by it.
    const allowed = wanted.filter((one) => !asked.includes(one) || providerScopes?.includes(one) !== false);
    const found = await principalOf({ subject, claims, scopes: allowed, providerScopes });
    if (found === undefined || found === null) {
      throw new OAuthError("access_denied", "This user may not use this server");
    }
    const { id, tenant, scopes = allowed, claims: kept } = found;
    const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
    if (!isText(id) || (tenant !== undefined && !isText(tenant))) {
      throw new TypeError(
        "principal() has to return { id, tenant?, scopes?, claims? }, id and tenant texts that are not empty",
      );
    }
    // The token has their JSON.
    const claimsMember = kept !== undefined && { claims: kept as JsonObject };
    return {
      id,
      ...(tenant !== undefined && { tenant }),
      scopes: allowed.filter((one) => scopes.includes(one)),
      ...claimsMember,
    };
  }
}

function defaultPrincipal({ subject, scopes, claims }: SignedInUser): Principal {
  return {
    id: subject,
    scopes,
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => CLAIMS.includes(name))),
  };
}
