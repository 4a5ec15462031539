/**
 * What a signed token says, and who makes and reads one.
 *
 * @module
 */
import type { Json } from "../../internal/json.ts";

/** What a token is for: one of a kind is never taken for one of another. */
export type TokenKind = "promise" | "continuation" | "context" | "config";

/** What a token is to say. */
export interface TokenClaims {
  /** A UUID in lower case: what the token is about. */
  readonly id: string;
  /** When it expires, in whole seconds since the Unix epoch. */
  readonly expSeconds: number;
  /** Name of its tool; `""` for none. */
  readonly tool: string;
  /** Id of the principal who alone may use it, `""` for nobody in particular. Bound to the token, and not to be read in it. */
  readonly principal: string;
  /** Anything else. Whoever holds the token can read it, unless it is sealed. */
  readonly data?: Json | undefined;
}

/** What a good token said. */
export interface VerifiedToken {
  /** A UUID in lower case. */
  readonly id: string;
  /** When it expires, in seconds since the Unix epoch. */
  readonly expSeconds: number;
  /** Name of its tool, for the caller to compare; `""` for none. */
  readonly tool: string;
  /** The data, if any was signed. */
  readonly data: Json | undefined;
}

/** Signs and verifies tokens. */
export interface TokenKeys {
  /** Whether nobody can read the data of its tokens without a secret. Default: `false`. */
  readonly isSealed?: boolean;
  /**
   * Makes a token.
   *
   * @throws {RangeError} If it would be longer than its kind allows: a promise 2,048 characters, a continuation 32,768, a
   * context 6,000, a config 32,768.
   * @throws {TypeError} If the id is no UUID in lower case, or the expiry no whole number of seconds.
   */
  sign(kind: TokenKind, claims: TokenClaims): string;
  /**
   * Reads a token. Never throws: what is not a token of this kind, for this principal, signed with one of these keys, is
   * `"invalid"`, and only what would otherwise be good is `"expired"`.
   *
   * @param nowMs The time, in milliseconds since the Unix epoch; clocks may differ by a minute.
   */
  verify(kind: TokenKind, token: string, principal: string, nowMs: number): VerifiedToken | "invalid" | "expired";
}
