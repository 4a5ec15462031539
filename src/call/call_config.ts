/** Checks a configuration: gives what a schema makes of it, or what is wrong with it. Dispatch reads that. */
export type CheckConfig = (value: unknown) => unknown;

/**
 * What the environment of a call supplies beside its arguments, as it came: keys to other services, units, defaults of the user.
 *
 * It may hold secrets. So it is nowhere a member that a log line or `JSON.stringify` of a call would show: whoever wants it,
 * asks for it.
 */
export class CallConfig {
  /** What it has to be as a whole, whichever tool is called; `undefined` where only the tool says. */
  readonly check: CheckConfig | undefined;
  readonly #members: Readonly<Record<string, unknown>>;

  /** Hides the members. */
  constructor(members: Readonly<Record<string, unknown>>, check?: CheckConfig) {
    this.#members = members;
    this.check = check;
  }

  /** The members. */
  reveal(): Readonly<Record<string, unknown>> {
    return this.#members;
  }
}
