import { mapMaybe } from "../../internal/async.ts";

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

  /** The check of the wire for the config of every tool; its output replaces the members. `undefined` once it has passed. */
  get check(): CheckConfig | undefined {
    const check = this.#check;
    return check && ((value) => mapMaybe(check(value), (checked) => this.#accept(checked)));
  }

  /** Keeps the output, which is also stored with deferred calls, and drops the check. */
  #accept(checked: unknown): unknown {
    const { issues, value } = checked as { readonly issues?: unknown; readonly value?: unknown };
    if (issues !== undefined) return checked;
    this.#members = value as Readonly<Record<string, unknown>>;
    this.#check = undefined;
    return checked;
  }

  /** The members. */
  reveal(): Readonly<Record<string, unknown>> {
    return this.#members;
  }
}
