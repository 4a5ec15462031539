/**
 * Tokens with encrypted claims: AES-256-GCM in place of a signature.
 *
 * Kind, key id, id and expiry of a token stay readable. Its tool and data do not.
 *
 * @example Hide what a promise remembers
 * ```ts
 * import { sealed } from "jsr:@toolwire/toolwire/sealed";
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 *
 * const keys = sealed("k1:never-use-a-secret-of-the-documentation");
 * const claims = { id: crypto.randomUUID(), expSeconds: 2_000_000_000, tool: "render_video", data: { job: "abc" } };
 * const token = keys.sign("promise", { ...claims, principal: "ada" });
 *
 * deepStrictEqual(keys.verify("promise", token, "ada", Date.now()), claims);
 * strictEqual(keys.verify("promise", token, "bob", Date.now()), "invalid");
 * ```
 *
 * @module
 */
import { gcm } from "@noble/ciphers/aes.js";
import type { TokenGuard } from "../token/guard.ts";
import { keyRing } from "./key_ring.ts";
import { concatBytes } from "../token/layout.ts";
import type { QuestionKeys } from "../dispatch/services.ts";

export type { Json, JsonObject } from "../../internal/json.ts";
export type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "../token/token.ts";

const NONCE_BYTES = 12;

/**
 * Creates a key ring that encrypts claims. It accepts sealed tokens only; other rings reject them.
 *
 * @param keys As for other rings: `kid:secret`, separated by commas, or a list of them. The first seals, all open.
 * @throws {TypeError} If there is no key, or one is invalid. The message never contains a secret.
 */
export function sealed(keys: string | readonly string[]): QuestionKeys {
  return keyRing(keys, { seal: gcmGuard });
}

function gcmGuard(key: Uint8Array): TokenGuard {
  return {
    close(bound, claims) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      return concatBytes(nonce, gcm(key, nonce, bound).encrypt(claims));
    },
    open(bound, body) {
      try {
        return gcm(key, body.subarray(0, NONCE_BYTES), bound).decrypt(body.subarray(NONCE_BYTES));
      } catch {
        // The library throws on invalid input, including input that is too short.
        return undefined;
      }
    },
  };
}
