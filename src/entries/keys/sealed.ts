/**
 * Tokens with encrypted claims: AES-256-GCM in place of a signature. It is needed if callers must not read what a token remembers: kind,
 * key id, id and expiry of a token stay readable, its tool and data do not.
 *
 * @example Hide what a promise remembers
 * ```ts
 * import { sealed } from "jsr:@toolwire/toolwire/keys/sealed";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const keys = sealed("k1:never-use-a-secret-of-the-documentation");
 * const claims = { id: crypto.randomUUID(), expSeconds: 2_000_000_000, tool: "render_video", data: { job: "abc" } };
 * const token = keys.sign("promise", { ...claims, principal: "ada" });
 *
 * deepStrictEqual(keys.verify("promise", token, "ada", Date.now()), claims);
 * console.log(keys.verify("promise", token, "bob", Date.now())); // → invalid
 * ```
 *
 * @module
 */
export type { Json, JsonObject } from "../../internal/json.ts";
export type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "../../core/token/token.ts";
export { sealed } from "../../core/keys/sealed.ts";
