import { keyRing, randomKeyRing } from "../core/keys/key_ring.ts";
import type { TokenKeys } from "../core/token/token.ts";
import type { Logger } from "../core/handler/context.ts";

const WARNING =
  "Tokens are signed with a random key: other replicas refuse them, and so will this one after a restart. " +
  'Pass createServer({ keys: "k1:…" }), from your secrets';

/**
 * What a server signs with.
 *
 * @throws {TypeError} If the keys are not what they should be.
 */
export function resolveKeys(
  keys: string | readonly string[] | TokenKeys | undefined,
  logger: Logger | undefined,
): TokenKeys {
  if (keys === undefined) return withWarning(randomKeyRing(), logger);
  if (typeof keys === "string" || Array.isArray(keys)) return keyRing(keys);
  const ring = keys as TokenKeys | null;
  if (typeof ring?.sign === "function" && typeof ring.verify === "function") return ring;
  throw new TypeError(
    'Cannot create server: keys are text, such as "k1:…", several of them, keysFromEnv() or sealed(…)',
  );
}

/** Says once, when it matters, what will not work. */
function withWarning(keys: TokenKeys, logger: Logger | undefined): TokenKeys {
  let hasWarned = false;
  return {
    verify: keys.verify.bind(keys),
    sign(kind, claims) {
      if (!hasWarned) (logger ?? console).warn(WARNING);
      hasWarned = true;
      return keys.sign(kind, claims);
    },
  };
}
