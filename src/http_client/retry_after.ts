import { asObject } from "../internal/json.ts";

/** The header that says when to try again, from a refusal's data; `undefined` if that does not say. */
export function retryAfter(data: unknown): { readonly "retry-after": string } | undefined {
  const { retry_after_ms: delayMs } = asObject(data);
  return typeof delayMs === "number" ? { "retry-after": String(Math.ceil(delayMs / 1000)) } : undefined;
}
