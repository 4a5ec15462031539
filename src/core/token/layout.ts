/**
 * Where things stand in a token; docs/tokens.md has it in words.
 *
 * Knows bytes, and nothing of keys: a stamp that all may read, and claims that a guard proves or hides.
 *
 * @module
 */
import type { Json } from "../../internal/json.ts";
import type { TokenClaims, TokenKind, VerifiedToken } from "./token.ts";

/** How the tokens of a kind are told apart. */
export interface TokenShape {
  /** What a token begins with. */
  readonly prefix: string;
  /** The kind, as a byte. */
  readonly code: number;
  /** How long a token may be, in characters. */
  readonly maxChars: number;
}

/** A promise rides in a header, a continuation carries answers and steps, a context goes along with each call, a config stays with a job. */
export const tokenShapes: Readonly<Record<TokenKind, TokenShape>> = {
  promise: { prefix: "prom_", code: 1, maxChars: 2_048 },
  continuation: { prefix: "cont_", code: 2, maxChars: 32_768 },
  context: { prefix: "ctx_", code: 3, maxChars: 6_000 },
  config: { prefix: "conf_", code: 4, maxChars: 32_768 },
};

/** Bytes of a stamp. */
export const STAMP_BYTES = 21;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();

/** The bytes of a text. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The bytes of all parts, one after another. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let end = 0;
  for (const part of parts) end += part.length;
  const whole = new Uint8Array(end);
  for (const part of parts.toReversed()) whole.set(part, end -= part.length);
  return whole;
}

/** Expiry and id: five bytes and sixteen, the most significant first. */
export function encodeStamp({ expSeconds, id }: TokenClaims): Uint8Array {
  const text = `${expSeconds.toString(16).padStart(10, "0")}-${id}`;
  if (!/^[\da-f]{10}-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)) {
    throw new TypeError("Cannot sign a token: id is no UUID in lower case, or expSeconds no whole number");
  }
  const hex = text.replaceAll("-", "");
  const bytes = new Uint8Array(STAMP_BYTES);
  for (let at = 0; at < STAMP_BYTES; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

/** Reads what {@link encodeStamp} wrote. */
export function decodeStamp(bytes: Uint8Array): Pick<VerifiedToken, "expSeconds" | "id"> {
  let hex = "";
  for (const byte of bytes) hex += (byte + 0x100).toString(16).slice(1);
  return {
    expSeconds: Number.parseInt(hex.slice(0, 10), 16),
    id: hex.slice(10).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  };
}

/**
 * What claims are bound to: the principal, then what stands in the token before them.
 *
 * The principal is nowhere in the token, not even as a digest: who finds one cannot try e-mail addresses on it. As JSON it
 * shows its own end, and no two principals give the same bytes, whatever characters they have.
 */
export function bindTo(principal: string, head: Uint8Array): Uint8Array {
  return concatBytes(encodeText(JSON.stringify(principal)), head);
}

/** Tool and data. */
export function encodeClaims({ tool, data }: TokenClaims): Uint8Array {
  return encodeText(JSON.stringify(data === undefined ? [tool] : [tool, data]));
}

/** Reads what {@link encodeClaims} wrote; `undefined` if it did not. */
export function decodeClaims(bytes: Uint8Array): Pick<VerifiedToken, "tool" | "data"> | undefined {
  try {
    const [tool, data]: Json[] = JSON.parse(decoder.decode(bytes));
    return typeof tool === "string" ? { tool, data } : undefined;
  } catch {
    return undefined;
  }
}
