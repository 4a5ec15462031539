/** TLS options of a client. */
export interface TlsClientOptions {
  /** Trusted certificate authorities, in PEM. Default: those of the runtime. */
  readonly ca?: string | undefined;
  /** Private key of the client certificate, in PEM. */
  readonly key?: string | undefined;
  /** Client certificate, in PEM. */
  readonly cert?: string | undefined;
}
