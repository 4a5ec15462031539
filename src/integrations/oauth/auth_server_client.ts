/**
 * Requests to authorization servers, whose addresses strangers tell: to https alone, bounded in size and time, and redirected
 * nowhere.
 *
 * @module
 */
import { allowInsecureRequests, customFetch } from "oauth4webapi";
import type { Send } from "../auth/bearer_fetch.ts";
import { discard, isRedirect, readText } from "../../http_client/read.ts";
import { exchange, monitorFromSignal } from "../../http_client/send.ts";
import { toToolError } from "../../core/call/outcome.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { isJsonObject } from "../../internal/json.ts";
import { isConfidential, isLoopback } from "../../internal/http.ts";
import { within } from "../../wires/mcp/client/message_transport.ts";
import { untilAborted } from "./abortable.ts";

/** Largest answer that is read, in bytes. */
const MAX_BYTES = 262_144;

/** How long one request may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** How the library is to send its requests. */
export interface CourierOptions {
  readonly [customFetch]: (url: string, init: RequestInit) => Promise<Response>;
  /** Which addresses are good is decided here. */
  readonly [allowInsecureRequests]: true;
}

/** Sends requests that have to do with tokens. */
export class Courier {
  readonly #send: Send;
  readonly #allowsLoopback: boolean;

  /** @param server Whose tokens these are: only one on this machine may send us to this machine. */
  constructor(send: Send, server: URL) {
    this.#send = send;
    this.#allowsLoopback = isLoopback(server);
  }

  /** What the functions of the library take. */
  get options(): CourierOptions {
    return { [customFetch]: (url, init) => this.fetch(url, init), [allowInsecureRequests]: true };
  }

  /** A URL that a stranger named, if we go there. @throws {ToolError} If it is none, or neither https nor, where that is allowed, here. */
  parse(address: unknown): URL {
    const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined) throw new ToolError("unauthenticated", "An address of the authorization server is no URL");
    if (isConfidential(url) && (this.#allowsLoopback || !isLoopback(url))) return url;
    throw new ToolError(
      "unauthenticated",
      `Will not go to ${url.protocol}//${url.host} for tokens: it has to be https${
        isLoopback(url) ? ", and another machine's server has no business on this one" : ""
      }`,
    );
  }

  /** Sends a request, and reads the whole answer. @throws {ToolError} If there is none, or none now. */
  async fetch(address: string, init: RequestInit): Promise<Response> {
    const url = this.parse(address);
    return await within(TIMEOUT_MS, async ({ signal }) => {
      try {
        return await untilAborted(this.#exchange(url, init, signal), signal);
      } catch (cause) {
        if (!signal.aborted) throw cause;
        throw new ToolError("unavailable", `${url.origin} has not answered within ${TIMEOUT_MS} ms`, { cause });
      }
    });
  }

  /** A JSON object; `undefined` if there is nothing, or something else, such as the page that a site has for every path. */
  async readObject(address: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const response = await this.fetch(address, { method: "GET", headers: { accept: "application/json" } });
    return response.status === 200 ? await objectOf(response) : undefined;
  }

  async #exchange({ href, origin }: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const { method = "GET", headers: sent = {}, body } = init;
    const result = await exchange(
      { method, url: href, headers: sent, body, returnsRedirect: true, unreachableMessage: `Cannot reach ${origin}` },
      { fetch: this.#send, maxResponseBytes: MAX_BYTES },
      monitorFromSignal(signal),
      async (response, chunks) => {
        if (isRedirect(response)) {
          discard(response);
          // Redirects are not followed, because the request may contain secrets. Treated as a missing page.
          return new Response(null, { status: 404 });
        }
        const text = await readText(chunks);
        const { status, headers } = response;
        if (status >= 500 || status === 429) throw new ToolError("unavailable", `${origin} answered ${status}`);
        return new Response(text === "" ? null : text, { status, headers });
      },
    );
    if (!("kind" in result)) return result;
    throw toToolError(result);
  }
}

/** The JSON object that a response holds, if it does. */
export async function objectOf(response: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const value: unknown = await response.json();
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
