/** An error of an OAuth endpoint, with its code. Its message is sent to the client, or shown in the browser; `reason` is only logged. */
export class OAuthError extends Error {
  /** Error code of OAuth: `invalid_request`. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** Why, for the log of the server; never a token or code. */
  readonly reason: string | undefined;

  constructor(code: string, message: string, { status = 400, reason }: { status?: number; reason?: string } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.reason = reason;
  }
}

/** Decodes the parameters of a query or form. @throws {OAuthError} If one is repeated: parsers differ in which one they read. */
export function readParameters(encoded: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(encoded)) {
    if (parameters.has(name)) {
      throw new OAuthError("invalid_request", `The parameter ${JSON.stringify(name)} is repeated`);
    }
    parameters.set(name, value);
  }
  return parameters;
}
