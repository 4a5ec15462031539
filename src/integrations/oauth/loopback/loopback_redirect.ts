import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkOptions, FUNCTION, type OptionRules, required, rule, TEXT } from "../../../internal/options.ts";
import type { Redirect } from "../authorization_code.ts";

export type { Redirect };

/** Options of {@link loopbackRedirect}. */
export interface LoopbackRedirectOptions {
  /** Opens a page in a browser, or asks the user to: `(page) => console.error("Open", page.href)`. */
  readonly open: (page: URL) => unknown;
  /** Port on 127.0.0.1. Default: any free port. Authorization servers should accept any port of a loopback address. */
  readonly port?: number | undefined;
  /** Path of the page. Default: `/callback`. */
  readonly path?: string | undefined;
  /** Text of the page at the end. Default: a note that the window can be closed. */
  readonly text?: string | undefined;
}

const RULES: OptionRules<LoopbackRedirectOptions> = {
  open: required(FUNCTION),
  port: rule(
    "a port, 0 to 65535",
    (value) => Number.isInteger(value) && value as number >= 0 && value as number < 65_536,
  ),
  path: rule('like "/callback", without query or fragment', (value) => /^\/[^\s?#\\]*$/.test(String(value))),
  text: TEXT,
};

/**
 * The `redirect` of `authorizationCode` for scripts and command lines, on Bun, Deno and Node. The browser is redirected to a port of this
 * machine, which is open only during the authorization.
 *
 * @example A script
 * ```ts check
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 * import { authorizationCode, oauthFetch } from "jsr:@toolwire/toolwire/oauth";
 * import { loopbackRedirect } from "jsr:@toolwire/toolwire/oauth/loopback";
 *
 * const url = "https://api.example/mcp";
 * const redirect = loopbackRedirect({ open: (page) => console.error(`Open ${page.href}`) });
 * const fetch = oauthFetch(url, { grant: authorizationCode({ redirect, clientMetadata: { client_name: "Docs bot" } }) });
 * await fetch.signIn();
 * const docs = createClient(mcpTransport(url, { fetch }));
 * console.log(await docs.$.list());
 * docs.$.close();
 * ```
 * @throws {TypeError} If `open` is missing, or an option is invalid or unknown.
 * @throws {RangeError} If the port is out of range.
 */
export function loopbackRedirect(options: LoopbackRedirectOptions): () => Promise<Redirect> {
  checkOptions("redirect to this machine", options, RULES);
  const { open, port = 0, path = "/callback", text = "You can close this window." } = options;
  return async () => {
    const server = createServer();
    await listen(server, port);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    return {
      url,
      async visit(page) {
        const redirected = Promise.withResolvers<URL>();
        server.on("request", (request: IncomingMessage, response: ServerResponse) => {
          const target = redirectTarget(request, url, page.searchParams.get("state"));
          const headers = { "content-type": "text/plain; charset=utf-8", "referrer-policy": "no-referrer" };
          response.writeHead(target === undefined ? 404 : 200, { ...headers, connection: "close" });
          response.end(target === undefined ? "Nothing here." : text, () => target && redirected.resolve(target));
        });
        await open(page);
        return await redirected.promise;
      },
      close() {
        server.close();
        server.closeAllConnections();
      },
    };
  };
}

/** Returns the URL of the redirect; `undefined` for any other request, such as one without the right state. */
function redirectTarget(
  { method, url = "" }: IncomingMessage,
  redirectUrl: string,
  state: string | null,
): URL | undefined {
  if (method !== "GET" || !URL.canParse(url, redirectUrl)) return undefined;
  const target = new URL(url, redirectUrl);
  const isRedirect = `${target.origin}${target.pathname}` === redirectUrl;
  return isRedirect && target.searchParams.get("state") === state ? target : undefined;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
