/**
 * Errors of stores outside of this process. The log says which store failed, once per outage; callers only learn that the store is
 * unavailable.
 */
import { attempt } from "../../internal/async.ts";
import type { Logger } from "../../core/handler/context.ts";

/** An error of a store, with the store's name in the message: the clients of stores seldom include it. */
export class StoreError extends Error {
  /** Always `"StoreError"`. */
  override readonly name = "StoreError";
}

/** An optional package cannot be imported, usually as it is not installed. The message has the command that installs it. */
export class MissingPackageError extends Error {
  /** Always `"MissingPackageError"`. */
  override readonly name = "MissingPackageError";
}

/**
 * Imports an optional package at its first use. `names` are for the message if it is missing.
 *
 * @throws {MissingPackageError} If the import fails for any reason; usually it is not installed.
 */
export async function importPackage<Module>(
  feature: string,
  names: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const command = `npm install ${names.join(" ")} (or bun add, deno add npm:…)`;
    const message = `Cannot use ${feature}: it needs ${names.join(" and ")}; run ${command}`;
    throw new MissingPackageError(message, { cause });
  }
}

/** Returns the name of a store for messages: `kind`, with the host or path of a readable address, and without credentials. */
export function storeName(kind: string, address: string): string {
  if (address.startsWith("/")) return `${kind} at ${address.replace(/\?.*/s, "")}`;
  const url = address.includes("://") && URL.canParse(address) ? new URL(address) : undefined;
  return url === undefined ? kind : `${kind} at ${url.host || url.pathname}`;
}

/**
 * Logs the errors of a store once per outage. Further errors are suppressed until a request succeeds. A missing package is not an outage:
 * it is logged once, with the command that installs it.
 */
export class ErrorThrottle {
  readonly #message: string;
  readonly #logger: Logger;
  readonly #store: string | undefined;
  #hasFailed = false;
  #isClosed = false;
  #lacksPackage = false;

  /**
   * @param message Message of the log line, which gets the error as its field `error`.
   * @param logger Default: `console`.
   * @param store Name of the store, if its errors do not include it.
   */
  constructor(message: string, logger: Logger = console, store?: string) {
    this.#message = message;
    this.#logger = logger;
    this.#store = store;
  }

  /** Whether no request has succeeded since the last error. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Logs an error, unless it belongs to an outage that is logged already. A bound method, so that it can be passed on. */
  readonly report = (error: unknown): void => {
    const isSuppressed = this.#hasFailed || this.#isClosed || this.#lacksPackage;
    this.#hasFailed = true;
    if (isSuppressed) return;
    if (error instanceof MissingPackageError) {
      this.#lacksPackage = true;
      return attempt(() => this.#logger.error(error.message, { error: error.cause }));
    }
    attempt(() => this.#logger.warn(this.#message, { error: this.toStoreError(error) }));
  };

  /** Logs what is left out although the store answers, such as a spoiled record. */
  skip(message: string, fields: Readonly<Record<string, unknown>>): void {
    if (!this.#isClosed) attempt(() => this.#logger.warn(message, fields));
  }

  /** A request succeeded: the next error is logged. */
  succeed(): void {
    this.#hasFailed = false;
  }

  /** The store is closed on purpose: no further error is logged. */
  close(): void {
    this.#isClosed = true;
  }

  /** The error, with the name of the store in its message. */
  toStoreError(cause: unknown): unknown {
    if (this.#store === undefined || cause instanceof StoreError || cause instanceof MissingPackageError) return cause;
    // An error of Node for a host with several addresses has an empty message.
    const [error] = cause instanceof AggregateError && cause.message === "" ? cause.errors : [cause];
    const reason = error instanceof Error ? error.message : String(error);
    const text = reason.includes("enableOfflineQueue") ? "the connection broke" : reason;
    return new StoreError(`${this.#store}: ${text}`, { cause });
  }
}
