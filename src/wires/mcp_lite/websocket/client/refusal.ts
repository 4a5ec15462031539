/** Finds out why a socket was not accepted: a `WebSocket` has no status, so the same request is sent without the upgrade. */
import { type ErrorResult, errorResultWithCause } from "../../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../../core/call/transport.ts";
import { addRetryAfter, readJson } from "../../../../http_client/read.ts";
import { exchange, type HttpClientOptions } from "../../../../http_client/send.ts";
import { asObject, isJsonObject } from "../../../../internal/json.ts";
import { decodeError, decodeStatus } from "../../../framing/json_rpc/decode_error.ts";

/** Status of the endpoint for a request that is not an upgrade. */
const UPGRADE_REQUIRED = 426;

/**
 * Sends the request of a socket that could not be opened again, without the upgrade, and returns the error of the response.
 * `unavailable` with the reason if the response has none.
 *
 * @param url URL with `ws:` or `wss:`.
 * @param reason What the socket reported.
 */
export async function findRefusal(
  url: string,
  { headers, fetch: send }: { readonly headers: Record<string, string>; readonly fetch?: HttpClientOptions["fetch"] },
  monitor: ActivityMonitor,
  reason: unknown,
): Promise<ErrorResult> {
  const request = { method: "GET", url: url.replace(/^ws/, "http"), headers };
  const options = send === undefined ? {} : { fetch: send };
  const refusal = await exchange(request, options, monitor, async (response, chunks) => {
    const { status } = response;
    const { text, json } = await readJson(chunks);
    if (status === UPGRADE_REQUIRED) return undefined;
    const { error } = asObject(json);
    const refused = isJsonObject(error)
      ? decodeError(error, status)
      : decodeStatus(status, text, "MCP-lite over WebSocket");
    return addRetryAfter(refused, response.headers);
  });
  // Pages of other origins cannot read the answer.
  if (refusal !== undefined && (refusal.code !== "unavailable" || refusal.data !== undefined)) return refusal;
  const message = (reason as Error | undefined)?.message ?? reason;
  return errorResultWithCause("unavailable", "Cannot open a WebSocket to the server", `${url}: ${message}`, {
    cause: reason,
  });
}
