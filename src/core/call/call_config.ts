/** Validates a configuration. Returns the schema's result, which dispatch interprets. */
export type CheckConfig = (value: unknown) => unknown;

/**
 * Configuration from the caller's environment, as received: credentials for other services, units, user defaults.
 *
 * It may contain secrets. They are in private fields, so that neither a log line nor `JSON.stringify` of a call shows
 * them.
 */
export class CallConfig {
  #check: CheckConfig | undefined;
  #members: Readonly<Record<string, unknown>>;

  /** Stores the members. */
  constructor(members: Readonly<Record<string, unknown>>, check?: CheckConfig) {
    this.#members = members;
    this.#check = check;
  }

  /** Check of the whole configuration, independent of the tool. `undefined` if there is none, or once it has passed. */
  get check(): CheckConfig | undefined {
    return this.#check;
  }

  /** Replaces the members with the validated ones. A deferred call stores these and does not validate them again. */
  accept(members: Readonly<Record<string, unknown>>): void {
    this.#members = members;
    this.#check = undefined;
  }

  /** Returns the members. */
  reveal(): Readonly<Record<string, unknown>> {
    return this.#members;
  }
}
