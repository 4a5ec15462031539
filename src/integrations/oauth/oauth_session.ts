/**
 * The tokens of one server. They are requested when needed, renewed once for all waiting calls, and not requested again if that cannot
 * help.
 */
import { DPoP, type DPoPHandle } from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { type Clock, systemClock } from "../../internal/time.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { type Challenge, discoverTokenSource, isSameIssuer, readServer } from "./discovery.ts";
import { AuthServerClient, hasAuthErrorCode } from "./auth_server_client.ts";
import type { GrantFlow, GrantRequest } from "./grant.ts";
import {
  type IssuedTokens,
  type OAuthStore,
  type StoredTokens,
  TokenStorage,
  TokenStoreError,
} from "./token_storage.ts";

/** A key pair of Web Crypto for DPoP. The global `CryptoKeyPair` fits; its type is only in the DOM library, Bun and Workers. */
export interface DpopKeys {
  /** Public key, for `verify`. It must be extractable, since requests have it in their proofs. */
  readonly publicKey: CryptoKey;
  /** Private key, for `sign`. */
  readonly privateKey: CryptoKey;
}

/** Options of {@link OAuthSession}. */
export interface OAuthSessionOptions {
  readonly url: URL;
  readonly flow: GrantFlow;
  readonly store: OAuthStore;
  readonly scopes: readonly string[] | undefined;
  readonly dpop: DpopKeys | undefined;
  readonly send: FetchFunction;
}

/** Result of a renewal. */
type Renewing = Promise<StoredTokens | undefined>;

/** Replaces the known tokens and stores the new ones. */
type Renew = (known: StoredTokens | undefined, storage: TokenStorage) => Renewing;

/** Maximum time between the renewal of a token and its expiry, in milliseconds. Limited to a tenth of its lifetime. */
const MARGIN_MS = 30_000;

/** Maximum lifetime of a token in milliseconds: a year. A longer one is reduced to it. */
const MAX_LIFE_MS = 31_536_000_000;

/** Error codes after which a refresh token, or its client, is no longer valid. */
const INVALID_GRANT = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** Requests, returns, renews, stores and deletes the tokens for one resource server. Calls at the same time share one renewal. */
export class OAuthSession {
  /** Creates DPoP proofs, if tokens are bound to a key. */
  readonly dpop: DPoPHandle | undefined;
  readonly #options: OAuthSessionOptions;
  readonly #authServer: AuthServerClient;
  readonly #clock: Clock = systemClock;
  /** Replaced when the tokens are deleted, so that earlier requests store nothing. */
  #storage: TokenStorage;
  #deleting: Promise<unknown> | undefined;
  #renewing: { readonly result: Renewing; readonly isEarly: boolean } | undefined;
  /** The newest token, until the server has accepted it, and whether it was the result of a refresh token. */
  #unconfirmed: { readonly accessToken: string; readonly isRefreshed: boolean } | undefined;

  constructor(options: OAuthSessionOptions) {
    this.#options = options;
    this.#authServer = new AuthServerClient(options.send, options.url);
    this.#storage = new TokenStorage(options.store, options.url);
    this.dpop = options.dpop && DPoP({}, options.dpop);
  }

