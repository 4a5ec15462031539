import { OBJECT } from "../../../internal/options.ts";
import { storeName } from "../store_errors.ts";

/** TLS options of a connection to Redis. An empty object enables TLS. */
export interface RedisTls {
  /** Trusted certificate authorities, as PEM. Default: those of the runtime. */
  readonly ca?: string | undefined;
  /** Client certificate, as PEM. */
  readonly cert?: string | undefined;
  /** Private key of the client certificate, as PEM. */
  readonly key?: string | undefined;
  /** Name that the server's certificate must have. Default: the host. */
  readonly servername?: string | undefined;
  /** `false` accepts any certificate. Default: `true`. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Address of Redis in parts, for what a URL cannot express. */
export interface RedisAddress {
  /** Host name or IP address. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** TCP port. Default: 6379. */
  readonly port?: number | undefined;
  /** Path of a Unix socket, in place of host and port. */
  readonly path?: string | undefined;
  /** User name. Default: the user `default` of Redis. */
  readonly username?: string | undefined;
  /** Password. Default: no authentication. */
  readonly password?: string | undefined;
  /** Database number. Default: 0. */
  readonly db?: number | undefined;
  /** TLS options. Default: no TLS. */
  readonly tls?: RedisTls | undefined;
  /** Addresses of the sentinels, which report the address of the master. */
  readonly sentinels?: { readonly host: string; readonly port: number }[] | undefined;
  /** Name of the master in the configuration of the sentinels. */
  readonly name?: string | undefined;
}

/** Members of an address; further members of an object are passed to `ioredis`. */
const PARTS: ReadonlySet<string> = new Set(
  ["host", "port", "path", "username", "password", "db", "tls", "sentinels", "name"] satisfies (keyof RedisAddress)[],
);

/**
 * Validates an address, since `ioredis` accepts any text. The message does not quote the address, which may contain a password.
 *
 * @param action Action that needs the address, such as `keep sessions in Redis`.
 * @throws {TypeError} If it is not a Redis URL, the path of a socket, or an object with a known member.
 */
export function assertRedisAddress(action: string, address: unknown): void {
  const names = Object.keys(Object(address));
  const isValid = typeof address === "string"
    ? /^\/[^/]/.test(address) || (/^rediss?:\/\//i.test(address) && URL.canParse(address))
    // An empty object is valid, since each part has a default.
    : OBJECT.fits(address) && (names.length === 0 || names.some((name) => PARTS.has(name)));
  if (isValid) return;
  throw new TypeError(
    `Cannot ${action}: redis must be a URL such as "redis://127.0.0.1:6379", the path of a socket such as "/run/redis.sock", ` +
      "or parts such as { host, port }",
  );
}

/** Formats the address of a Redis server for error messages and logs, without its credentials. */
export function redisName(address: string | RedisAddress): string {
  if (typeof address === "string") return storeName("Redis", address);
  const { host = "127.0.0.1", port = 6_379, path, sentinels } = address;
  if (sentinels !== undefined) return `Redis by way of ${sentinels.map((one) => `${one.host}:${one.port}`).join(", ")}`;
  return `Redis at ${path ?? `${host}:${port}`}`;
}
