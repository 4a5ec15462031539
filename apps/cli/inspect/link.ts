/**
 * The link of `toolwire inspect`: its token is good for one exchange, for the token that the page then sends with all requests.
 *
 * The link can appear in the terminal, in the list of processes and in the history of a browser, so that it must not work twice.
 */
import { bearer } from "../../../src/entries/auth.ts";
import type { Auth } from "../../../src/server/auth.ts";
import { isSame, refuseForeign } from "../../../src/console/access.ts";
import type { Head, Reply, RequestWire } from "../../../src/entries/wire.ts";

/** Access to one server by one link. */
export interface LinkAccess {
  /** Fragment of the link: `#once=…`. */
  readonly fragment: string;
  /** Exchanges the token of the link, beside the API of the console. */
  readonly wire: RequestWire;
  /** Accepts the token that the page received, and no other. */
  readonly auth: Auth;
}

/** Creates two random tokens: that of the link, and that of the session, for which the page exchanges the first one once. */
export function createLinkAccess(): LinkAccess {
  const once = randomToken();
  const session = randomToken();
  return {
    fragment: `#once=${once}`,
    wire: exchangeWire(once, session),
    auth: bearer((token) => isSame(token, session) ? { id: "inspect", scopes: ["console"] } : undefined),
  };
}

function randomToken(): string {
  return `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
}

/** Path beside the API of the console. */
const PATH = "/console/api/session";

function exchangeWire(once: string, session: string): RequestWire {
  let isUsed = false;
  const answer = (text: unknown): Reply => {
    if (typeof text !== "string" || !isSame(tokenOf(text), once)) return refusal(403, "The token of the link is wrong");
    if (isUsed) return refusal(410, "This link was opened already: use that tab, or start toolwire inspect again");
    isUsed = true;
    return reply(200, { token: session });
  };
  return {
    name: "session",
    mount: () => ({
      paths: [PATH],
      unauthenticatedPaths: [PATH],
      handle(head: Head, body) {
        const foreign = refuseForeign(head);
        if (foreign !== undefined) return refusal(403, foreign);
        return head.method === "POST" ? body.text().map(answer) : refusal(405, "Send POST");
      },
    }),
  };
}

function tokenOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly token?: unknown } | null)?.token);
  } catch {
    return "";
  }
}

function refusal(status: number, message: string): Reply {
  return reply(status, { error: { code: "permission_denied", message } });
}

function reply(status: number, value: unknown): Reply {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status, headers, body: JSON.stringify(value) };
}
