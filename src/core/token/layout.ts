/**
 * Byte layout of tokens, described in examples/tokens/README.md: a readable stamp, and claims that a guard protects.
 *
 * Independent of keys.
 */
import type { Json } from "../../internal/json.ts";
import type { TokenClaims, TokenKind, VerifiedToken } from "./token.ts";

/** Prefix, kind byte and maximum length of a kind of token. */
export interface TokenShape {
  /** Prefix of the token. */
  readonly prefix: string;
  /** Byte of the kind. */
  readonly code: number;
  /** Maximum length of a token, in characters. */
  readonly maxChars: number;
}

/**
 * Prefix, byte and maximum length of each kind of token. Limits by use: a promise is sent in a header, a continuation contains answers
 * and steps, a context is sent with each call, a config is stored with a job, a handle of an answer contains the arguments of its call,
 * a resolver is part of a URL.
 */
export const tokenShapes: Readonly<Record<TokenKind, TokenShape>> = {
  promise: { prefix: "prom_", code: 1, maxChars: 2_048 },
  continuation: { prefix: "cont_", code: 2, maxChars: 32_768 },
  context: { prefix: "ctx_", code: 3, maxChars: 6_000 },
  config: { prefix: "conf_", code: 4, maxChars: 32_768 },
  answer: { prefix: "more_", code: 5, maxChars: 32_768 },
  resolve: { prefix: "res_", code: 6, maxChars: 512 },
};

/** Size of a stamp in bytes: the expiry and id of a token, which all holders can read. */
export const STAMP_BYTES = 21;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();

/** Encodes text in UTF-8. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Returns the bytes of all parts, one after the other, in a new array. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let end = 0;
  for (const part of parts) end += part.length;
  const whole = new Uint8Array(end);
  for (const part of parts.toReversed()) whole.set(part, end -= part.length);
  return whole;
}

/** Encodes expiry (5 bytes) and id (16 bytes), big-endian. @throws {TypeError} If the id is not a UUID in lower case, or the expiry not whole. */
export function encodeStamp({ expSeconds, id }: TokenClaims): Uint8Array {
  const text = `${expSeconds.toString(16).padStart(10, "0")}-${id}`;
  if (!/^[\da-f]{10}-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)) {
    throw new TypeError("Cannot sign a token: id must be a UUID in lower case, and expSeconds a whole number");
  }
  const hex = text.replaceAll("-", "");
  const bytes = new Uint8Array(STAMP_BYTES);
  for (let at = 0; at < STAMP_BYTES; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

/** Decodes the output of {@link encodeStamp}. */
export function decodeStamp(bytes: Uint8Array): Pick<VerifiedToken, "expSeconds" | "id"> {
  let hex = "";
  for (const byte of bytes) hex += (byte + 0x100).toString(16).slice(1);
  return {
    expSeconds: Number.parseInt(hex.slice(0, 10), 16),
    id: hex.slice(10).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  };
}

/**
 * Data to which claims are bound: the principal, then the token's bytes before the claims.
 *
 * The token does not contain the principal, not even as a digest, so it cannot be used to test guesses such as e-mail
 * addresses. JSON is self-delimiting, so no two principals result in the same bytes.
 */
export function bindTo(principal: string, head: Uint8Array): Uint8Array {
  return concatBytes(encodeText(JSON.stringify(principal)), head);
}

export function encodeClaims({ tool, data }: TokenClaims): Uint8Array {
  return encodeText(JSON.stringify(data === undefined ? [tool] : [tool, data]));
}

/** Decodes the output of {@link encodeClaims}. `undefined` if it is invalid. */
export function decodeClaims(bytes: Uint8Array): Pick<VerifiedToken, "tool" | "data"> | undefined {
  try {
    const [tool, data]: Json[] = JSON.parse(decoder.decode(bytes));
    return typeof tool === "string" ? { tool, data } : undefined;
  } catch {
    return undefined;
  }
}
