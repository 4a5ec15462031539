import type { Hmac } from "../core/token/guard.ts";
import { keyRing } from "../core/keys/key_ring.ts";
import type { QuestionKeys } from "../core/dispatch/services.ts";

/** The members of a hash of `node:crypto` that are used here. */
interface Hash {
  update(message: Uint8Array): Hash;
  digest(): Uint8Array;
}

/** The functions of `node:crypto` that are used here, so that no types of Node are needed. */
interface CryptoModule {
  createHmac(algorithm: "sha256", key: object): Hash;
  createSecretKey(key: Uint8Array): object;
}

/** The members of `process` that are used here. */
interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(id: "node:crypto"): CryptoModule;
}

/**
 * Reads a key ring from an environment variable.
 *
 * @param name Name of the variable. It contains `kid:secret`, separated by commas: the first signs, all verify.
 * @throws {TypeError} If the variable is missing or invalid. The message never contains a secret.
 * @throws The runtime's own error if reading the variable is not permitted (Deno without `--allow-env`).
 */
export function keysFromEnv(name = "TOOLWIRE_KEYS"): QuestionKeys {
  const { process } = globalThis as { readonly process?: Process };
  const keys = process?.env[name];
  if (!keys) {
    throw new TypeError(
      `Cannot read keys: the environment has no ${name}; set it to "k1:" and the output of \`openssl rand -base64 32\``,
    );
  }
  const hmac = findFastHmac(process);
  return keyRing(keys, hmac === undefined ? {} : { hmac });
}

/** HMAC of the runtime. On Bun it halves the cost of a token, on Node that of a long one. On Deno it is slower. */
function findFastHmac(process: Process): Hmac | undefined {
  if ("Deno" in globalThis) return undefined;
  // Loaded by name instead of an import, so that bundles for other platforms do not contain it.
  const crypto = process.getBuiltinModule?.("node:crypto");
  if (crypto === undefined) return undefined;
  const { createHmac, createSecretKey } = crypto;
  return (bytes) => {
    // Node 24 takes six times as long if the key is bytes.
    const key = createSecretKey(bytes);
    return (message) => createHmac("sha256", key).update(message).digest();
  };
}
