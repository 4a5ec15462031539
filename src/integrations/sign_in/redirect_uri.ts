/**
 * Rules for redirect URIs of clients.
 *
 * Source: OAuth 2.1, sections 2.3 and 7.5, and RFC 8252, sections 7 and 8.
 */
import { isLoopback } from "../../internal/http.ts";

/** Longest redirect URI, in characters. */
const MAX_CHARS = 1_000;

/** Schemes that run code, read files or reach other programs in place of a redirect. URL parsers give them in lower case. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  ["javascript", "data", "file", "vbscript", "blob", "about", "view-source", "filesystem", "intent", "ws", "wss", "ftp"]
    .map((scheme) => `${scheme}:`),
);

/** Returns why a redirect URI is refused; `undefined` if it is allowed: https, `http` on loopback, or the scheme of an app. */
export function redirectProblem(uri: unknown): string | undefined {
  if (typeof uri !== "string" || uri.length > MAX_CHARS) return `it must be text of at most ${MAX_CHARS} characters`;
  // Printable ASCII without quotes, brackets, backslashes and a fragment: parsers disagree about the others.
  if (!/^[a-z][a-z0-9+.-]*:\/[!$-;=?-Z_a-z~[\]]*$/i.test(uri) || !URL.canParse(uri)) {
    return "it must be an absolute URL without a fragment, spaces and control characters";
  }
  const url = new URL(uri);
  if (REFUSED_SCHEMES.has(url.protocol)) return `the scheme ${url.protocol} is not allowed`;
  if (url.protocol === "http:" && !isLoopback(url)) return "it must be https, or http on the loopback interface";
  const [, authority = "", path = ""] = /^[^:]+:(?:\/\/([^/?]*))?([^?]*)/.exec(uri) ?? [];
  if (authority.includes("@")) return "it must not contain a user name";
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) return "its path must not contain dot segments";
  return undefined;
}

/** Whether a redirect URI leads to a program on the user's machine: it is on loopback, or its scheme is not https. */
export function isLocalRedirect(uri: string): boolean {
  const url = new URL(uri);
  return url.protocol !== "https:" || isLoopback(url);
}

/** Whether a redirect URI is the registered one. Only the port of `http` loopback addresses may differ (RFC 8252, section 7.3). */
export function isSameRedirect(registered: string, given: string): boolean {
  return registered === given || (isHttpLoopback(given) && withoutPort(registered) === withoutPort(given));
}

const HTTP_LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d+)?(?=[/?]|$)/;

function isHttpLoopback(uri: string): boolean {
  return HTTP_LOOPBACK.test(uri);
}

function withoutPort(uri: string): string {
  return uri.replace(HTTP_LOOPBACK, "$1");
}
