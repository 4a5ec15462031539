/** Reads what a token shows without keys: kind, key id, expiry, id and, unless it is sealed, its claims (examples/tokens/README.md). */
import { decodeBase64Url } from "../core/token/base64url.ts";
import { decodeClaims, decodeStamp, STAMP_BYTES, tokenShapes } from "../core/token/layout.ts";

/** Contents of a token that any holder can read. */
export interface TokenContents {
  /** Kind, such as `promise`. */
  readonly kind: string;
  /** Id of the key that signed it. */
  readonly kid: string;
  /** Id of the call or job. */
  readonly id: string;
  /** Time of expiry, in seconds since the Unix epoch. */
  readonly expSeconds: number;
  readonly isExpired: boolean;
  /** Whether its claims are encrypted. */
  readonly isSealed: boolean;
  /** Name of the tool; `undefined` if it is sealed. */
  readonly tool?: string | undefined;
}

/** Version of tokens whose claims are readable, and size of the code that signs them, in bytes. */
const SIGNED = 1;
const MAC_BYTES = 32;

/** Reads what a token shows without keys. It is not verified. @returns `undefined` if the text is not a token of Toolwire. */
export function readToken(token: string, nowMs: number): TokenContents | undefined {
  const found = Object.entries(tokenShapes).find(([, { prefix }]) => token.startsWith(prefix));
  if (found === undefined) return undefined;
  const [kind, { prefix, maxChars }] = found;
  const bytes = token.length > maxChars ? undefined : decodeBase64Url(token.slice(prefix.length));
  if (bytes === undefined) return undefined;
  const kidEnd = 2 + (bytes[1] ?? 0);
  const claimsAt = kidEnd + 1 + STAMP_BYTES;
  const kid = new TextDecoder().decode(bytes.subarray(2, kidEnd));
  if (bytes.length < claimsAt || !/^[\w-]{1,16}$/.test(kid)) return undefined;
  const { expSeconds, id } = decodeStamp(bytes.subarray(kidEnd + 1, claimsAt));
  const isSealed = bytes[0] !== SIGNED;
  const claims = isSealed ? undefined : decodeClaims(bytes.subarray(claimsAt, bytes.length - MAC_BYTES));
  return { kind, kid, id, expSeconds, isExpired: expSeconds * 1_000 < nowMs, isSealed, tool: claims?.tool };
}
