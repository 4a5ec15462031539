/** Options of a sign-in, and their validation. */
import type { Principal } from "../../core/call/call.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { isConfidential } from "../../internal/http.ts";
import type { JsonObject } from "../../internal/json.ts";
import {
  ANYTHING,
  checkOptions,
  FUNCTION,
  oneOf,
  type OptionRules,
  required,
  rule,
  TEXT,
  TEXTS,
  wholeNumber,
} from "../../internal/options.ts";
import type { FetchDocument } from "./client_document.ts";
import type { SignInProvider } from "./provider.ts";
import { redirectProblem } from "./redirect_uri.ts";

/** A user who has signed in at the identity provider: the argument of the option `principal`. */
export interface SignedInUser {
  /** Id of the user at the provider: the claim `sub`. */
  readonly subject: string;
  /** Claims of the id token, or what `identify` of `oauth()` returned. */
  readonly claims: JsonObject;
  /** Scopes of this server that the client may get. */
  readonly scopes: readonly string[];
  /** Scopes that the provider has granted; `undefined` if it has not stated them. */
  readonly providerScopes: readonly string[] | undefined;
}

/** Storage that all replicas share, for ids of used codes, used refresh tokens and revoked sign-ins. Tokens are not stored. */
export interface SignInStore {
  /**
   * Stores a key until a time, in milliseconds since the Unix epoch. Returns whether it is new. Has to be atomic, such as `SET … NX PXAT`
   * of Redis.
   */
  add(key: string, untilMs: number): MaybePromise<boolean>;
  /** Whether a key is stored. */
  has(key: string): MaybePromise<boolean>;
}

/** An OAuth client in the option `clients` of `signIn`. It is public: it has no secret. */
export interface ListedClient {
  /** Client id, which the client is configured with. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Allowed redirect URIs. The port of `http` loopback addresses may differ. */
  readonly redirectUris: readonly string[];
}

/** Options of `signIn`. */
export interface SignInOptions {
  /** Identity provider: `google({ … })`, `github({ … })`, `oidc({ … })` or another function of this entry. */
  readonly provider: SignInProvider;
  /** Public URL of the protected resource, such as `https://api.example/mcp`. It includes all paths below it. */
  readonly resource: string;
  /**
   * Secrets of the tokens: `kid:secret`, separated by commas, or a list of them. The first seals, all open. All replicas need the same.
   * A secret has at least 32 bytes.
   */
  readonly keys: string | readonly string[];
  /** Public URL of this authorization server. The endpoints are below it. Default: the origin of `resource`. */
  readonly issuer?: string | undefined;
  /** Scopes of this server that clients may request. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /** Name of this server on the consent page. Default: the host of `resource`. */
  readonly name?: string | undefined;
  /** The only clients. Default: every client with a metadata document, or that registers. */
  readonly clients?: readonly ListedClient[] | undefined;
  /** Whether access tokens carry the provider's access token, for `upstreamTokens(ctx)`. Default: `"identity"`, which does not. */
  readonly upstream?: "identity" | "tokens" | undefined;
  /**
   * Returns the principal of a user; `undefined` or `null` refuses the user. Scopes beyond those of the user's consent are dropped. Called at each
   * sign-in and refresh. Default: the subject, the scopes, and the claims `name`, `email`, `email_verified` and `preferred_username`.
   */
  readonly principal?: ((user: SignedInUser) => MaybePromise<Principal<object> | null | undefined>) | undefined;
  /** Detects reused codes and refresh tokens, and adds the endpoint `/revoke`. Default: none; the provider still refuses reused codes. */
  readonly store?: SignInStore | undefined;
  /** Lifetime of an access token in seconds. It ends with that of the provider at the latest. Default: 3,600. */
  readonly accessTokenSeconds?: number | undefined;
  /** Lifetime of an unused refresh token in seconds. Default: 2,592,000, which is 30 days. */
  readonly refreshTokenSeconds?: number | undefined;
  /** Replaces the global `fetch` for requests to the provider. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Fetches metadata documents of clients, from URLs that any caller can choose. Default: public addresses only, which needs `node:https`. */
  readonly fetchDocument?: FetchDocument | undefined;
}

/** The options of `signIn` after validation, with defaults. */
export interface SignInConfig extends SignInOptions {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly name: string;
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const PUBLIC_URL = rule("an https URL without a query, a fragment or a slash at its end", isPublicUrl);

const RULES: OptionRules<SignInOptions> = {
  provider: required(
    rule('a provider, such as google({ … }) of "toolwire/sign-in"', (value) => Boolean(Object(value)["~provider"])),
  ),
  resource: required(PUBLIC_URL),
  // Checked by the key ring, with messages that never contain a secret.
  keys: ANYTHING,
  issuer: PUBLIC_URL,
  scopes: rule("an array of scopes without spaces", (value) => TEXTS.fits(value) && (value as string[]).every(isScope)),
  name: TEXT,
  clients: rule("an array of { id, name, redirectUris }, with redirect URIs that are allowed", isClientList),
  upstream: oneOf("identity", "tokens"),
  principal: FUNCTION,
  store: rule("an object with the functions add and has", (value) => {
    return ["add", "has"].every((name) => typeof Object(value)[name] === "function");
  }),
  accessTokenSeconds: wholeNumber(1, "seconds"),
  refreshTokenSeconds: wholeNumber(1, "seconds"),
  fetch: FUNCTION,
  fetchDocument: FUNCTION,
};

/** Validates the options of `signIn`, and adds the defaults. @throws {TypeError} If an option is missing, unknown or invalid. */
export function validateSignIn(options: SignInOptions): Omit<SignInConfig, "now"> {
  checkOptions("sign users in", options, RULES);
  const { origin, host } = new URL(options.resource);
  return {
    ...options,
    issuer: options.issuer ?? origin,
    scopes: options.scopes ?? [],
    name: options.name ?? host,
    accessTokenSeconds: options.accessTokenSeconds ?? 3_600,
    refreshTokenSeconds: options.refreshTokenSeconds ?? 2_592_000,
  };
}

function isPublicUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && isConfidential(new URL(value)) && !/[?#@]|\/$/.test(value);
}

/** Grammar of RFC 6749, section 3.3. */
function isScope(scope: string): boolean {
  return /^[!#-[\]-~]+$/.test(scope);
}

function isClientList(value: unknown): boolean {
  return Array.isArray(value) && value.every((client) => {
    const { id, name, redirectUris } = Object(client);
    return TEXT.fits(id) && TEXT.fits(name) && Array.isArray(redirectUris) && redirectUris.length > 0 &&
      redirectUris.every((uri) => redirectProblem(uri) === undefined);
  });
}
