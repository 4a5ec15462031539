/** Guarantees of sign-in, as docs/guarantees.md lists them: attacks that have succeeded against other authorization servers. */
import { type FaultGuarantee, renderFaults } from "./durable.ts";

const FOLDER = "tests/integrations/sign_in";
const ATTACKS = `${FOLDER}/attacks_test.ts`;
const DOCUMENTS = `${FOLDER}/client_documents_test.ts`;
const FLOW = `${FOLDER}/sign_in_test.ts`;
const ADDRESSES = "tests/integrations/webhooks/public_fetch_test.ts";

/** See {@link FaultGuarantee}. */
export const signInGuarantees: readonly FaultGuarantee[] = [
  {
    fault: "an unknown client, a provider that remembers the user",
    statement: "Each sign-in asks the user, also for a known client.",
    tests: { [ATTACKS]: ["every sign-in asks the user", "a user who refuses"] },
  },
  {
    fault: "consent skipped, or of another browser or site",
    statement: "The form is refused without the cookie of its rendering.",
    tests: { [ATTACKS]: ["consent cannot be skipped", "cookies are of this host alone"] },
  },
  {
    fault: "an attacker agrees, a victim finishes",
    statement: "The callback needs the cookie of its `state`; the exchange, a code of this sign-in.",
    tests: {
      [ATTACKS]: [
        "cannot be finished in the browser of a victim",
        "a foreign state is refused",
        "a code of an attacker's sign-in",
      ],
    },
  },
  {
    fault: "mixed-up issuers",
    statement: "Responses, metadata and id tokens of another issuer give no code or token.",
    tests: { [ATTACKS]: ["a response of another issuer", "an id token of another client"] },
  },
  {
    fault: "swapped redirects, schemes that run code",
    statement: "Redirects equal a registered one; dangerous URIs are not registered.",
    tests: {
      [ATTACKS]: [
        "a redirect that is not registered",
        "registration refuses redirects",
        "cannot send the browser to a page that is not https",
      ],
      [DOCUMENTS]: ["a document with another redirect"],
    },
  },
  {
    fault: "replayed codes and refresh tokens",
    statement:
      "A code gives one response, for at most two minutes. With a store a reused refresh token ends its sign-in.",
    tests: {
      [ATTACKS]: ["a code is good once", "a code is good for a minute"],
      [FLOW]: ["a store detects reused refresh tokens", "a refresh asks the provider"],
    },
  },
  {
    fault: "stolen codes, PKCE left out",
    statement: "A code is bound to client, redirect, verifier and resource.",
    tests: { [ATTACKS]: ["a code is bound to client", "PKCE cannot be left out"] },
  },
  {
    fault: "tokens of another resource, kind or the provider",
    statement: "They are refused; the resource is that of the authorization.",
    tests: {
      [ATTACKS]: ["tokens are for the resource that was approved", "a token of one kind is not one of another"],
    },
  },
  {
    fault: "secrets of the provider at the client",
    statement: "They are in no URL, page, response or log line.",
    tests: {
      [ATTACKS]: ["a registration has no secret", "nothing of the provider is in any URL", "the log has no token"],
    },
  },
  {
    fault: "markup in names of clients, frames",
    statement: "The consent page escapes all values, without scripts or framing.",
    tests: { [ATTACKS]: ["the consent page escapes everything"] },
  },
  {
    fault: "metadata documents: private, redirected, large, of another client",
    statement: "They are refused, in any spelling of the address.",
    tests: {
      [DOCUMENTS]: [
        "addresses that are not public",
        "redirects, errors, pages",
        "documents of another client",
        "not in normal form",
      ],
      [ADDRESSES]: ["a name with a private address is refused"],
    },
  },
  {
    fault: "a replica restarts in the middle",
    statement: "Any replica with the keys continues each step.",
    tests: { [FLOW]: ["a replica that starts in the middle"] },
  },
];

/** The section of the page. */
export function renderSignIn(): string {
  const text = "[Sign-in](sign-in.md), for all wires.";
  return renderFaults("Sign-in", text, signInGuarantees);
}
