/**
 * Encryption of everything that a sign-in remembers between two requests: there is no other memory, so that replicas share the keys
 * alone. JWE with AES-256-GCM, by `jose`.
 *
 * Each kind has its own key, derived from the secret by HKDF, and its own `typ`: a token of one kind is never one of another.
 */
import { EncryptJWT, errors, jwtDecrypt } from "jose";
import { parseKeys } from "../../core/keys/key_ring.ts";
import { deriveKey, nobleHmac } from "../../core/token/guard.ts";
import type { JsonObject } from "../../internal/json.ts";
import type { SignInConfig } from "./config.ts";

/** Purpose of a sealed text. Each has its own key: a text of one kind cannot be opened as another. */
export type SealedKind = "client" | "consent" | "transaction" | "code" | "access" | "refresh";

/** Content of a sealed text, with the time of its expiry in seconds since the Unix epoch; 0 for no expiry. */
export interface Opened {
  readonly content: JsonObject;
  readonly expSeconds: number;
}

/** Longest sealed text that is decrypted, in characters. */
const MAX_CHARS = 32_768;

/** Tolerated difference between the clocks of replicas, in seconds. */
const LEEWAY_SECONDS = 60;

/** Encrypts JSON as a JWE with the first key of the option `keys`, and decrypts it with any of them. */
export class Sealer {
  readonly #keys: ReturnType<typeof parseKeys>;
  readonly #issuer: string;
  readonly #now: () => number;
  readonly #derived = new Map<string, Uint8Array>();

  /** @throws {TypeError} If a key is invalid. The message never contains a secret. */
  constructor(keys: string | readonly string[], { issuer, now }: Pick<SignInConfig, "issuer" | "now">) {
    this.#keys = parseKeys(keys);
    this.#issuer = issuer;
    this.#now = now;
  }

  /** Current time in whole seconds since the Unix epoch. */
  get nowSeconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  /** Returns the encrypted content. @param seconds Lifetime; `undefined` for no expiry. */
  async seal(kind: SealedKind, content: JsonObject, seconds?: number): Promise<string> {
    const [{ kid }] = this.#keys;
    const jwt = new EncryptJWT({ c: content })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid, typ: typeOf(kind) })
      .setIssuer(this.#issuer);
    if (seconds !== undefined) jwt.setExpirationTime(this.nowSeconds + Math.floor(seconds));
    return await jwt.encrypt(this.#key(kind, kid)!);
  }

  /** Decrypts a text of this kind, of this issuer. Returns why it cannot be read otherwise. Never throws. */
  async open(kind: SealedKind, sealed: string): Promise<Opened | "invalid" | "expired"> {
    if (sealed.length > MAX_CHARS) return "invalid";
    try {
      const { payload } = await jwtDecrypt(sealed, ({ kid }) => this.#key(kind, kid) ?? fail(), {
        issuer: this.#issuer,
        typ: typeOf(kind),
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
        currentDate: new Date(this.#now()),
        clockTolerance: LEEWAY_SECONDS,
        requiredClaims: kind === "client" ? [] : ["exp"],
      });
      return { content: payload["c"] as JsonObject, expSeconds: payload.exp ?? 0 };
    } catch (thrown) {
      return thrown instanceof errors.JWTExpired ? "expired" : "invalid";
    }
  }

  /** The key of a kind; `undefined` for an unknown key id. */
  #key(kind: SealedKind, kid: unknown): Uint8Array | undefined {
    const secret = this.#keys.find((key) => key.kid === kid)?.secret;
    if (secret === undefined) return undefined;
    const name = `${kind} ${kid}`;
    const key = this.#derived.get(name) ?? deriveKey(nobleHmac, secret, `toolwire/sign-in/1/${kind}`);
    this.#derived.set(name, key);
    return key;
  }
}

function typeOf(kind: SealedKind): string {
  return `toolwire-${kind}`;
}

function fail(): never {
  throw new errors.JWEDecryptionFailed();
}
