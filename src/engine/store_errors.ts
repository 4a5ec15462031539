import { MissingPackageError } from "./redis/packages.ts";
import type { RedisAddress } from "./redis/address.ts";

/** What a store did not do, and which store that is: clients of stores seldom say. For the log; callers are not told. */
export class StoreError extends Error {
  /** Always `"StoreError"`. */
  override readonly name = "StoreError";
}

/**
 * The same error, with the name of its store.
 *
 * @param store Its name, such as `Redis at 127.0.0.1:6379`.
 */
export function storeError(store: string, cause: unknown): Error {
  if (cause instanceof StoreError || cause instanceof MissingPackageError) return cause;
  return new StoreError(`${store}: ${reasonOf(cause)}`, { cause });
}

/** What a Redis is called, without what is secret. */
export function redisName(address: string | RedisAddress): string {
  if (typeof address === "string") return `Redis${placeOf(address)}`;
  const { host = "127.0.0.1", port = 6_379, path, sentinels } = address;
  if (sentinels !== undefined) return `Redis by way of ${sentinels.map((one) => `${one.host}:${one.port}`).join(", ")}`;
  return `Redis at ${path ?? `${host}:${port}`}`;
}

/** What a PostgreSQL is called, without what is secret. */
export function postgresName(url: string): string {
  return `PostgreSQL${placeOf(url)}`;
}

function placeOf(address: string): string {
  if (address.startsWith("/")) return ` at ${address.replace(/\?.*/s, "")}`;
  const url = address.includes("://") && URL.canParse(address) ? new URL(address) : undefined;
  return url === undefined ? "" : ` at ${url.host || url.pathname}`;
}

function reasonOf(cause: unknown): string {
  // What Node says of a host with several addresses has no words of its own.
  const [error] = cause instanceof AggregateError && cause.message === "" ? cause.errors : [cause];
  const reason = error instanceof Error ? error.message : String(error);
  return reason.includes("enableOfflineQueue") ? "the connection broke" : reason;
}
