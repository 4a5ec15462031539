import { keyRing } from "../../../src/core/keys/key_ring.ts";
import { sealed } from "../../../src/entries/keys/sealed.ts";
import type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "../../../src/core/token/token.ts";

export const KINDS: readonly TokenKind[] = ["promise", "continuation", "context", "config", "answer", "resolve"];

/** Both sorts of rings, which keep the same promises. */
export const makers: Readonly<Record<string, (keys: string | readonly string[]) => TokenKeys>> = {
  keyRing: (keys) => keyRing(keys),
  sealed,
};

export const K1 = "k1:a-secret-of-the-tests-and-of-nothing-else";
export const K2 = "k2:another-secret-of-the-tests-and-nothing-else";

export const NOW_MS = 1_700_000_000_000;

export const claims: TokenClaims = {
  id: "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
  expSeconds: NOW_MS / 1000 + 600,
  tool: "render_video",
  principal: "ada",
  data: { job: "abc", frames: [1, 2, 3] },
};

/** What comes back of claims. */
export function said({ id, expSeconds, tool, data }: TokenClaims): VerifiedToken {
  return { id, expSeconds, tool, data };
}
