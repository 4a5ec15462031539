/**
 * Authorization requests of clients: what is validated, and what is bound to the codes that answer them.
 *
 * Source: OAuth 2.1, section 4.1.1, RFC 7636, RFC 8707 and RFC 9207.
 */
import { encodeBase64Url } from "../../core/token/base64url.ts";
import { sha256 } from "../../internal/encoding.ts";
import type { JsonObject } from "../../internal/json.ts";
import { checkRedirect, type SignInClient } from "./clients.ts";
import type { SignInConfig } from "./config.ts";
import { OAuthError } from "./oauth_error.ts";

/** Validated authorization request of a client. Plain JSON: it is sealed into the consent form, the cookie of the sign-in and the code. */
export interface Authorization extends JsonObject {
  /** SHA-256 of the client id, which may be long. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
}

/** A validated authorization request, and the parameter `state` of the client, which is returned to it unchanged. */
export interface ClientRequest {
  readonly authorization: Authorization;
  readonly state: string | null;
}

/** Longest `state` of a client, in characters. */
const MAX_STATE_CHARS = 1_000;

/**
 * Validates response type, PKCE challenge, resource and redirect URI of an authorization request. Scopes that are not supported are dropped.
 *
 * @throws {OAuthError} If it is invalid. The error may be sent to the redirect URI.
 */
export async function readAuthorization(
  parameters: ReadonlyMap<string, string>,
  client: SignInClient,
  config: SignInConfig,
): Promise<Authorization> {
  if (parameters.get("response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "The parameter response_type must be code");
  }
  const challenge = parameters.get("code_challenge") ?? "";
  if (parameters.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge)) {
    throw new OAuthError("invalid_request", "PKCE is required: send code_challenge, and code_challenge_method S256");
  }
  checkResource(parameters.get("resource"), config.resource);
  return {
    client: await hashText(client.id),
    redirectUri: checkRedirect(client, parameters.get("redirect_uri")),
    challenge,
    scopes: readScopes(parameters.get("scope"), config.scopes),
  };
}

/** Returns the parameter `state` of a client; `null` if it is missing. @throws {OAuthError} If it is too long for the cookie that has to hold it. */
export function readState(parameters: ReadonlyMap<string, string>): string | null {
  const state = parameters.get("state") ?? null;
  if ((state?.length ?? 0) <= MAX_STATE_CHARS) return state;
  throw new OAuthError("invalid_request", `The parameter state is longer than ${MAX_STATE_CHARS} characters`);
}

/** Validates the parameter `resource` of a request, which may be missing. @throws {OAuthError} If it names another resource than `resource`. */
export function checkResource(given: string | undefined, resource: string): void {
  // `URL` writes an origin with a slash.
  if (given === undefined || given === resource || given === new URL(resource).href) return;
  throw new OAuthError("invalid_target", `This server issues tokens for ${resource} only`);
}

/** Requested scopes that are supported; all of them if none is named. Others are dropped, and the response names the scopes. */
function readScopes(requested: string | undefined, supported: readonly string[]): readonly string[] {
  if (requested === undefined) return supported;
  const wanted = new Set(requested.split(" "));
  return supported.filter((scope) => wanted.has(scope));
}

/** SHA-256 of a text, in base64url: also a PKCE challenge of a verifier. */
export async function hashText(text: string): Promise<string> {
  return encodeBase64Url(await sha256(text));
}

/** The redirect URI with a response, `{ code }` or `{ error, … }`, in its query. `iss` is added too: it protects clients from mix-up attacks. */
export function responseUrl(
  redirectUri: string,
  response: Readonly<Record<string, string>>,
  state: string | null,
  issuer: string,
): string {
  const url = new URL(redirectUri);
  for (const name of ["code", "error", "error_description", "state", "iss"]) url.searchParams.delete(name);
  const all = { ...response, ...(state !== null && { state }), iss: issuer };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}
