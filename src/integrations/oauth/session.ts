/**
 * The tokens of one server: had when they are needed, renewed once for all who wait, and asked for again no more often than that can
 * help.
 *
 * @module
 */
import { DPoP, type DPoPHandle } from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { type Clock, systemClock } from "../../internal/time.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Challenge } from "./challenge.ts";
import { Courier } from "./auth_server_client.ts";
import { discover, isSameIssuer, readServer } from "./discovery.ts";
import type { GrantFlow, GrantRequest, IssuedTokens } from "./grant.ts";
import { isRefusedBy } from "./refusal.ts";
import { type OAuthStore, type StoredTokens, StoreFault, Vault } from "./token_storage.ts";

/** What a session is about. */
export interface SessionOptions {
  readonly url: URL;
  readonly flow: GrantFlow;
  readonly store: OAuthStore;
  readonly scopes: readonly string[] | undefined;
  readonly dpop: CryptoKeyPair | undefined;
  readonly send: FetchFunction;
}

/** What becomes of a renewal. */
type Renewing = Promise<StoredTokens | undefined>;

/** Gets other tokens than those that are known, and keeps them in a vault. */
type Work = (known: StoredTokens | undefined, vault: Vault) => Renewing;

/** How long before its end a token is renewed, in milliseconds; sooner, if it lasts but minutes. */
const MARGIN_MS = 30_000;

/** Longest life of a token that is believed, in milliseconds: a year. */
const MAX_LIFE_MS = 31_536_000_000;