  /** Returns the tokens to send, refreshed if they are due; `undefined` without tokens, or if they expired and cannot be refreshed. */
  async current(): Promise<StoredTokens | undefined> {
    const known = await this.#known();
    if (known === undefined || !this.#isDue(known)) return known;
    const isRenewable = known.refreshToken !== undefined && this.#options.flow.refresh !== undefined;
    if (!isRenewable) return this.#isValid(known) ? known : undefined;
    try {
      return await this.#renewOnce(known, undefined, (due, storage) => this.#refresh(due, storage));
    } catch (thrown) {
      // The old token is still valid. An error of the store is thrown, since the new tokens are lost.
      if (thrown instanceof ToolError && !(thrown instanceof TokenStoreError) && this.#isValid(known)) return known;
      throw thrown;
    }
  }

  /** Records that the server has accepted a token. If it is rejected later, another one is requested. */
  confirm({ accessToken }: StoredTokens): void {
    if (this.#unconfirmed?.accessToken === accessToken) this.#unconfirmed = undefined;
  }

  /**
   * Returns other tokens after the server rejected the current ones, or required some; `undefined` if that would not help.
   *
   * @param isRequested Whether the user requested it: then it is tried even if it did not help before.
   */
  async renew(
    rejected: StoredTokens | undefined,
    challenge: Challenge,
    isRequested: boolean = false,
  ): Promise<StoredTokens | undefined> {
    return await this.#renewOnce(rejected, challenge, async (known, storage) => {
      if (!isRequested && this.#isHopeless(known, rejected, challenge)) return undefined;
      return await this.#obtain(known, rejected, challenge, storage);
    });
  }

  /** Deletes the tokens and client registrations. The results of pending requests are not stored. */
  async signOut(): Promise<void> {
    const { store, url } = this.#options;
    const closed = this.#storage.close();
    this.#storage = new TokenStorage(store, url);
    this.#deleting = Promise.allSettled([this.#deleting, closed]);
    this.#renewing = undefined;
    this.#unconfirmed = undefined;
    await closed;
  }

  /** Renews the tokens once for all calls whose tokens were rejected, and returns the result to each of them. */
  async #renewOnce(
    rejected: StoredTokens | undefined,
    challenge: Challenge | undefined,
    renew: Renew,
  ): Promise<StoredTokens | undefined> {
    for (;;) {
      const storage = this.#storage;
      const known = await this.#known();
      // The tokens were deleted meanwhile.
      if (storage !== this.#storage) continue;
      if (known !== undefined && this.#isOther(known, rejected, challenge)) return known;
      // On runtimes where requests cannot wait for each other, each one renews.
      if (this.#clock.isPerRequest) return await renew(known, storage);
      if (this.#renewing === undefined) return await this.#share(renew(known, storage), challenge === undefined);
      const { result, isEarly } = this.#renewing;
      const renewed = await result;
      if (renewed !== undefined && hasScopes(renewed, challenge)) return renewed;
      // After an early renewal that failed, the grant itself is tried for a call whose token was rejected.
      if (renewed === undefined && (challenge === undefined || !isEarly)) return undefined;
    }
  }

  /** Shares a renewal with other calls until it has ended. @param isEarly Whether no token was rejected yet. */
  async #share(result: Renewing, isEarly: boolean): Renewing {
    const renewing = { result, isEarly };
    this.#renewing = renewing;
    try {
      return await result;
    } finally {
      if (this.#renewing === renewing) this.#renewing = undefined;
    }
  }

  /** Whether tokens differ from the rejected ones, are not due for renewal, and have the required scopes. */
  #isOther(known: StoredTokens, rejected: StoredTokens | undefined, challenge: Challenge | undefined): boolean {
    if (known.accessToken === rejected?.accessToken || this.#isDue(known)) return false;
    return hasScopes(known, challenge);
  }

  /** Whether a renewal would have the same result as before. */
  #isHopeless(known: StoredTokens | undefined, rejected: StoredTokens | undefined, challenge: Challenge): boolean {
    if (challenge.isInsufficient) return challenge.scopes === undefined || covers(known?.scopes, challenge.scopes);
    return this.#unconfirmedOf(rejected)?.isRefreshed === false;
  }

  #unconfirmedOf(tokens: StoredTokens | undefined): { readonly isRefreshed: boolean } | undefined {
    return this.#unconfirmed?.accessToken === tokens?.accessToken ? this.#unconfirmed : undefined;
  }

  async #obtain(
    known: StoredTokens | undefined,
    rejected: StoredTokens | undefined,
    challenge: Challenge,
    storage: TokenStorage,
  ): Promise<StoredTokens | undefined> {
    const { url, flow } = this.#options;
    const source = await discoverTokenSource(url, challenge, flow.issuer, this.#authServer);
    if (source === undefined) return undefined;
    const { resource, server } = source;
    const current = known?.issuer === server.issuer ? known : undefined;
    const request = this.#request(source, storage, this.#scopesFor(current, challenge, source.scopes));
    if (current !== undefined && !challenge.isInsufficient && this.#unconfirmedOf(rejected) === undefined) {
      const refreshed = await this.#tryRefresh(current, { ...request, scopes: current.scopes });
      if (refreshed !== undefined) return refreshed;
    }
    const stored = await this.#save(await flow.obtain(request), server.issuer, resource, storage);
    this.#unconfirmed = { accessToken: stored.accessToken, isRefreshed: false };
    return stored;
  }

  async #refresh(known: StoredTokens | undefined, storage: TokenStorage): Promise<StoredTokens | undefined> {
    if (known === undefined) return undefined;
    const server = await readServer(known.issuer, this.#authServer);
    return await this.#tryRefresh(known, this.#request({ resource: known.resource, server }, storage, known.scopes));
  }

  /**
   * Requests tokens with the refresh token; `undefined` without one, or if it is no longer valid. Another process with the same store may
   * have renewed them meanwhile: then its tokens are returned.
   */
  async #tryRefresh(known: StoredTokens, request: GrantRequest): Promise<StoredTokens | undefined> {
    if (known.refreshToken === undefined || this.#options.flow.refresh === undefined) return undefined;
    return await request.storage.whileLocked(async () => {
      const stored = await this.#known();
      if (stored === undefined || stored.accessToken === known.accessToken) return await this.#use(known, request);
      return this.#isDue(stored) ? await this.#use(stored, request) : stored;
    });
  }

  async #use(known: StoredTokens, request: GrantRequest): Promise<StoredTokens | undefined> {
    const { refreshToken, issuer, resource, client } = known;
    const { flow } = this.#options;
    const { storage } = request;
    if (refreshToken === undefined || flow.refresh === undefined) return undefined;
    try {
      const stored = await this.#save(await flow.refresh(request, refreshToken, client), issuer, resource, storage);
      this.#unconfirmed = { accessToken: stored.accessToken, isRefreshed: true };
      return stored;
    } catch (thrown) {
      if (!(thrown instanceof ToolError)) throw thrown;
      if (!hasAuthErrorCode(thrown, ...INVALID_GRANT)) throw renewalError(thrown);
      // Without locks another process may have used the refresh token first.
      const stored = await this.#known();
      if (stored !== undefined && stored.accessToken !== known.accessToken) return stored;
      await storage.deleteTokens();
      if (hasAuthErrorCode(thrown, "invalid_client", "unauthorized_client")) await storage.deleteClient(issuer);
      return undefined;
    }
  }

  async #save(
    issued: IssuedTokens,
    issuer: string,
    resource: string | undefined,
    storage: TokenStorage,
  ): Promise<StoredTokens> {
    const { expiresInSeconds = 0, ...tokens } = issued;
    const lifetimeMs = Math.min(expiresInSeconds * 1_000, MAX_LIFE_MS);
    // A token without a lifetime is used until it is rejected.
    const endsAtMs = lifetimeMs > 0 ? this.#clock.now() + lifetimeMs : undefined;
    const stored = {
      ...tokens,
      issuer,
      resource,
      renewAtMs: endsAtMs && endsAtMs - Math.min(MARGIN_MS, lifetimeMs / 10),
      endsAtMs,
      keyThumbprint: await this.dpop?.calculateThumbprint(),
    };
    await storage.saveTokens(stored);
    return stored;
  }

  /** Returns the stored tokens, unless they are bound to another key, or of another issuer than the required one. */
  async #known(): Promise<StoredTokens | undefined> {
    // On runtimes where requests cannot wait for each other, they do not wait for this either.
    if (!this.#clock.isPerRequest) await this.#deleting;
    const known = await this.#storage.tokens();
    const { issuer } = this.#options.flow;
    if (known === undefined || (issuer !== undefined && !isSameIssuer(known.issuer, issuer))) return undefined;
    return known.keyThumbprint === await this.dpop?.calculateThumbprint() ? known : undefined;
  }

  #isDue({ renewAtMs }: StoredTokens): boolean {
    return renewAtMs !== undefined && this.#clock.now() >= renewAtMs;
  }

