/**
 * How a token's claims are proven, and how the key for it is made of a secret.
 *
 * @module
 */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, encodeText } from "./layout.ts";

/** HMAC-SHA256 in two steps, so that what depends on the key alone is done once. */
export type Hmac = (key: Uint8Array) => (message: Uint8Array) => Uint8Array;

/** Guards the claims of tokens of one kind with one key. */
export interface TokenGuard {
  /**
   * What follows the head in a token.
   *
   * @param bound What the claims are bound to: the principal and the head.
   */
  close(bound: Uint8Array, claims: Uint8Array): Uint8Array;
  /** The claims, if `body` is what {@link close} gives for them and this `bound`. */
  open(bound: Uint8Array, body: Uint8Array): Uint8Array | undefined;
}

const MAC_BYTES = 32;

/** HMAC-SHA256 of a library that is audited, synchronous, and runs everywhere. */
export const nobleHmac: Hmac = (key) => {
  const keyed = hmac.create(sha256, key);
  return (message) => keyed.clone().update(message).digest();
};

/** HKDF-SHA256 without a salt, for the 32 bytes that one round of it gives. */
export function deriveKey(hmac: Hmac, secret: Uint8Array, info: string): Uint8Array {
  const extracted = hmac(new Uint8Array(MAC_BYTES))(secret);
  return hmac(extracted)(encodeText(`${info}\x01`));
}

/** Claims that all may read, and nobody without the key can change. */
export function macGuard(mac: ReturnType<Hmac>): TokenGuard {
  return {
    close: (bound, claims) => concatBytes(claims, mac(concatBytes(bound, claims))),
    open(bound, body) {
      const claims = body.subarray(0, -MAC_BYTES);
      return isSame(mac(concatBytes(bound, claims)), body.subarray(-MAC_BYTES)) ? claims : undefined;
    },
  };
}

/** Takes the same time wherever the difference is. */
function isSame(wanted: Uint8Array, found: Uint8Array): boolean {
  // What is missing differs from any byte.
  const start = wanted.length ^ found.length;
  return wanted.reduce((difference, byte, at) => difference | byte ^ (found[at] ?? 0x100), start) === 0;
}
