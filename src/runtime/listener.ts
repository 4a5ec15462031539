/** Where to listen. */
export interface ListenOptions {
  /** The port; 0 for a free one. Default: 8000. */
  readonly port: number;
  /** The address. Default: `127.0.0.1`. */
  readonly hostname: string;
}

/** Key and certificate of a server. */
export interface TlsOptions {
  /** The private key, in PEM. */
  readonly key: string;
  /** The certificate, and those that lead to its authority, in PEM. */
  readonly cert: string;
}

/** A runtime's own HTTP server, listening. */
export interface Listener {
  /** The port. */
  readonly port: number;
  /** Takes no more connections; resolves when those that were busy have ended. */
  stopAccepting(): Promise<void>;
  /** Ends what is still connected, once it takes no more connections. */
  close(): Promise<void>;
}

/** Ends a listener that has served nobody yet. */
export async function discard(listener: Listener): Promise<void> {
  await Promise.all([listener.stopAccepting(), listener.close()]);
}
