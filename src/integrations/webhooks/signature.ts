/** Signatures of webhooks: the symmetric scheme `v1` of Standard Webhooks 1.0, HMAC-SHA256 over id, time and body. */
import type { Metadata } from "../../core/call/call.ts";
import { isSameBytes, nobleHmac } from "../../core/token/guard.ts";
import { concatBytes, encodeText } from "../../core/token/layout.ts";
import { encodeBase64 } from "../../internal/encoding.ts";
import { checkOptions, POSITIVE } from "../../internal/options.ts";

/** Shortest secret, in bytes, of Standard Webhooks. */
const MIN_SECRET_BYTES = 24;

/** Default of {@link VerifyOptions.toleranceMs}, of Standard Webhooks. */
const TOLERANCE_MS = 300_000;

/** Functions that return the HMAC-SHA256 of a message, one for each secret in use. */
export type Signers = readonly ((message: Uint8Array) => Uint8Array)[];

/**
 * Reads secrets: the first is the current one, the others are still in use by some receivers.
 *
 * @throws {TypeError} If there is no secret, or one is not `whsec_` and base64 of at least 24 bytes. The message never holds a secret.
 */
export function readSecrets(secret: string | readonly string[]): Signers {
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0) throw secretError("there is none");
  return secrets.map((one: unknown) => nobleHmac(readSecret(one)));
}

function readSecret(secret: unknown): Uint8Array {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(String(secret)) ?? [];
  if (base64 === undefined) throw secretError('one does not begin with "whsec_", or is not base64');
  const bytes = Uint8Array.from(decodeBase64(base64), (character) => character.charCodeAt(0));
  if (bytes.length < MIN_SECRET_BYTES) throw secretError(`one has ${bytes.length} bytes`);
  return bytes;
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    throw secretError("one is not base64");
  }
}

function secretError(problem: string): TypeError {
  return new TypeError(
    `Cannot sign webhooks: a secret must be "whsec_" and base64 of at least ${MIN_SECRET_BYTES} random bytes; ${problem}`,
  );
}

/** Value of the header `webhook-signature`: a signature over id, time in seconds and body for each secret. */
export function signWebhook(signers: Signers, id: string, seconds: number | string, body: Uint8Array): string {
  const message = concatBytes(encodeText(`${id}.${seconds}.`), body);
  return signers.map((sign) => `v1,${encodeBase64(sign(message))}`).join(" ");
}

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** Largest difference between the time of the webhook and the clock, in milliseconds. Default: 300,000, five minutes. */
  readonly toleranceMs?: number | undefined;
}

/**
 * Creates a check of the signature and the age of webhooks in the format of Standard Webhooks, such as those of {@link webhook}: for a
 * receiver, and for `resolver({ url, verify: verifyWebhook(secret) })`.
 *
 * A webhook may arrive more than once: keep the header `webhook-id` of those that were processed.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from "jsr:@toolwire/toolwire/webhooks";
 *
 * const isValid = verifyWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
 * console.log(isValid(new TextEncoder().encode("{}"), new Headers())); // → false
 * ```
 * @param secret `whsec_` and base64, or several of them: one has to match.
 * @returns Checks the bytes of a body with its headers.
 * @throws {TypeError} If a secret is invalid, or an option is unknown.
 * @throws {RangeError} If `toleranceMs` is not a number above 0.
 */
export function verifyWebhook(
  secret: string | readonly string[],
  options: VerifyOptions = {},
): (body: Uint8Array, headers: Metadata) => boolean {
  checkOptions<VerifyOptions>("verify webhooks", options, { toleranceMs: POSITIVE });
  const { toleranceMs = TOLERANCE_MS } = options;
  const signers = readSecrets(secret);
  return (body, headers) => {
    const [id, seconds] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
    if (!id || seconds === null || !/^\d{1,12}$/.test(seconds)) return false;
    if (Math.abs(Date.now() - Number(seconds) * 1000) > toleranceMs) return false;
    const sent = (headers.get("webhook-signature") ?? "").split(" ").map(encodeText);
    const expected = signWebhook(signers, id, seconds, body).split(" ").map(encodeText);
    return expected.some((one) => sent.some((other) => isSameBytes(one, other)));
  };
}
