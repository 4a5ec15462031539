/** Storage of tokens and client registrations between requests and, in a persistent store, between processes. */
import { ToolError } from "../../core/errors/tool_error.ts";
import { systemClock } from "../../internal/time.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/async.ts";

/**
 * Store of tokens: a `Map` of texts, or anything with its methods, also asynchronous ones. A store belongs to one user or one machine
 * client, and its content must be kept secret.
 */
export interface OAuthStore {
  /** Returns a text; `undefined` or `null` if it is missing. */
  get(key: string): MaybePromise<string | null | undefined>;
  /** Stores a text. */
  set(key: string, value: string): unknown;
  /** Deletes a text. */
  delete(key: string): unknown;
  /**
   * Runs `work` while no other process that shares the store runs one for the same key, and returns its result. Without it, processes that
   * renew tokens at the same time may use one refresh token twice, which many authorization servers answer by revoking all tokens.
   */
  lock?<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

/** Client id and credentials at one authorization server. */
export interface StoredClient {
  /** `client_id`. */
  readonly id: string;
  /** `client_secret`. */
  readonly secret?: string | undefined;
  /** Authentication method at the token endpoint: `token_endpoint_auth_method`. */
  readonly method?: string | undefined;
  /** Registered redirect URL. */
  readonly redirectUrl?: string | undefined;
}

/** Tokens of one authorization server, as they are stored. */
interface Tokens {
  readonly accessToken: string;
  /** Authentication scheme. */
  readonly type: "bearer" | "dpop";
  readonly refreshToken?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** The client that they were issued to, if it was registered dynamically. */
  readonly client?: StoredClient | undefined;
}

/** Tokens as the token endpoint has issued them, before they are stored. `scopes` are the requested ones. */
export interface IssuedTokens extends Tokens {
  readonly expiresInSeconds?: number | undefined;
}

/** Tokens of one resource server as they are stored, with their issuer, the times of renewal and expiry, and the DPoP key. */
export interface StoredTokens extends Tokens {
  /** Time to renew the token, in milliseconds since the Unix epoch. */
  readonly renewAtMs?: number | undefined;
  /** Expiry, in milliseconds since the Unix epoch. */
  readonly endsAtMs?: number | undefined;
  readonly issuer: string;
  /** Parameter `resource` of the request. */
  readonly resource?: string | undefined;
  /** Thumbprint of the key that it is bound to. */
  readonly keyThumbprint?: string | undefined;
}

/** Error of the token store: one of its methods has thrown. Its code is `unavailable`, as of a temporary error of a server. */
export class TokenStoreError extends ToolError {
  /** @param method The method that failed. */
  constructor(method: keyof OAuthStore, cause: unknown) {
    super("unavailable", `The token store failed: its ${method}() threw; see the cause`, { cause });
  }
}

/** Tokens and client registrations for one resource server, as JSON in an {@link OAuthStore}. Invalid records are treated as missing. */
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
    const isValid = typeof found?.["accessToken"] === "string" && typeof found["issuer"] === "string";
    return isValid ? found as unknown as StoredTokens : undefined;
  }

  async saveTokens(tokens: StoredTokens): Promise<void> {
    await this.#write("set", this.#tokensKey, JSON.stringify(tokens));
  }

  async deleteTokens(): Promise<void> {
    await this.#write("delete", this.#tokensKey);
  }

  /** Runs `work` under the lock of the tokens, if the store has locks. */
  async whileLocked<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#store.lock === undefined) return await work();
    let working: Promise<Value> | undefined;
    try {
      return await this.#store.lock(this.#tokensKey, () => working = work());
    } catch (thrown) {
      // The result of the work is not lost by a lock that cannot be released.
      if (working !== undefined) return await working;
      throw new TokenStoreError("lock", thrown);
    }
  }

  async client(issuer: string): Promise<StoredClient | undefined> {
    const found = await this.#read(clientKey(issuer));
    return typeof found?.["id"] === "string" ? found as unknown as StoredClient : undefined;
  }

  async saveClient(issuer: string, client: StoredClient): Promise<void> {
    await this.#write("set", clientKey(issuer), JSON.stringify(client));
  }

  async deleteClient(issuer: string): Promise<void> {
    await this.#write("delete", clientKey(issuer));
  }

  /** Records that the client is registered at this issuer, so that {@link close} deletes the registration even without tokens. */
  async saveIssuer(issuer: string): Promise<void> {
    const issuers = await this.#issuers();
    if (issuers.includes(issuer)) return;
    await this.#write("set", this.#issuersKey, JSON.stringify({ issuers: [...issuers, issuer] }));
  }

  /** Deletes all records. Later writes are ignored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // On runtimes where requests cannot wait for each other, the store has to keep the order of its operations.
    if (!systemClock.isPerRequest) await Promise.allSettled(this.#writing);
    const issuers = new Set(await this.#issuers());
    const tokens = await this.tokens();
    if (tokens !== undefined) issuers.add(tokens.issuer);
    for (const issuer of issuers) await this.#call("delete", clientKey(issuer));
    await this.#call("delete", this.#tokensKey);
    await this.#call("delete", this.#issuersKey);
  }

  async #issuers(): Promise<readonly string[]> {
    const { issuers } = await this.#read(this.#issuersKey) ?? {};
    return Array.isArray(issuers) ? issuers.filter((issuer) => typeof issuer === "string") : [];
  }

  async #write(method: "set" | "delete", key: string, value?: string): Promise<void> {
    if (this.#isClosed) return;
    const written = this.#call(method, key, value);
    this.#writing.add(written);
    try {
      await written;
    } finally {
      this.#writing.delete(written);
    }
  }

  async #read(key: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const text = await this.#call("get", key) as string | null | undefined;
    try {
      const value: unknown = JSON.parse(text ?? "null");
      return isJsonObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  async #call(method: "get" | "set" | "delete", key: string, value: string = ""): Promise<unknown> {
    const store = this.#store;
    try {
      return await (method === "set" ? store.set(key, value) : store[method](key));
    } catch (thrown) {
      throw new TokenStoreError(method, thrown);
    }
  }
}

/** Key of the registration at one issuer. */
function clientKey(issuer: string): string {
  return `oauth client ${issuer}`;
}
