/** Signs in by OAuth with the browser of the user, and keeps the tokens in a file of the user. */
import { loopbackRedirect } from "../../../src/integrations/oauth/loopback/loopback_redirect.ts";
import { authorizationCode, type OAuthFetch, oauthFetch } from "../../../src/entries/oauth.ts";
import { CliError, toReportedError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { openLink } from "../terminal/open_link.ts";
import { printableLine } from "../terminal/terminal.ts";
import type { OpenTargetOptions } from "./connection.ts";
import type { TargetFlags } from "./flags.ts";
import { TokenFile } from "./token_file.ts";

/**
 * Returns a `fetch` with OAuth tokens for a URL. Asks the user to sign in, in the browser, if there are no valid ones and the server
 * requires them. Tokens are kept in a file of the user.
 *
 * @throws {CliError} If signing in fails, or needs a person and there is no terminal.
 */
export async function signInToTarget(
  url: URL,
  flags: TargetFlags,
  context: CliContext,
  { onCredential }: Pick<OpenTargetOptions, "onCredential"> = {},
): Promise<OAuthFetch> {
  const redirect = loopbackRedirect({ open: (page) => showPage(page, flags, context) });
  const grant = authorizationCode({ redirect, clientMetadata: { client_name: "toolwire" } });
  const signal = context.interruption();
  try {
    const fetch = oauthFetch(url, { grant, store: new TokenFile(url, context.host.env, onCredential) });
    await fetch.signIn({ signal });
    return fetch;
  } catch (cause) {
    if (signal.aborted) throw cause;
    // Thrown by showPage().
    if (cause instanceof Error && cause.cause instanceof CliError) throw cause.cause;
    const { code, message, data } = toReportedError(cause);
    throw new CliError(EXIT.denied, message, { code, data, step: "sign in", url: url.href, cause });
  }
}

async function showPage(page: URL, { noBrowser }: TargetFlags, { terminal }: CliContext): Promise<void> {
  if (!terminal.isInteractive && noBrowser !== true) {
    throw new CliError(EXIT.unanswered, "Signing in needs a person and a terminal", {
      code: "question",
      hint: "Run it once in a terminal, or print the address with --no-browser",
    });
  }
  terminal.note(`Sign in at ${printableLine(page.href)}`);
  if (noBrowser !== true) await openLink(page.href);
}
