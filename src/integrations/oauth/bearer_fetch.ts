import { ToolError } from "../../core/errors/tool_error.ts";
import type { MaybePromise } from "../../internal/async.ts";

/**
 * Gives the token to send.
 *
 * @param refused The token that the server has just refused; `undefined` if none was. Another one is then tried, once.
 */
export type GetToken = (refused: string | undefined) => MaybePromise<string>;

/** What transports send requests by. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A `fetch` for transports that sends a token with each request, and asks for another when the server refuses it with 401: the
 * request is then sent again, once. Where there is no token to send, the call is refused as `unauthenticated`: what gives it has
 * thrown, which is the error's `cause`, or has given something else than text. A `ToolError` that it throws is passed on.
 *
 * @example A token that is renewed
 * ```ts
 * import { createClient, createServer, defineTool, mcpLiteTransport } from "jsr:@toolwire/toolwire";
 * import { bearer, bearerFetch } from "jsr:@toolwire/toolwire/auth";
 * import { strictEqual } from "node:assert/strict";
 *
 * const server = createServer({
 *   tools: [defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id)],
 *   auth: bearer((token) => token === "new" ? { id: "ada" } : undefined),
 * });
 * const send = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
 * const fetch = bearerFetch((refused) => refused === undefined ? "old" : "new", send);
 *
 * const client = createClient<typeof server>(mcpLiteTransport("http://localhost/mcp-lite/v1", { fetch }));
 * strictEqual(await client.whoami({}), "ada");
 * ```
 * @param token The token, or what gives it; called for each request.
 * @param send Takes the place of the global `fetch`.
 */
export function bearerFetch(
  token: string | GetToken,
  send: FetchFunction = (url, init) => fetch(url, init),
): FetchFunction {
  if (typeof token !== "string" && typeof token !== "function") {
    throw new TypeError("Cannot send a token: pass it, or a function that gives it");
  }
  const getToken = async (refused: string | undefined) => {
    return readToken(typeof token === "string" ? token : await ask(token, refused));
  };
  const sendWith = (url: string, init: RequestInit, used: string) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${used}`);
    return send(url, { ...init, headers });
  };
  return async (url, init) => {
    const used = await getToken(undefined);
    const response = await sendWith(url, init, used);
    if (response.status !== 401) return response;
    const renewed = await getToken(used);
    if (renewed === used) return response;
    await response.body?.cancel().catch(() => {});
    return await sendWith(url, init, renewed);
  };
}

async function ask(getToken: GetToken, refused: string | undefined): Promise<unknown> {
  try {
    return await getToken(refused);
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError("unauthenticated", "Cannot get a token to send: what gives it has thrown", { cause });
  }
}

/** Says what is wrong with a token, never the token. */
function readToken(token: unknown): string {
  const kind = token === "" ? "an empty text" : token === null ? "null" : typeof token;
  if (typeof token !== "string" || token === "") {
    throw new ToolError("unauthenticated", `Cannot send a token: what should give one gave ${kind}`);
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ToolError("unauthenticated", "Cannot send a token: it has characters that no header may have");
}
