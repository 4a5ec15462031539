import { customFetch, protectedResourceRequest, WWWAuthenticateChallengeError } from "oauth4webapi";
import type { WWWAuthenticateChallenge } from "oauth4webapi";

/** A server's demand for a token, or for another one. */
export interface Challenge {
  /** Whether there was no challenge: the client asks whether the server accepts tokens. */
  readonly isProbe: boolean;
  /** Whether the token is valid, but lacks a scope. */
  readonly isInsufficient: boolean;
  /** Whether the DPoP proof lacks the server's nonce. */
  readonly wantsNonce: boolean;
  /** Required scopes; `undefined` if not specified. */
  readonly scopes: readonly string[] | undefined;
  /** URL of the protected resource metadata; `undefined` if not specified. */
  readonly metadataUrl: string | undefined;
}

/**
 * Reads the challenge of a response; `undefined` if the token was accepted, or the error has another reason.
 *
 * Source: RFC 6750, section 3, RFC 9728, section 5.1, and RFC 9449, section 9.
 */
export async function readChallenge(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const challenges = await parseChallenges(response);
  const usable = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const { error, scope, resource_metadata: metadataUrl } = Object.assign(
    {},
    ...usable.map(({ parameters }) => parameters),
  ) as Readonly<Record<string, string | undefined>>;
  const isInsufficient = error === "insufficient_scope";
  if (response.status === 403 && !isInsufficient) return undefined;
  const scopes = scope === undefined ? [] : splitScopes(scope);
  return {
    isProbe: false,
    isInsufficient,
    wantsNonce: error === "use_dpop_nonce",
    scopes: scopes.length === 0 ? undefined : scopes,
    metadataUrl,
  };
}

/** Stands for a missing challenge. */
export const NO_CHALLENGE: Challenge = {
  isProbe: true,
  isInsufficient: false,
  wantsNonce: false,
  scopes: undefined,
  metadataUrl: undefined,
};

/** Splits a list of scopes. Invalid ones are left out. */
function splitScopes(text: string): readonly string[] {
  return text.split(" ").filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
}

/** Uses the parser of `oauth4webapi`, which only accepts responses to its own requests. */
async function parseChallenges(response: Response): Promise<readonly WWWAuthenticateChallenge[]> {
  const options = { [customFetch]: () => Promise.resolve(response) };
  try {
    await protectedResourceRequest("none", "GET", new URL("https://localhost"), undefined, undefined, options);
    return [];
  } catch (thrown) {
    if (thrown instanceof WWWAuthenticateChallengeError) return thrown.cause;
    throw thrown;
  }
}
