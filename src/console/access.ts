/** Checks that the caller of a request may use the console: by the console's scope, or by its key on a server without `auth`. */
import type { Head, WireHost } from "../wires/wire.ts";

/** Header of every request of the page. Pages of other origins cannot send it without a preflight request. */
export const CONSOLE_HEADER = "x-toolwire-console";

/** Request header with the key of the console. */
export const ACCESS_KEY_HEADER = "x-toolwire-console-key";

/** What requests to the console's API need: a scope, or a key on a server without `auth`. */
export interface AccessRules {
  /** Scope that callers need on a server with `auth`. */
  readonly scope: string;
  /** Key that callers need on a server without `auth`. */
  readonly key: string;
}

/** The reason why a request to the API is refused; `undefined` if it is allowed. */
export function refuseAccess(head: Head, host: WireHost, { scope, key }: AccessRules): string | undefined {
  const foreign = refuseForeign(head);
  if (foreign !== undefined) return foreign;
  const { metadata, principal } = head;
  if (host.security !== undefined) {
    if (principal?.tenant !== undefined) {
      return "The console shows the calls and jobs of all tenants: sign in as a caller without a tenant; jobTools() are for operators of one";
    }
    if (principal?.scopes?.includes(scope)) return undefined;
    return `The console needs the scope "${scope}": sign in with a token that has it`;
  }
  if (isSame(metadata.get(ACCESS_KEY_HEADER) ?? "", key)) return undefined;
  return "The key of the console is missing or wrong: open the link that the server wrote to its log, or choose the key with consolePage({ key })";
}

/** The reason why a request of another page is refused, whatever the CORS policy allows; `undefined` for the console's page. */
export function refuseForeign(head: Head): string | undefined {
  const { metadata } = head;
  if (metadata.get(CONSOLE_HEADER) !== "1") return `Send the header ${CONSOLE_HEADER}: 1`;
  const site = metadata.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return "The console answers requests of its own origin only";
  const origin = metadata.get("origin");
  if (origin === null || hostOf(origin) === authorityOf(head).toLowerCase()) return undefined;
  return "The console answers requests of its own origin only";
}

/** Host and port of the server, as the request names them. Not every runtime has an authority beside the header. */
export function authorityOf({ metadata, authority }: Head): string {
  return metadata.get("host") ?? authority;
}

function hostOf(origin: string): string {
  return origin.replace(/^[a-z]+:\/\//i, "").toLowerCase();
}

/** Whether two texts are equal, compared in constant time. */
export function isSame(given: string, key: string): boolean {
  let difference = given.length ^ key.length;
  for (let at = 0; at < given.length; at++) difference |= given.charCodeAt(at) ^ key.charCodeAt(at % key.length);
  return difference === 0;
}
