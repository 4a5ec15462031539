/** Key rings: sign and verify tokens with shared secrets. */
import { decodeBase64Url, encodeBase64Url } from "../token/base64url.ts";
import { deriveKey, type Hmac, macGuard, nobleHmac, type TokenGuard } from "../token/guard.ts";
import {
  bindTo,
  concatBytes,
  decodeClaims,
  decodeStamp,
  encodeClaims,
  encodeStamp,
  encodeText,
  STAMP_BYTES,
  tokenShapes,
} from "../token/layout.ts";
import type { TokenClaims, TokenKind, VerifiedToken } from "../token/token.ts";
import { withQuestions } from "../dispatch/questions/with_questions.ts";
import type { QuestionKeys } from "../dispatch/services.ts";
import type { Logger } from "../handler/context.ts";

/** Options of {@link keyRing}. */
export interface KeyRingOptions {
  /** Computes HMAC-SHA256, for runtimes with a faster implementation. Default: that of `@noble/hashes`. */
  readonly hmac?: Hmac | undefined;
  /**
   * Creates an encrypting guard from a key of 32 bytes; `sealed()` passes one. Default: claims are signed, but
   * readable.
   */
  readonly seal?: ((key: Uint8Array) => TokenGuard) | undefined;
}

/** A secret, and the id by which tokens name it. */
export interface Key {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** A secret, for one kind of token. */
interface DerivedKey {
  /** First bytes of its tokens: version, key id and kind. */
  readonly start: Uint8Array;
  readonly guard: TokenGuard;
}

/** The first key signs, all keys verify: a secret can be replaced while tokens of the old one are valid. */
export type Ring<Entry> = readonly [first: Entry, ...others: Entry[]];

/** Tolerated clock difference between signing and verifying processes, in seconds. */
const LEEWAY_SECONDS = 60;
const MIN_SECRET_BYTES = 32;

/**
 * Creates keys that sign a server's tokens with the first secret and verify them with any, so that secrets can be replaced.
 *
 * @example A ring in which k2 takes over from k1
 * ```ts check
 * import { keyRing } from "jsr:@toolwire/toolwire";
 *
 * const keys = keyRing("k2:3q2h…,k1:9XcE…");
 * ```
 * @param keys `kid:secret`, separated by commas, or a list of them. A kid is 1 to 16 of `A-Z`, `a-z`, `0-9`, `_` and
 * `-`. A secret is text of at least 32 bytes, such as the output of `openssl rand -base64 32`. White space around a key
 * is ignored.
 * @throws {TypeError} If there is no key, or one is invalid. The message never contains a secret.
 */
export function keyRing(keys: string | readonly string[], options: KeyRingOptions = {}): QuestionKeys {
  const ring = parseKeys(keys);
  return ringOf(() => ring, options);
}

/** A ring with random keys for this process, made at first use: some runtimes have no randomness before the first request. */
export function randomKeyRing(): QuestionKeys {
  return ringOf(() => [{ kid: "random", secret: crypto.getRandomValues(new Uint8Array(MIN_SECRET_BYTES)) }], {});
}

const RANDOM_KEYS_WARNING =
  "Tokens are signed with a random key: other replicas refuse them, and so will this one after a restart. " +
  'Pass createServer({ keys: "k1:…" }), from your secrets';

/**
 * Random keys for a server without the option `keys`. A warning is logged when the first token is signed that another process may be
 * sent, since replicas refuse it.
 */
export function randomKeys(logger: Logger | undefined): QuestionKeys {
  const ring = randomKeyRing();
  let hasWarned = false;
  return {
    ...ring,
    "~ofProcess": ring,
    sign(kind, claims) {
      if (!hasWarned) logger?.warn(RANDOM_KEYS_WARNING);
      hasWarned = true;
      return ring.sign(kind, claims);
    },
  };
}

/** Parses the keys of a ring. @throws {TypeError} If there is no key, or one is invalid. */
export function parseKeys(keys: string | readonly string[]): Ring<Key> {
  const seen = new Set<string>();
  const parse = (entry: string, index: number): Key => {
    const [, kid = "", text = ""] = /^([\w-]{1,16}):(.*)$/s.exec(entry.trim()) ?? [];
    const secret = encodeText(text);
    if (seen.has(kid) || secret.length < MIN_SECRET_BYTES) {
      // The invalid key may be a bare secret, so the message does not contain it.
      throw new TypeError(
        `Cannot create key ring: key ${index + 1} is not "kid:secret", the kid unique and 1 to 16 of ` +
          "A-Z a-z 0-9 _ -, the secret 32 bytes or more (as from `openssl rand -base64 32`)" +
          (typeof keys === "string" && keys.includes(",")
            ? ". Commas separate keys: pass an array for a secret with a comma"
            : ""),
      );
    }
    seen.add(kid);
    return { kid, secret };
  };
  if (typeof keys !== "string" && !Array.isArray(keys)) {
    throw new TypeError(
      'Cannot create key ring: keys are missing; pass "kid:secret", or keysFromEnv() of "toolwire/serve"',
    );
  }
  const [first = "", ...others] = typeof keys === "string" ? keys.split(",") : keys;
  return mapRing([first, ...others], parse);
}

/** `map()` of a non-empty list. */
function mapRing<From, To>([first, ...others]: Ring<From>, map: (entry: From, index: number) => To): Ring<To> {
  return [map(first, 0), ...others.map((entry, index) => map(entry, index + 1))];
}

/** @param makeRing Called when the first token of a kind is signed or verified. */
function ringOf(makeRing: () => Ring<Key>, { hmac = nobleHmac, seal }: KeyRingOptions): QuestionKeys {
  const version = seal === undefined ? 1 : 2;
  const lanes: Partial<Record<TokenKind, Ring<DerivedKey>>> = {};

  function lanesOf(kind: TokenKind): Ring<DerivedKey> {
    return lanes[kind] ??= mapRing(makeRing(), ({ kid, secret }) => {
      const key = deriveKey(hmac, secret, `toolwire/${version}/${kind}`);
      return {
        start: new Uint8Array([version, kid.length, ...encodeText(kid), tokenShapes[kind].code]),
        guard: seal === undefined ? macGuard(hmac(key)) : seal(key),
      };
    });
  }

  function sign(kind: TokenKind, claims: TokenClaims): string {
    const { prefix, maxChars } = tokenShapes[kind];
    const [{ start, guard }] = lanesOf(kind);
    const head = concatBytes(start, encodeStamp(claims));
    const body = guard.close(bindTo(claims.principal, head), encodeClaims(claims));
    const token = prefix + encodeBase64Url(concatBytes(head, body));
    if (token.length > maxChars) {
      throw new RangeError(`Cannot sign a ${kind} token: ${token.length} characters are more than ${maxChars}`);
    }
    return token;
  }

  function verify(
    kind: TokenKind,
    token: string,
    principal: string,
    nowMs: number,
  ): VerifiedToken | "invalid" | "expired" {
    // Cheap checks first: nothing is computed for text longer than a token.
    const { prefix, maxChars } = tokenShapes[kind];
    if (token.length > maxChars || !token.startsWith(prefix)) return "invalid";
    const bytes = decodeBase64Url(token.slice(prefix.length));
    if (bytes === undefined) return "invalid";
    const lane = lanesOf(kind).find(({ start }) => start.every((byte, at) => byte === bytes[at]));
    if (lane === undefined) return "invalid";
    const stampStart = lane.start.length;
    const headEnd = stampStart + STAMP_BYTES;
    const claims = lane.guard.open(bindTo(principal, bytes.subarray(0, headEnd)), bytes.subarray(headEnd));
    const decoded = claims && decodeClaims(claims);
    if (decoded === undefined) return "invalid";
    const stamp = decodeStamp(bytes.subarray(stampStart, headEnd));
    // Checked after the signature, so that a forgery does not reveal expiry. Written so that NaN counts as expired.
    return nowMs < (stamp.expSeconds + LEEWAY_SECONDS) * 1000 ? { ...stamp, ...decoded } : "expired";
  }

  return withQuestions({ isSealed: seal !== undefined, sign, verify });
}
