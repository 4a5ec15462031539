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
