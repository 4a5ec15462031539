import { customFetch, protectedResourceRequest, WWWAuthenticateChallengeError } from "oauth4webapi";
import type { WWWAuthenticateChallenge } from "oauth4webapi";

/** What a server says when it lets nobody in. */
export interface Challenge {
  /** Whether the server has said nothing, and tokens are wanted all the same, if it takes any. */
  readonly isProbe: boolean;
  /** Whether the token is good, and does not go far enough. */
  readonly isInsufficient: boolean;
  /** Whether the proof of a key lacks the server's nonce. */
  readonly wantsNonce: boolean;
  /** Scopes that are needed; `undefined` if it does not say. */
  readonly scopes: readonly string[] | undefined;
  /** Where it says where tokens come from. */
  readonly metadataUrl: string | undefined;
}

/**
 * What a response says of the token that it did not take; `undefined` if it took it, or refuses for another reason.
 *
 * Source: RFC 6750, section 3, RFC 9728, section 5.1, and RFC 9449, section 9.
 */
export async function readChallenge(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const challenges = await parseChallenges(response);
  const ours = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const { error, scope, resource_metadata: metadataUrl } = Object.assign(
    {},
    ...ours.map(({ parameters }) => parameters),
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

/** In the place of a challenge, where there is none. */
export const NO_CHALLENGE: Challenge = {
  isProbe: true,
  isInsufficient: false,
  wantsNonce: false,
  scopes: undefined,
  metadataUrl: undefined,
};

/** The scopes of a text; what cannot be one is left out. */
function splitScopes(text: string): readonly string[] {
  return text.split(" ").filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
}

/** Read by the library, which does so for responses to its own requests alone. */
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