  #isValid({ endsAtMs }: StoredTokens): boolean {
    return endsAtMs !== undefined && this.#clock.now() < endsAtMs;
  }

  /** Scopes to request: those of the last request, and those that the server requires now, or else all that it supports. */
  #scopesFor(
    known: StoredTokens | undefined,
    { scopes: needed, isInsufficient }: Challenge,
    supported: readonly string[] | undefined,
  ): readonly string[] | undefined {
    const { scopes: wanted } = this.#options;
    const first = isInsufficient ? needed : wanted ?? needed ?? supported;
    const all = new Set([...known?.scopes ?? [], ...first ?? []]);
    return all.size === 0 ? undefined : [...all];
  }

  #request(
    { resource, server }: Pick<GrantRequest, "resource" | "server">,
    storage: TokenStorage,
    scopes: readonly string[] | undefined,
  ): GrantRequest {
    return { server, resource, scopes, authServer: this.#authServer, storage, dpop: this.dpop };
  }
}

/** Any other response, such as the page of a firewall, does not invalidate the refresh token, so that the error is temporary. */
function renewalError(cause: ToolError): ToolError {
  if (cause.code === "unavailable") return cause;
  return new ToolError("unavailable", `Cannot renew the token now: ${cause.message}`, { cause });
}

/** Whether tokens have the scopes that a challenge requires. */
function hasScopes({ scopes }: StoredTokens, challenge: Challenge | undefined): boolean {
  return !challenge?.isInsufficient || covers(scopes, challenge.scopes);
}

/** Whether the required scopes are among the requested ones. */
function covers(requested: readonly string[] | undefined, needed: readonly string[] | undefined): boolean {
  return needed?.every((scope) => requested?.includes(scope)) ?? true;
}
