/**
 * What is kept between requests, and, if a store outlives the process, between runs: tokens, and what this client is called where
 * it has registered.
 *
 * @module
 */
import { ToolError } from "../../core/errors/tool_error.ts";
import { systemClock } from "../../internal/time.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/async.ts";

/**
 * Where tokens are kept: anything like a `Map` of texts, also an asynchronous one. It belongs to one person, or one machine client:
 * whoever has it, has their tokens.
 */
export interface OAuthStore {
  /** The text; `undefined` or `null` if there is none. */
  get(key: string): MaybePromise<string | null | undefined>;
  /** Keeps a text. */
  set(key: string, value: string): unknown;
  /** Forgets a text. */
  delete(key: string): unknown;
}

/** What a client is called by an authorization server, and proves it by. */
export interface StoredClient {
  /** `client_id`. */
  readonly id: string;
  /** `client_secret`. */
  readonly secret?: string | undefined;
  /** How it proves who it is at the token endpoint: `token_endpoint_auth_method`. */
  readonly method?: string | undefined;
  /** What it has registered to be redirected to. */
  readonly redirectUrl?: string | undefined;
}

/** Tokens, and what they are good for. */
export interface StoredTokens {
  /** The token to send. */
  readonly accessToken: string;
  /** How it is sent. */
  readonly type: "bearer" | "dpop";
  /** What another is had for. */
  readonly refreshToken?: string | undefined;
  /** When to ask for another, in milliseconds since the Unix epoch. */
  readonly renewAtMs?: number | undefined;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly endsAtMs?: number | undefined;
  /** Who issued it. */
  readonly issuer: string;
  /** What it was asked for, as `resource`. */
  readonly resource?: string | undefined;
  /** Scopes that were asked for. */
  readonly scopes?: readonly string[] | undefined;
  /** Whom it was issued to, where that has registered by itself. */
  readonly client?: StoredClient | undefined;
  /** The key that it is bound to. */
  readonly keyThumbprint?: string | undefined;
}

/** What a store did not do: no fault of the server, nor of whoever issues tokens. */
export class TokenStoreError extends ToolError {
  /** @param method What of the store has failed. */
  constructor(method: keyof OAuthStore, cause: unknown) {
    super("unavailable", `The store of tokens has failed: its ${method}() threw; see the cause`, { cause });
  }
}

/** A store with what is in it, until that is forgotten. What cannot be read is not there. */
export class TokenStorage {
  readonly #store: OAuthStore;
  readonly #tokensKey: string;
  readonly #issuersKey: string;
  readonly #writing = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(store: OAuthStore, server: URL) {
    this.#store = store;
    this.#tokensKey = `oauth tokens ${server.href}`;
    this.#issuersKey = `oauth issuers ${server.href}`;
  }

  async tokens(): Promise<StoredTokens | undefined> {
    const found = await this.#read(this.#tokensKey);
    const isWhole = typeof found?.["accessToken"] === "string" && typeof found["issuer"] === "string";
    return isWhole ? found as unknown as StoredTokens : undefined;
  }

  async keepTokens(tokens: StoredTokens): Promise<void> {
    await this.#write("set", this.#tokensKey, JSON.stringify(tokens));
  }

  async forgetTokens(): Promise<void> {
    await this.#write("delete", this.#tokensKey);
  }

  async client(issuer: string): Promise<StoredClient | undefined> {
    const found = await this.#read(clientKey(issuer));
    return typeof found?.["id"] === "string" ? found as unknown as StoredClient : undefined;
  }

  async keepClient(issuer: string, client: StoredClient): Promise<void> {
    await this.#write("set", clientKey(issuer), JSON.stringify(client));
  }

  async forgetClient(issuer: string): Promise<void> {
    await this.#write("delete", clientKey(issuer));
  }

  /** Notes where this client is registered: its name there is forgotten with the tokens, also if these are gone by then. */
  async keepIssuer(issuer: string): Promise<void> {
    const issuers = await this.#issuers();
    if (issuers.includes(issuer)) return;
    await this.#write("set", this.#issuersKey, JSON.stringify({ issuers: [...issuers, issuer] }));
  }

  /** Forgets all of it, and keeps nothing any more: whatever is under way then, comes too late. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Where requests cannot wait for each other, it is the store that has to keep what is asked of it in order.
    if (!systemClock.isPerRequest) await Promise.allSettled(this.#writing);
    const issuers = new Set(await this.#issuers());
    const tokens = await this.tokens();
    if (tokens !== undefined) issuers.add(tokens.issuer);
    for (const issuer of issuers) await this.#ask("delete", clientKey(issuer));
    await this.#ask("delete", this.#tokensKey);
    await this.#ask("delete", this.#issuersKey);
  }

  async #issuers(): Promise<readonly string[]> {
    const { issuers } = await this.#read(this.#issuersKey) ?? {};
    return Array.isArray(issuers) ? issuers.filter((issuer) => typeof issuer === "string") : [];
  }

  async #write(method: "set" | "delete", key: string, value?: string): Promise<void> {
    if (this.#isClosed) return;
    const written = this.#ask(method, key, value);
    this.#writing.add(written);
    try {
      await written;
    } finally {
      this.#writing.delete(written);
    }
  }

  async #read(key: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const text = await this.#ask("get", key) as string | null | undefined;
    try {
      const value: unknown = JSON.parse(text ?? "null");
      return isJsonObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  async #ask(method: keyof OAuthStore, key: string, value: string = ""): Promise<unknown> {
    const store = this.#store;
    try {
      return await (method === "set" ? store.set(key, value) : store[method](key));
    } catch (thrown) {
      throw new TokenStoreError(method, thrown);
    }
  }
}

/** What one authorization server knows a client by, no other one gets. */
function clientKey(issuer: string): string {
  return `oauth client ${issuer}`;
}
