import { mapMaybe } from "../../internal/async.ts";

/** Validates the config of a call. Returns a Standard Schema result, `{ value }` or `{ issues }`, or a promise of it. */
export type CheckConfig = (value: unknown) => unknown;

/** Validates the config of a run and sets it as `ctx.config`; returns an error result if it is invalid. Implemented in dispatch/run_config.ts. */
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
   * Runs {@link CallConfig.check} for tools without `.config()`, which have no such function themselves.
   *
   * @internal
   */
  readonly configure: ConfigureRun | undefined;

  /**
   * Keeps the members in a private field.
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

  /** Returns the members, secrets included. After the check has passed they are its output. */
  reveal(): Readonly<Record<string, unknown>> {
    return this.#members;
  }
}
