/** Claims of signed tokens, and the interface for signing and verifying them. */
import type { Json } from "../../internal/json.ts";

/** Purpose of a token, never accepted for another: `context` is caller state, `answer` a handle of an answer, `resolve` gives a wait its value. */
export type TokenKind = "promise" | "continuation" | "context" | "config" | "answer" | "resolve";

/** What a token is signed for: call, tool, caller, expiry and further data. */
export interface TokenClaims {
  /** Id of the call or job, a UUID in lower case. */
  readonly id: string;
  /** Time of expiry, in whole seconds since the Unix epoch. */
  readonly expSeconds: number;
  /** Name of the tool. `""` for none. */
  readonly tool: string;
  /**
   * Id of the only principal that may use the token, `""` for an anonymous caller. Bound to the token, but not
   * contained in it.
   */
  readonly principal: string;
  /** Further data. The holder of the token can read it, unless it is sealed. */
  readonly data?: Json | undefined;
}

/** What a valid token contains: the claims that were signed, without the caller. */
export interface VerifiedToken {
  /** A UUID in lower case. */
  readonly id: string;
  /** Time of expiry, in seconds since the Unix epoch. */
  readonly expSeconds: number;
  /** Name of the tool, which the caller has to compare. `""` for none. */
  readonly tool: string;
  /** Signed data, if any. */
  readonly data: Json | undefined;
}

/** Signs tokens of all kinds and verifies them, as the option `keys` of a server. Replicas need the same secrets. */
export interface TokenKeys {
  /** Whether claims are encrypted. Default: `false`. */
  readonly isSealed?: boolean | undefined;
  /**
   * Signs a token.
   *
   * @throws {RangeError} If it exceeds the limit of its kind: a promise 2,048 characters, a continuation 32,768, a
   * context 6,000, a config or an answer 32,768, a resolver 512.
   * @throws {TypeError} If the id is not a UUID in lower case, or the expiry not a whole number of seconds.
   */
  sign(kind: TokenKind, claims: TokenClaims): string;
  /**
   * Verifies a token. Never throws. Returns `"invalid"` if the token is malformed, of another kind or principal, or not
   * signed by one of the keys. Returns `"expired"` if it is otherwise valid.
   *
   * @param nowMs Current time, in milliseconds since the Unix epoch. Clocks may differ by a minute.
   */
  verify(kind: TokenKind, token: string, principal: string, nowMs: number): VerifiedToken | "invalid" | "expired";
  /** The same keys without the warning of random ones, for tokens that only this process receives, as over its own pipes. */
  readonly "~ofProcess"?: TokenKeys | undefined;
}
