/**
 * Sends requests to one URL.
 *
 * @module
 */
import type { ErrorResult } from "../../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import { DEFAULT_MAX_RESPONSE_BYTES, type HttpClientOptions, sendRequest } from "../../../../http_client/send.ts";

/** One request. */
export interface FetchRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly limit: ActivityMonitor;
}

/** Sends requests to one URL. */
export class Fetcher {
  readonly url: URL;
  readonly maxBytes: number;
  readonly #options: HttpClientOptions;

  constructor(url: URL, options: HttpClientOptions) {
    this.url = url;
    this.maxBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.#options = options;
  }

  /** Returns a sender for another path of the same origin; `undefined` for another origin. */
  at(path: string): Fetcher | undefined {
    const url = URL.canParse(path, this.url) ? new URL(path, this.url) : undefined;
    return url?.origin === this.url.origin ? new Fetcher(url, this.#options) : undefined;
  }

  /** Sends a request. Rejects only if the caller's function for headers throws. */
  send({ limit, ...request }: FetchRequest): Promise<Response | ErrorResult> {
    return sendRequest({ ...request, url: this.url.href }, this.#options, limit);
  }
}
