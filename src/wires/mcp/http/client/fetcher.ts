import type { Principal } from "../../../../core/call/call.ts";
import type { ErrorResult } from "../../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  type HttpClientOptions,
  type HttpRequest,
  sendRequest,
} from "../../../../http_client/send.ts";

import { decodeStatus } from "../../../framing/json_rpc/decode_error.ts";

/** Sends HTTP requests to the URL of one MCP server, with `headers`, `fetch` and `maxResponseBytes` of its transport. Failures are error results. */
export class Fetcher {
  readonly url: URL;
  readonly maxBytes: number;
  readonly #options: HttpClientOptions;
  readonly #principal: (() => Principal) | undefined;

  /** @param principal Returns the principal whose session it is, for requests that belong to no call. Default: none. */
  constructor(url: URL, options: HttpClientOptions, principal?: () => Principal) {
    this.url = url;
    this.maxBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.#principal = principal;
    const { headers } = options;
    this.#options = principal === undefined || typeof headers !== "function"
      ? options
      : { ...options, headers: (call) => headers({ ...call, principal: call.principal ?? principal() }) };
  }

  /** Returns a fetcher for another path of the same origin; `undefined` for another origin. */
  at(path: string): Fetcher | undefined {
    const url = URL.canParse(path, this.url) ? new URL(path, this.url) : undefined;
    return url?.origin === this.url.origin ? new Fetcher(url, this.#options, this.#principal) : undefined;
  }

  /** The error of a response that is not MCP, from its HTTP status. Mentions `/mcp` if the URL has no path. */
  statusError(status: number, text = ""): ErrorResult {
    const hint = this.url.pathname === "/" ? ": the URL has no path, and most servers have MCP at /mcp" : "";
    return decodeStatus(status, text, `MCP${hint}`);
  }

  /** Sends a request. Failures are error results; rejects only if the caller's function for headers throws. */
  send(request: Omit<HttpRequest, "url">, limit: ActivityMonitor): Promise<Response | ErrorResult> {
    return sendRequest({ ...request, url: this.url.href }, this.#options, limit);
  }
}
