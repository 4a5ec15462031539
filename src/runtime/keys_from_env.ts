import type { Hmac } from "../core/token/guard.ts";
import { keyRing } from "../core/keys/key_ring.ts";
import type { QuestionKeys } from "../core/dispatch/services.ts";

interface Hash {
  update(message: Uint8Array): Hash;
  digest(): Uint8Array;
}

interface CryptoModule {
  createHmac(algorithm: "sha256", key: object): Hash;
  createSecretKey(key: Uint8Array): object;
}

interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(id: "node:crypto"): CryptoModule;
}

/**
 * The key ring of an environment variable.
 *
 * @param name The variable. It holds `kid:secret`, separated by commas: the first signs, all verify.
 * @throws {TypeError} If the variable is missing or holds no key ring. The message never holds a secret.
 * @throws The runtime's own error where reading the variable is not allowed (Deno without `--allow-env`).
 */
export function keysFromEnv(name = "TOOLWIRE_KEYS"): QuestionKeys {
  const { process } = globalThis as { readonly process?: Process };
  const keys = process?.env[name];
  if (!keys) {
    throw new TypeError(
      `Cannot read keys: the environment has no ${name}; set it to "k1:" and what \`openssl rand -base64 32\` prints`,
    );
  }
  const hmac = findFastHmac(process);
  return keyRing(keys, hmac === undefined ? {} : { hmac });
}

/** The runtime's own HMAC: on Bun it halves what a token costs, on Node what a long one does; on Deno it is the slower one. */
function findFastHmac(process: Process): Hmac | undefined {
  if ("Deno" in globalThis) return undefined;
  // Asked for by name and not imported, so that bundles for other places need not know of it.
  const crypto = process.getBuiltinModule?.("node:crypto");
  if (crypto === undefined) return undefined;
  const { createHmac, createSecretKey } = crypto;
  return (bytes) => {
    // Node 24 takes six times as long where the key is bytes.
    const key = createSecretKey(bytes);
    return (message) => createHmac("sha256", key).update(message).digest();
  };
}
