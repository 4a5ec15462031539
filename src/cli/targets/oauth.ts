/** Signs in by OAuth with the browser of the user, and keeps the tokens in a file of the user. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "../../internal/json.ts";
import { loopbackRedirect } from "../../integrations/oauth/loopback/mod.ts";
import { authorizationCode, type OAuthFetch, oauthFetch, type OAuthStore } from "../../integrations/oauth/mod.ts";
import { CliError, toReportedError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import type { CliProcess } from "../terminal/process.ts";
import { openLink } from "../terminal/open_link.ts";
import { printableLine } from "../terminal/terminal.ts";
import type { OpenTargetOptions } from "./connection.ts";
import type { TargetFlags } from "./flags.ts";

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
    const fetch = oauthFetch(url, { grant, store: new TokenFile(fileOf(url, context.host), onCredential) });
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

/** File of the tokens of an origin: of this user alone. */
function fileOf({ origin }: URL, { env }: CliProcess): string {
  const config = env["XDG_CONFIG_HOME"] || join(env["HOME"] || env["USERPROFILE"] || homedir(), ".config");
  const name = createHash("sha256").update(origin).digest("hex").slice(0, 16);
  return join(config, "toolwire", "oauth", `${name}.json`);
}

/** Tokens in a file. It is read each time, so that commands share it. */
class TokenFile implements OAuthStore {
  readonly #file: string;
  readonly #onCredential: ((value: string) => void) | undefined;

  constructor(file: string, onCredential: ((value: string) => void) | undefined) {
    this.#file = file;
    this.#onCredential = onCredential;
  }

  get(key: string): string | undefined {
    const value = this.#read()[key];
    if (typeof value !== "string") return undefined;
    this.#report(value);
    return value;
  }

  set(key: string, value: string): void {
    this.#report(value);
    this.#write({ ...this.#read(), [key]: value });
  }

  delete(key: string): void {
    const { [key]: _, ...rest } = this.#read();
    this.#write(rest);
  }

  /** Reports the tokens of an entry. */
  #report(entry: string): void {
    if (this.#onCredential === undefined) return;
    for (const [, value] of entry.matchAll(/"(?:accessToken|refreshToken|secret)":"([^"\\]+)"/g)) {
      if (value !== undefined) this.#onCredential(value);
    }
  }

  #read(): Readonly<Record<string, unknown>> {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      return isJsonObject(value) ? value : {};
    } catch {
      // There is no file yet, or it was damaged: the user signs in again.
      return {};
    }
  }

  #write(tokens: Readonly<Record<string, unknown>>): void {
    mkdirSync(join(this.#file, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(this.#file, JSON.stringify(tokens), { mode: 0o600 });
  }
}
