/** Identity providers, as values: `oidc()` and `oauth()`. */
import type { MaybePromise } from "../../internal/async.ts";
import { isConfidential } from "../../internal/http.ts";
import type { JsonObject } from "../../internal/json.ts";
import {
  checkOptions,
  FUNCTION,
  OBJECT,
  type OptionRules,
  required,
  rule,
  TEXT,
  TEXTS,
} from "../../internal/options.ts";

/** This server's registration as a client at an identity provider. Register `<issuer>/callback` there, with the `issuer` of `signIn`. */
export interface ProviderClient {
  /** Client id at the provider. */
  readonly clientId: string;
  /** Client secret at the provider. It is never sent to MCP clients. */
  readonly clientSecret?: string | undefined;
  /** Scopes that are requested from the provider. They replace those of a preset. */
  readonly scopes?: readonly string[] | undefined;
  /** Further parameters of the authorization request, such as `{ hd: "example.com" }`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** Options of {@link oidc}. */
export interface OidcOptions extends ProviderClient {
  /** Issuer of the id tokens, to the letter: `https://login.example`. Its metadata name the endpoints. */
  readonly issuer: string;
  /** Name of the provider on the consent page. Default: the host of the issuer. */
  readonly name?: string | undefined;
}

/** Options of {@link oauth}. */
export interface OAuthOptions extends OidcOptions {
  /** URL of the authorization endpoint. */
  readonly authorizationUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /**
   * Asks the provider whose token it is, and returns the user with an id that never changes. Throws `ToolError("unauthenticated", …)` if
   * the token is no longer valid. `send` is the `fetch` of the sign-in.
   */
  readonly identify: (
    accessToken: string,
    send: (url: string, init: RequestInit) => Promise<Response>,
  ) => MaybePromise<ProviderUser>;
}

/** A user, as `identify` of {@link oauth} returns it. */
export interface ProviderUser {
  /** Id that never changes, and that no other user gets later. Not an e-mail address. */
  readonly subject: string;
  /** Claims about the user. */
  readonly claims: JsonObject;
}

/** Identity provider for the option `provider` of `signIn`. Returned by {@link oidc}, {@link oauth} and the presets, such as `google`. */
export interface SignInProvider {
  /** Name on the consent page. */
  readonly name: string;
  /**
   * Settings of the provider.
   *
   * @internal
   */
  readonly "~provider": OidcOptions & Partial<OAuthOptions>;
}

const URL_RULE = rule(
  "an https URL",
  (value) => typeof value === "string" && URL.canParse(value) && isConfidential(new URL(value)),
);

const RULES: OptionRules<OidcOptions> = {
  issuer: required(URL_RULE),
  clientId: required(TEXT),
  // The value is not shown.
  clientSecret: TEXT,
  scopes: TEXTS,
  parameters: rule(
    "an object of texts",
    (value) => OBJECT.fits(value) && Object.values(value as object).every(TEXT.fits),
  ),
  name: TEXT,
};

/**
 * Provider for `signIn` with OpenID Connect, whose endpoints are discovered from the issuer. The user is the subject of the id token.
 *
 * @param options `scopes` are `["openid", "profile", "email"]` by default. Add `offline_access` if the provider needs it for a refresh token.
 * @throws {TypeError} If an option is missing, unknown or invalid.
 */
export function oidc(options: OidcOptions): SignInProvider {
  checkOptions("use an OpenID provider", options, RULES);
  const scopes = options.scopes ?? ["openid", "profile", "email"];
  if (!scopes.includes("openid")) {
    throw new TypeError('Cannot use an OpenID provider: scopes must contain "openid", which brings the id token');
  }
  return createProvider({ ...options, scopes });
}

/**
 * Provider for `signIn` with OAuth 2.0 alone, without discovery and id tokens: `identify` asks its API for the user.
 *
 * @throws {TypeError} If an option is missing, unknown or invalid.
 */
export function oauth(options: OAuthOptions): SignInProvider {
  checkOptions<OAuthOptions>("use an OAuth provider", options, {
    ...RULES,
    authorizationUrl: required(URL_RULE),
    tokenUrl: required(URL_RULE),
    identify: required(FUNCTION),
  });
  return createProvider(options);
}

function createProvider(settings: SignInProvider["~provider"]): SignInProvider {
  return { name: settings.name ?? new URL(settings.issuer).host, "~provider": settings };
}
