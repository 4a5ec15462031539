/** How a connection with TLS is made. */
export interface TlsClientOptions {
  /** Certificates of the authorities that are trusted, in PEM. Default: the runtime's. */
  readonly ca?: string;
  /** The private key that is shown, in PEM. */
  readonly key?: string;
  /** The certificate that is shown, in PEM. */
  readonly cert?: string;
}
