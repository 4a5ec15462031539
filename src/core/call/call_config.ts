import { mapMaybe } from "../../internal/async.ts";

/** Validates a configuration. Returns the validated value or the issues; dispatch interprets the result. */
export type CheckConfig = (value: unknown) => unknown;

/** Validates and sets the config of a run, by dispatch. */
export type ConfigureRun = (run: never) => unknown;

/**
 * Configuration that the environment of a call supplies beside its arguments: keys to other services, units, defaults of the user.
 *
 * It may contain secrets, so it is not an enumerable member that a log line or `JSON.stringify` of a call would show. Code that needs it
 * calls `reveal()`.
 */
export class CallConfig {
  #check: CheckConfig | undefined;
  #members: Readonly<Record<string, unknown>>;
  /**
   * Runs the check for tools that take no config.
   *
   * @internal
   */
  readonly configure: ConfigureRun | undefined;

  /**
   * Hides the members.
   *
   * @param configure Runs the check of the wire for tools that take no config.
   */
  constructor(
    members: Readonly<Record<string, unknown>>,
    check?: CheckConfig,
    configure?: ConfigureRun,
  ) {
    this.configure = configure;
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