/** What an authorization server says of a refresh token, or of whom it was issued to, that nobody has a use for any more. */
const OVER = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** Keeps the tokens of one server. */
export class Session {
  /** Proves possession of the key that tokens are bound to. */
  readonly dpop: DPoPHandle | undefined;
  readonly #options: SessionOptions;
  readonly #clock: Clock = systemClock;
  /** Another one after each time that all is forgotten: what has begun before keeps nothing. */
  #vault: Vault;
  #forgetting: Promise<unknown> | undefined = undefined;
  #renewing: { readonly becomes: Renewing; readonly isAhead: boolean } | undefined = undefined;
  /** The newest token, which the server has not taken yet, and whether a refresh token was all that it took. */
  #unproven: { readonly accessToken: string; readonly isRefreshed: boolean } | undefined = undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#vault = new Vault(options.store, options.url);
    this.dpop = options.dpop && DPoP({}, options.dpop);
  }

  /** Tokens to send; `undefined` if there are none yet. */
  async current(): Promise<StoredTokens | undefined> {
    const known = await this.#known();
    if (known === undefined || !this.#isDue(known)) return known;
    const isRenewable = known.refreshToken !== undefined && this.#options.flow.refresh !== undefined;
    if (!isRenewable) return this.#isGood(known) ? known : undefined;
    try {
      return await this.#once(known, undefined, (due, vault) => this.#refresh(due, vault));
    } catch (thrown) {
      // It was ahead of time. But tokens that are not kept are lost, and somebody has to hear of it.
      if (thrown instanceof ToolError && !(thrown instanceof StoreFault) && this.#isGood(known)) return known;
      throw thrown;
    }
  }

  /** The server has taken a token. */
  proven({ accessToken }: StoredTokens): void {
    if (this.#unproven?.accessToken === accessToken) this.#unproven = undefined;
  }

  /**
   * Other tokens, after the server has not taken these, or wanted some; `undefined` if that would not help.
   *
   * @param isWanted Whether somebody has just said that they want it: then what did not help before is tried again.
   */
  async renew(
    refused: StoredTokens | undefined,
    challenge: Challenge,
    isWanted: boolean = false,
  ): Promise<StoredTokens | undefined> {
    return await this.#once(refused, challenge, async (known, vault) => {
      if (!isWanted && this.#isHopeless(known, refused, challenge)) return undefined;
      return await this.#obtain(known, refused, challenge, vault);
    });
  }

  /** Forgets the tokens, and what the client is called where they come from; also those that are still to come. */
  async forget(): Promise<void> {
    const { store, url } = this.#options;
    const closed = this.#vault.close();
    this.#vault = new Vault(store, url);
    this.#forgetting = Promise.allSettled([this.#forgetting, closed]);
    this.#renewing = undefined;
    this.#unproven = undefined;
    await closed;
  }

  /** Does it once for all who wait for other tokens than those that were refused, and gives them what has become of it. */
  async #once(
    refused: StoredTokens | undefined,
    challenge: Challenge | undefined,
    work: Work,
  ): Promise<StoredTokens | undefined> {
    for (;;) {
      const vault = this.#vault;
      const known = await this.#known();
      // Forgotten meanwhile.
      if (vault !== this.#vault) continue;
      if (known !== undefined && this.#isNews(known, refused, challenge)) return known;
      // Where what one request waits for cannot be waited for by another, each does it for itself.
      if (this.#clock.isPerRequest) return await work(known, vault);
      if (this.#renewing === undefined) return await this.#begin(work(known, vault), challenge === undefined);
      const { becomes, isAhead } = this.#renewing;
      const renewed = await becomes;
      if (renewed !== undefined && goesFarEnough(renewed, challenge)) return renewed;
      // A refresh token that is over does not keep the grant from giving others to whom the server has refused these.
      const isAllThereIs = renewed === undefined && (challenge === undefined || !isAhead);
      if (isAllThereIs) return undefined;
    }
  }

  /** Lets others wait for it, until it has ended. @param isAhead Whether the server has not refused anything yet. */
  async #begin(becomes: Renewing, isAhead: boolean): Renewing {
    const renewing = { becomes, isAhead };
    this.#renewing = renewing;
    try {
      return await becomes;
    } finally {
      if (this.#renewing === renewing) this.#renewing = undefined;
    }
  }

  /** Whether tokens are others than those that were refused, and go as far as they have to. */
  #isNews(known: StoredTokens, refused: StoredTokens | undefined, challenge: Challenge | undefined): boolean {
    if (known.accessToken === refused?.accessToken || this.#isDue(known)) return false;
    return goesFarEnough(known, challenge);
  }

  /** Whether the same would come of it as before. */
  #isHopeless(known: StoredTokens | undefined, refused: StoredTokens | undefined, challenge: Challenge): boolean {
    if (challenge.isInsufficient) return challenge.scopes === undefined || covers(known?.scopes, challenge.scopes);
    return this.#unprovenOf(refused)?.isRefreshed === false;
  }

  #unprovenOf(tokens: StoredTokens | undefined): { readonly isRefreshed: boolean } | undefined {
    return this.#unproven?.accessToken === tokens?.accessToken ? this.#unproven : undefined;
  }

  async #obtain(
    known: StoredTokens | undefined,
    refused: StoredTokens | undefined,
    challenge: Challenge,
    vault: Vault,
  ): Promise<StoredTokens | undefined> {
    const { url, flow } = this.#options;
    const courier = this.#courier();
    const source = await discover(url, challenge, flow.issuer, courier);
    if (source === undefined) return undefined;
    const { resource, server } = source;
    const kin = known?.issuer === server.issuer ? known : undefined;
    const request = this.#request(source, courier, vault, this.#scopesFor(kin, challenge, source.scopes));
    if (kin !== undefined && !challenge.isInsufficient && this.#unprovenOf(refused) === undefined) {
      const refreshed = await this.#tryRefresh(kin, { ...request, scopes: kin.scopes });
      if (refreshed !== undefined) return refreshed;
    }
    const kept = await this.#keep(await flow.obtain(request), server.issuer, resource, vault);
    this.#unproven = { accessToken: kept.accessToken, isRefreshed: false };
    return kept;
  }

  async #refresh(known: StoredTokens | undefined, vault: Vault): Promise<StoredTokens | undefined> {
    if (known === undefined) return undefined;
    const courier = this.#courier();
    const server = await readServer(known.issuer, courier);
    const source = { resource: known.resource, server };
    return await this.#tryRefresh(known, this.#request(source, courier, vault, known.scopes));
  }

  /** Tokens for a refresh token; `undefined` if there is none, or it is over. */
  async #tryRefresh(known: StoredTokens, request: GrantRequest): Promise<StoredTokens | undefined> {
    const { refreshToken, issuer, resource, client } = known;
    const { flow } = this.#options;
    const { vault } = request;
    if (refreshToken === undefined || flow.refresh === undefined) return undefined;
    try {
      const kept = await this.#keep(await flow.refresh(request, refreshToken, client), issuer, resource, vault);
      this.#unproven = { accessToken: kept.accessToken, isRefreshed: true };
      return kept;
    } catch (thrown) {
      if (!(thrown instanceof ToolError)) throw thrown;
      if (!isRefusedBy(thrown, ...OVER)) throw unrenewed(thrown);
      await vault.forgetTokens();
      if (isRefusedBy(thrown, "invalid_client", "unauthorized_client")) await vault.forgetClient(issuer);
      return undefined;
    }
  }

  async #keep(
    issued: IssuedTokens,
    issuer: string,
    resource: string | undefined,
    vault: Vault,
  ): Promise<StoredTokens> {
    const { expiresInSeconds = 0, ...tokens } = issued;
    const lastsMs = Math.min(expiresInSeconds * 1_000, MAX_LIFE_MS);
    // One that lasts no time at all is used until it is refused.
    const endsAtMs = lastsMs > 0 ? this.#clock.now() + lastsMs : undefined;
    const kept = {
      ...tokens,
      issuer,
      resource,
      renewAtMs: endsAtMs && endsAtMs - Math.min(MARGIN_MS, lastsMs / 10),
      endsAtMs,
      keyThumbprint: await this.dpop?.calculateThumbprint(),
    };
    await vault.keepTokens(kept);
    return kept;
  }

  /** The tokens that are kept, unless they are bound to another key, or of another issuer than they have to be. */
  async #known(): Promise<StoredTokens | undefined> {
    // Where requests cannot wait for each other, they do not wait for this, either.
    if (!this.#clock.isPerRequest) await this.#forgetting;
    const known = await this.#vault.tokens();
    const { issuer } = this.#options.flow;
    if (known === undefined || (issuer !== undefined && !isSameIssuer(known.issuer, issuer))) return undefined;
    return known.keyThumbprint === await this.dpop?.calculateThumbprint() ? known : undefined;
  }

  #isDue({ renewAtMs }: StoredTokens): boolean {
    return renewAtMs !== undefined && this.#clock.now() >= renewAtMs;
  }

  #isGood({ endsAtMs }: StoredTokens): boolean {
    return endsAtMs !== undefined && this.#clock.now() < endsAtMs;
  }

  /** What to ask for: what was asked for already, and what the server now says is needed, or else all that there is. */
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

  #courier(): Courier {
    return new Courier(this.#options.send, this.#options.url);
  }

  #request(
    { resource, server }: Pick<GrantRequest, "resource" | "server">,
    courier: Courier,
    vault: Vault,
    scopes: readonly string[] | undefined,
  ): GrantRequest {
    return { server, resource, scopes, courier, vault, dpop: this.dpop };
  }
}

/** Whatever else comes in the place of tokens, such as the page of a firewall, says nothing of the refresh token: it is used again. */
function unrenewed(cause: ToolError): ToolError {
  if (cause.code === "unavailable") return cause;
  return new ToolError("unavailable", `The token is not renewed now: ${cause.message}`, { cause });
}

/** Whether tokens are for the scopes that are needed now. */
function goesFarEnough({ scopes }: StoredTokens, challenge: Challenge | undefined): boolean {
  return !challenge?.isInsufficient || covers(scopes, challenge.scopes);
}

/** Whether scopes are among those that were asked for. */
function covers(asked: readonly string[] | undefined, needed: readonly string[] | undefined): boolean {
  return needed?.every((scope) => asked?.includes(scope)) ?? true;
}
