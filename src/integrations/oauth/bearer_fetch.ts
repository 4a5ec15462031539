import { ToolError } from "../../core/errors/tool_error.ts";
import type { MaybePromise } from "../../internal/async.ts";

/**
 * Function for `bearerFetch` that returns the token to send. Called for each request, and again after a response with status 401.
 *
 * @param rejected The token that the server has just rejected; `undefined` at the first try of a request. Another token is then tried once.
 */
export type GetToken = (rejected: string | undefined) => MaybePromise<string>;

/** The part of `fetch` that transports use: the URL is text, and `init` is always given. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Creates a `fetch` for transports that sends a token with each request. If the server answers 401, it calls the function again and sends
 * the request once more if the token is another one. A token that is a string is sent once.
 *
 * A call without a token fails as `unauthenticated`: if the function throws, with the exception as `cause`, or if it returns
 * an empty text, one with characters that headers cannot have, or anything other than a string. A `ToolError` that it throws is passed on.
 *
 * @example A token that is renewed
 * ```ts
 * import { createClient, createServer, defineTool, mcpLiteTransport } from "jsr:@toolwire/toolwire";
 * import { bearer } from "jsr:@toolwire/toolwire/auth";
 * import { bearerFetch } from "jsr:@toolwire/toolwire/oauth";
 *
 * const server = createServer({
 *   tools: [defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id)],
 *   auth: bearer((token) => token === "new" ? { id: "ada" } : undefined),
 * });
 * const send = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
 * const fetch = bearerFetch((rejected) => rejected === undefined ? "old" : "new", send);
 *
 * const client = createClient<typeof server>(mcpLiteTransport("http://localhost/mcp-lite/v1", { fetch }));
 * console.log(await client.whoami({})); // → ada
 * ```
 * @param token The token, or a function that returns it. The function is called for each request.
 * @param send Replaces the global `fetch`.
 * @throws {TypeError} If `token` is neither a string nor a function.
 */
export function bearerFetch(
  token: string | GetToken,
  send: FetchFunction = (url, init) => fetch(url, init),
): FetchFunction {
  if (typeof token !== "string" && typeof token !== "function") {
    throw new TypeError("Cannot send a token: pass a string, or a function that returns one");
  }
  const getToken = async (rejected: string | undefined) => {
    return checkToken(typeof token === "string" ? token : await callGetToken(token, rejected));
  };
  const sendWith = (url: string, init: RequestInit, checked: string) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${checked}`);
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

async function callGetToken(getToken: GetToken, rejected: string | undefined): Promise<unknown> {
  try {
    return await getToken(rejected);
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError("unauthenticated", "Cannot get a token to send: the function for it has thrown", { cause });
  }
}

/** Returns a valid token. Error messages never contain the token. */
function checkToken(token: unknown): string {
  const kind = token === "" ? "an empty string" : token === null ? "null" : typeof token;
  if (typeof token !== "string" || token === "") {
    throw new ToolError("unauthenticated", `Cannot send a token: it is ${kind}`);
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ToolError("unauthenticated", "Cannot send a token: it has characters that are not allowed in headers");
}
