/**
 * Client id metadata documents: the client id is an https URL, which is fetched when a client with it arrives.
 *
 * Source: draft-ietf-oauth-client-id-metadata-document, and MCP 2026-07-28, "Authorization". The URL is one that any caller can choose, so
 * it is fetched from public addresses only, without redirects, and within limits.
 */
import { fetchWhole } from "../../http_client/fetch_whole.ts";
import { readJsonObject } from "../oauth/auth_server_client.ts";
import { isJsonMediaType } from "../../internal/http.ts";
import type { Members } from "../../internal/json.ts";
import { publicFetch } from "../webhooks/runtime/public_fetch.ts";
import { OAuthError } from "./oauth_error.ts";
import { RecentMap } from "../../internal/recent_map.ts";

/** Fetches the metadata document of a client, like `fetch`. Any caller can choose the URL: hosts whose addresses are not public must be refused. */
export type FetchDocument = (url: string, init: RequestInit) => Promise<Response>;

/** Maximum size of a document in bytes, as the draft advises. */
const MAX_BYTES = 5_120;
/** Time limit for a document, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Limits of the time that a document is cached, and the time without a header, in seconds. */
const [MIN_CACHED_SECONDS, MAX_CACHED_SECONDS, DEFAULT_CACHED_SECONDS] = [30, 86_400, 300];
/** Number of cached documents. */
const MAX_CACHED = 500;
/** Longest URL, in characters. */
const MAX_URL_CHARS = 500;

/** Metadata that a client publishes, and the time until which they are used. */
interface CachedDocument {
  readonly document: Members;
  readonly untilMs: number;
}

/** Whether a client id starts with `https:`, and so is the URL of a metadata document. The rest of the URL is not checked. */
export function isDocumentUrl(clientId: string): boolean {
  return /^https:/i.test(clientId);
}

/** Fetches client id metadata documents: a client whose id is a URL describes itself there. Caches at most 500, for 30 seconds to a day. */
export class ClientDocuments {
  readonly #fetch: FetchDocument;
  readonly #now: () => number;
  readonly #cached = new RecentMap<CachedDocument>(MAX_CACHED);

  constructor(fetch: FetchDocument | undefined, now: () => number) {
    this.#fetch = fetch ?? publicFetch({ maxBytes: MAX_BYTES });
    this.#now = now;
  }

  /** Returns the document of a client id. @throws {OAuthError} If it cannot be fetched, or is of another client. */
  async read(clientId: string): Promise<Members> {
    assertDocumentUrl(clientId);
    const cached = this.#cached.get(clientId);
    if (cached !== undefined && this.#now() < cached.untilMs) return cached.document;
    this.#cached.delete(clientId);
    const { document, seconds } = await this.#load(clientId);
    this.#cached.set(clientId, { document, untilMs: this.#now() + seconds * 1000 });
    return document;
  }

  async #load(clientId: string): Promise<{ readonly document: Members; readonly seconds: number }> {
    const limits = { send: this.#fetch, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS };
    const init = { headers: { accept: "application/json" }, redirect: "manual" } as const;
    const response = await fetchWhole(new URL(clientId), init, limits).catch(() => undefined);
    if (response?.status !== 200 || !isJson(response.headers.get("content-type"))) {
      throw invalid("it cannot be fetched as JSON from a public address, without redirects");
    }
    const document = await readJsonObject(response);
    if (document?.["client_id"] !== clientId) throw invalid("it names another client_id");
    return { document, seconds: cacheSeconds(response.headers.get("cache-control")) };
  }
}

/** A path has to distinguish the client from others of the host. Only the normal form of a URL is accepted. */
function assertDocumentUrl(clientId: string): void {
  const url = clientId.length <= MAX_URL_CHARS && URL.canParse(clientId) ? new URL(clientId) : undefined;
  const isNormal = url?.href === clientId && url.pathname !== "/" && url.hash === "" &&
    url.username + url.password === "";
  if (!isNormal) throw invalid("its URL must be https with a path, in normal form, without user name and fragment");
}

function invalid(problem: string): OAuthError {
  return new OAuthError("invalid_client", `The client metadata document is not valid: ${problem}`);
}

function isJson(type: string | null): boolean {
  return isJsonMediaType(type) || /^application\/[\w.-]+\+json\s*(;|$)/i.test(type ?? "");
}

function cacheSeconds(header: string | null): number {
  if (header === null) return DEFAULT_CACHED_SECONDS;
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header) ?? [];
  const wanted = /no-store|no-cache/i.test(header) ? 0 : Number(seconds ?? DEFAULT_CACHED_SECONDS);
  return Math.min(MAX_CACHED_SECONDS, Math.max(MIN_CACHED_SECONDS, wanted));
}
