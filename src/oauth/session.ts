/**
 * The tokens of one server: had when they are needed, renewed once for all who wait, and asked for again no more often than that can
 * help.
 *
 * @module
 */
import { DPoP, type DPoPHandle } from "oauth4webapi";
import type { Send } from "../auth/bearer_fetch.ts";
import { type Clock, systemClock } from "../internal/clock.ts";
import { ToolError } from "../error/tool_error.ts";
import type { Challenge } from "./challenge.ts";
import { Courier } from "./courier.ts";
import { discover, isSameIssuer, readServer } from "./discovery.ts";
import type { GrantFlow, GrantRequest, IssuedTokens } from "./grant.ts";
import { isRefusedBy } from "./refusal.ts";
import { type OAuthStore, type StoredTokens, Vault } from "./store.ts";

/** What a session is about. */
export interface SessionOptions {
  readonly url: URL;
  readonly flow: GrantFlow;
  readonly store: OAuthStore;
  readonly scopes: readonly string[] | undefined;
  readonly dpop: CryptoKeyPair | undefined;
  readonly send: Send;
}

/** How long before its end a token is renewed, in milliseconds; sooner, if it lasts but minutes. */
const MARGIN_MS = 30_000;

/** Longest life of a token that is believed, in milliseconds: a year. */
const MAX_LIFE_MS = 31_536_000_000;

/** Keeps the tokens of one server. */
export class Session {
  /** Proves possession of the key that tokens are bound to. */
  readonly dpop: DPoPHandle | undefined;
  readonly #options: SessionOptions;
  readonly #vault: Vault;
  readonly #clock: Clock = systemClock;
  #renewing: Promise<StoredTokens | undefined> | undefined = undefined;
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
    if (known.refreshToken === undefined || this.#options.flow.refresh === undefined) return undefined;
    return await this.#once(known, undefined, () => this.#refresh(known));
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
    return await this.#once(refused, challenge, async (known) => {
      if (!isWanted && this.#isHopeless(known, refused, challenge)) return undefined;
      return await this.#obtain(known, refused, challenge);
    });
  }

  /** Forgets the tokens, and what the client is called where they come from. */
  async forget(): Promise<void> {
    const known = await this.#vault.tokens();
    if (known !== undefined) await this.#vault.forgetClient(known.issuer);
    await this.#vault.forgetTokens();
    this.#unproven = undefined;
  }

  /** Does it once for all who wait for other tokens than those that were refused, and gives them what has become of it. */
  async #once(
    refused: StoredTokens | undefined,
    challenge: Challenge | undefined,
    work: (known: StoredTokens | undefined) => Promise<StoredTokens | undefined>,
  ): Promise<StoredTokens | undefined> {
    for (;;) {
      const known = await this.#known();
      if (known !== undefined && this.#isNews(known, refused, challenge)) return known;
      // Where what one request waits for cannot be waited for by another, each does it for itself.
      if (this.#clock.isPerRequest) return await work(known);
      if (this.#renewing === undefined) {
        const end = () => this.#renewing = undefined;
        this.#renewing = work(known).finally(end);
        return await this.#renewing;
      }
      const renewed = await this.#renewing;
      if (renewed === undefined || goesFarEnough(renewed, challenge)) return renewed;
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
  ): Promise<StoredTokens | undefined> {
    const { url, flow } = this.#options;
    const courier = this.#courier();
    const source = await discover(url, challenge, flow.issuer, courier);
    if (source === undefined) return undefined;
    const { resource, server } = source;
    const kin = known?.issuer === server.issuer ? known : undefined;
    const request = this.#request(source, courier, this.#scopesFor(kin, challenge, source.scopes));
    if (kin !== undefined && !challenge.isInsufficient && this.#unprovenOf(refused) === undefined) {
      const refreshed = await this.#tryRefresh(kin, { ...request, scopes: kin.scopes });
      if (refreshed !== undefined) return refreshed;
    }
    const kept = await this.#keep(await flow.obtain(request), server.issuer, resource);
    this.#unproven = { accessToken: kept.accessToken, isRefreshed: false };
    return kept;
  }

  async #refresh(known: StoredTokens): Promise<StoredTokens | undefined> {
    const courier = this.#courier();
    const server = await readServer(known.issuer, courier);
    return await this.#tryRefresh(known, this.#request({ resource: known.resource, server }, courier, known.scopes));
  }

  /** Tokens for a refresh token; `undefined` if there is none, or it is over. */
  async #tryRefresh(known: StoredTokens, request: GrantRequest): Promise<StoredTokens | undefined> {
    const { refreshToken, issuer, resource, client } = known;
    const { flow } = this.#options;
    if (refreshToken === undefined || flow.refresh === undefined) return undefined;
    try {
      const kept = await this.#keep(await flow.refresh(request, refreshToken, client), issuer, resource);
      this.#unproven = { accessToken: kept.accessToken, isRefreshed: true };
      return kept;
    } catch (thrown) {
      if (!(thrown instanceof ToolError) || thrown.code === "unavailable") throw thrown;
      // Whoever has it has no use for it.
      await this.#vault.forgetTokens();
      if (isRefusedBy(thrown, "invalid_client", "unauthorized_client")) await this.#vault.forgetClient(issuer);
      return undefined;
    }
  }

  async #keep(issued: IssuedTokens, issuer: string, resource: string | undefined): Promise<StoredTokens> {
    const { expiresInSeconds = 0, ...tokens } = issued;
    const lastsMs = Math.min(expiresInSeconds * 1_000, MAX_LIFE_MS);
    const kept = {
      ...tokens,
      issuer,
      resource,
      // One that lasts no time at all is used until it is refused.
      renewAtMs: lastsMs > 0 ? this.#clock.now() + lastsMs - Math.min(MARGIN_MS, lastsMs / 10) : undefined,
      keyThumbprint: await this.dpop?.calculateThumbprint(),
    };
    await this.#vault.keepTokens(kept);
    return kept;
  }

  /** The tokens that are kept, unless they are bound to another key, or of another issuer than they have to be. */
  async #known(): Promise<StoredTokens | undefined> {
    const known = await this.#vault.tokens();
    const { issuer } = this.#options.flow;
    if (known === undefined || (issuer !== undefined && !isSameIssuer(known.issuer, issuer))) return undefined;
    return known.keyThumbprint === await this.dpop?.calculateThumbprint() ? known : undefined;
  }

  #isDue({ renewAtMs }: StoredTokens): boolean {
    return renewAtMs !== undefined && this.#clock.now() >= renewAtMs;
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
    scopes: readonly string[] | undefined,
  ): GrantRequest {
    return { server, resource, scopes, courier, vault: this.#vault, dpop: this.dpop };
  }
}

/** Whether tokens are for the scopes that are needed now. */
function goesFarEnough({ scopes }: StoredTokens, challenge: Challenge | undefined): boolean {
  return !challenge?.isInsufficient || covers(scopes, challenge.scopes);
}

/** Whether scopes are among those that were asked for. */
function covers(asked: readonly string[] | undefined, needed: readonly string[] | undefined): boolean {
  return needed?.every((scope) => asked?.includes(scope)) ?? true;
}
