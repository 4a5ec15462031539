/** The other side of a resolver: sends a value for a wait to its URL. */
import { errorResult, toToolError } from "../core/call/outcome.ts";
import { isToolErrorCode } from "../core/errors/code.ts";
import type { Resolution } from "../core/handler/waits.ts";
import { fetchWhole } from "../http_client/fetch_whole.ts";
import { asObject } from "../internal/json.ts";
import { checkOptions, FUNCTION, POSITIVE } from "../internal/options.ts";

/** Longest answer of a resolver, in bytes. */
const MAX_BYTES = 1_048_576;

/** Options of {@link resolveWait} and {@link declineWait}. */
export interface ResolveOptions {
  /** Time limit of the request, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/**
 * Resolves a wait of a handler by the URL of its resolver, from any program. It may be repeated: the first value counts.
 *
 * @example
 * ```ts
 * import { resolveWait } from "jsr:@toolwire/toolwire/waits";
 *
 * console.log(await resolveWait("http://127.0.0.1:1/resolve/res_x", { ok: true }).catch(({ code }) => code));
 * // → unavailable
 * ```
 * @param url URL that `ctx.resolver` has made.
 * @param value JSON.
 * @throws {ToolError} `invalid_promise` if it is not a resolver of this server, `invalid_input` if the value does not fit,
 * `payload_too_large`, `unavailable` if there is no answer.
 */
export async function resolveWait(url: string, value: unknown, options: ResolveOptions = {}): Promise<Resolution> {
  return await post(new URL(url), value, options);
}

/**
 * Ends a wait of a handler with a refusal. Otherwise like {@link resolveWait}.
 *
 * @throws {ToolError} As {@link resolveWait}.
 */
export async function declineWait(url: string, reason?: string, options: ResolveOptions = {}): Promise<Resolution> {
  const { origin, pathname } = new URL(url);
  const at = pathname.lastIndexOf("/");
  const token = pathname.slice(at + 1);
  return await post(new URL(pathname.slice(0, at), origin), { token, decline: reason ?? true }, options);
}

async function post(url: URL, body: unknown, options: ResolveOptions): Promise<Resolution> {
  checkOptions<ResolveOptions>("resolve a wait", options, { timeoutMs: POSITIVE, fetch: FUNCTION });
  const { timeoutMs = 10_000, fetch: send } = options;
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? null),
  };
  const response = await fetchWhole(url, init, { send, maxBytes: MAX_BYTES, timeoutMs });
  const result = asObject(await response.json().catch(() => undefined));
  if (typeof result["resolved"] === "boolean") return result as unknown as Resolution;
  const { code, message, ...details } = asObject(result["error"]);
  if (typeof message === "string" && typeof code === "string" && isToolErrorCode(code)) {
    throw toToolError(errorResult(code, message, details));
  }
  throw toToolError(
    errorResult(
      "unavailable",
      `${url.origin} answered with status ${response.status}, so the URL is not that of a resolver`,
    ),
  );
}
