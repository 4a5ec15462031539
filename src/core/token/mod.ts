/**
 * Tokens: signing keys, and the types of signed and sealed tokens for authors of token schemes.
 *
 * @example A token is valid for its principal only
 * ```ts
 * import { keyRing } from "jsr:@toolwire/toolwire/tokens";
 * import { strictEqual } from "node:assert/strict";
 *
 * const keys = keyRing("k1:a secret of at least thirty-two bytes");
 * const expSeconds = Math.ceil(Date.now() / 1000) + 600;
 * const token = keys.sign("promise", { id: crypto.randomUUID(), tool: "report", principal: "ada", expSeconds, data: null });
 * strictEqual(keys.verify("promise", token, "bob", Date.now()), "invalid");
 * ```
 *
 * @module
 */
export { keyRing } from "./key_ring.ts";
export type { Hmac, TokenGuard } from "./guard.ts";
export type { KeyRingOptions } from "./key_ring.ts";
export type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "./token.ts";
