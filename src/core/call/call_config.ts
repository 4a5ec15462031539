/** Checks a configuration: gives what a schema makes of it, or what is wrong with it. Dispatch reads that. */
export type CheckConfig = (value: unknown) => unknown;

/**
 * What the environment of a call supplies beside its arguments, as it came: keys to other services, units, defaults of the user.
 *
 * It may hold secrets. So it is nowhere a member that a log line or `JSON.stringify` of a call would show: whoever wants it,
 * asks for it.
 */
export class CallConfig {
  #check: CheckConfig | undefined;
  #members: Readonly<Record<string, unknown>>;

  /** Hides the members. */
  constructor(members: Readonly<Record<string, unknown>>, check?: CheckConfig) {
    this.#members = members;
    this.#check = check;
  }

  /** What it has to be as a whole, whichever tool is called; `undefined` where only the tool says, and once it was checked. */
  get check(): CheckConfig | undefined {
    return this.#check;
  }

  /** What the check has made of it: that is what a deferred call keeps, which nobody checks again. */
  accept(members: Readonly<Record<string, unknown>>): void {
    this.#members = members;
    this.#check = undefined;
  }

  /** The members. */
  reveal(): Readonly<Record<string, unknown>> {
    return this.#members;
  }
}
