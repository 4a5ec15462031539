/** Protection of a token's claims, and derivation of its key. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, encodeText } from "./layout.ts";

/** HMAC-SHA256 in two steps, so that the key schedule is computed once. */
export type Hmac = (key: Uint8Array) => (message: Uint8Array) => Uint8Array;

/** Protects the claims of tokens of one kind with one key. */
export interface TokenGuard {
  /**
   * Returns the protected claims, which follow the head of a token.
   *
   * @param bound Data to which the claims are bound: the principal and the head.
   */
  close(bound: Uint8Array, claims: Uint8Array): Uint8Array;
  /** Returns the claims if `body` was made by {@link close} for the same `bound`. */
  open(bound: Uint8Array, body: Uint8Array): Uint8Array | undefined;
}

const MAC_BYTES = 32;

/** HMAC-SHA256 of an audited, synchronous and portable library. */
export const nobleHmac: Hmac = (key) => {
  const keyed = hmac.create(sha256, key);
  return (message) => keyed.clone().update(message).digest();
};

/** Derives the key of 32 bytes for one use, named by `info`, from a secret: HKDF-SHA256 without a salt, in a single round. */
export function deriveKey(hmac: Hmac, secret: Uint8Array, info: string): Uint8Array {
  const extracted = hmac(new Uint8Array(MAC_BYTES))(secret);
  return hmac(extracted)(encodeText(`${info}\x01`));
}

/** Makes a guard that adds a MAC to the claims: holders can read and not change them. */
export function macGuard(mac: ReturnType<Hmac>): TokenGuard {
  return {
    close: (bound, claims) => concatBytes(claims, mac(concatBytes(bound, claims))),
    open(bound, body) {
      const claims = body.subarray(0, -MAC_BYTES);
      return isSameBytes(mac(concatBytes(bound, claims)), body.subarray(-MAC_BYTES)) ? claims : undefined;
    },
  };
}

/** Whether two byte arrays are equal. The time does not depend on where they differ. */
export function isSameBytes(wanted: Uint8Array, found: Uint8Array): boolean {
  // A missing byte is `undefined`, which differs from any byte.
  const start = wanted.length ^ found.length;
  return wanted.reduce((difference, byte, at) => difference | byte ^ (found[at] ?? 0x100), start) === 0;
}
