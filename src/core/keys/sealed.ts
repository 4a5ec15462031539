import { gcm } from "@noble/ciphers/aes.js";
import type { TokenGuard } from "../token/guard.ts";
import { keyRing } from "./key_ring.ts";
import { concatBytes } from "../token/layout.ts";
import type { QuestionKeys } from "../dispatch/services.ts";

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
