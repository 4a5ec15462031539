import { OBJECT } from "../../internal/options.ts";

/** Encryption of a connection to Redis; an empty object turns it on. */
export interface RedisTls {
  /** Certificates of authorities to trust, as PEM. Default: the runtime's. */
  readonly ca?: string;
  /** Our own certificate, as PEM. */
  readonly cert?: string;
  /** Its key, as PEM. */
  readonly key?: string;
  /** The name that the certificate has to have. Default: the host. */
  readonly servername?: string;
  /** `false` takes any certificate. Default: `true`. */
  readonly rejectUnauthorized?: boolean;
}

/** Where Redis is, for those to whom a URL is not enough. */
export interface RedisAddress {
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: 6379. */
  readonly port?: number;
  /** A unix socket, instead of host and port. */
  readonly path?: string;
  /** Default: Redis' `default` user. */
  readonly username?: string;
  /** Default: none. */
  readonly password?: string;
  /** Number of the database. Default: 0. */
  readonly db?: number;
  /** Encrypts the connection. Default: it is not encrypted. */
  readonly tls?: RedisTls;
  /** Sentinels that know which host is the master. */
  readonly sentinels?: { readonly host: string; readonly port: number }[];
  /** The sentinels' name for the master. */
  readonly name?: string;
}

/** The parts that there are; what else an object has is for `ioredis`. */
const PARTS: Readonly<Record<keyof RedisAddress, true>> = {
  host: true,
  port: true,
  path: true,
  username: true,
  password: true,
  db: true,
  tls: true,
  sentinels: true,
  name: true,
};

/**
 * Throws unless an address is one: `ioredis` makes something of any text. What stands there is not told, since it may be secret.
 *
 * @param action What cannot be done otherwise: `keep sessions in Redis`.
 * @throws {TypeError} If it is neither a URL of Redis, nor the path of a socket, nor has any part of an address.
 */
export function assertRedisAddress(action: string, address: unknown): void {
  const isOne = typeof address === "string"
    ? /^\/[^/]/.test(address) || (/^rediss?:\/\//i.test(address) && URL.canParse(address))
    : OBJECT.fits(address) && hasPart(Object.keys(address as object));
  if (isOne) return;
  throw new TypeError(
    `Cannot ${action}: redis must be a URL such as "redis://127.0.0.1:6379", the path of a socket such as "/run/redis.sock", ` +
      "or parts such as { host, port }",
  );
}

/** Without any, it is the default of each. */
function hasPart(names: readonly string[]): boolean {
  return names.length === 0 || names.some((name) => Object.hasOwn(PARTS, name));
}
