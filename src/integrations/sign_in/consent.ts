/**
 * The consent page, which every sign-in shows: the provider may remember the user, and a client that the user does not know could use that.
 * Its form is bound to the browser that it was shown in by a cookie.
 */
import { isSameBytes } from "../../core/token/guard.ts";
import { encodeText } from "../../core/token/layout.ts";
import { HTML_PAGE_POLICY, htmlPage } from "../../server/pages/html_page.ts";
import { escapeHtml } from "../../server/pages/resolver_form.ts";
import type { Metadata } from "../../core/call/call.ts";
import type { Reply } from "../../wires/wire.ts";
import type { SignInClient } from "./clients.ts";
import type { SignInConfig } from "./config.ts";
import { isLocalRedirect } from "./redirect_uri.ts";

/** What the page of consent shows, and the request that its form sends back. */
export interface ConsentView {
  readonly client: SignInClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The sealed request, for a hidden field. */
  readonly request: string;
  /** Header that sets the cookie of this rendering. */
  readonly cookie: string;
}

/** Chrome applies `form-action` to the redirects that follow, which lead to the provider and to the client. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": HTML_PAGE_POLICY,
  // With `no-referrer` the form would be sent without its origin.
  "referrer-policy": "same-origin",
};

/** The page that asks a user whether a client may use the server. It has two buttons, and no script. */
export function consentPage(view: ConsentView, { name, provider, issuer, resource }: SignInConfig): Reply {
  const { client, scopes, request, cookie } = view;
  const rights = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join("");
  const content = `<p><strong>${escapeHtml(client.name)}</strong> asks to use <strong>${escapeHtml(name)}</strong>` +
    ` (${escapeHtml(resource)}) in your name.</p>${originOf(client)}${destinationOf(view.redirectUri)}` +
    (rights === "" ? "" : `<p>It will get these permissions:</p><ul>${rights}</ul>`) +
    `<p>Continue only if you have just started this in ${escapeHtml(client.name)}.</p>` +
    `<form method="post" action="${escapeHtml(`${issuer}/consent`)}">` +
    `<input type="hidden" name="request" value="${escapeHtml(request)}">` +
    `<button name="answer" value="allow">Continue with ${escapeHtml(provider.name)}</button>` +
    `<button name="answer" value="deny">Cancel</button></form>`;
  return htmlPage(200, `Sign in to ${name}`, content, { ...HEADERS, "set-cookie": cookie });
}

/** Sentence of the consent page about the origin of the client's name: whether the server, a web page or the client itself states it. */
function originOf({ source, id }: SignInClient): string {
  if (source === "listed") return "";
  if (source === "document") {
    return `<p>The application is published by <strong>${escapeHtml(new URL(id).host)}</strong>.</p>`;
  }
  return "<p>The application has chosen its name itself. This server has not verified it.</p>";
}

function destinationOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  const target = `<p>Access is given to <strong>${
    escapeHtml(host === "" ? protocol : `${protocol}//${host}`)
  }</strong>.</p>`;
  return isLocalRedirect(redirectUri)
    ? `${target}<p>This is a program on your computer. Any program there can receive it.</p>`
    : target;
}

/** HTML page for errors that are shown in the browser. They must not be redirected to the client, such as those before its redirect URI is proven. */
export function errorPage(status: number, message: string, headers?: Readonly<Record<string, string>>): Reply {
  return htmlPage(status, "Sign-in failed", `<p>${escapeHtml(message)}.</p>`, {
    "content-security-policy": HTML_PAGE_POLICY,
    ...headers,
  });
}

/** Encodes and reads the cookies of a sign-in. With an https issuer they are `__Host-` cookies, which other hosts of the domain cannot set. */
export class Cookies {
  readonly #prefix: string;
  readonly #attributes: string;

  constructor(issuer: string) {
    const isSecure = issuer.startsWith("https:");
    this.#prefix = isSecure ? "__Host-toolwire-" : "toolwire-";
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  }

  /** Header that sets a cookie; `undefined` if browsers would drop it. */
  set(name: string, value: string, seconds: number): string | undefined {
    const pair = `${this.#prefix}${name}=${value}`;
    return pair.length > MAX_COOKIE_CHARS ? undefined : `${pair}; Max-Age=${seconds}; ${this.#attributes}`;
  }

  /** Header that deletes a cookie. */
  expire(name: string): string {
    return `${this.#prefix}${name}=; Max-Age=0; ${this.#attributes}`;
  }

  /** Value of a cookie; `undefined` if it is missing, or there are two. */
  read(metadata: Metadata, name: string): string | undefined {
    const start = `${this.#prefix}${name}=`;
    const found = (metadata.get("cookie") ?? "").split(/; */).filter((pair) => pair.startsWith(start));
    return found.length === 1 ? found[0]!.slice(start.length) : undefined;
  }
}

/** Longest name and value of a cookie. Browsers allow 4,096 with the attributes. */
const MAX_COOKIE_CHARS = 4_000;

/** Whether two secrets are equal, compared in constant time. `false` if `found` is missing. */
export function isSameText(wanted: string, found: string | undefined): boolean {
  return found !== undefined && isSameBytes(encodeText(wanted), encodeText(found));
}
