/** Members of a result's `_meta` that the wires write themselves (docs/spec.md 3.3, and ours). */
export const RESERVED_META: ReadonlySet<string> = new Set([
  "response_type",
  "timestamp",
  "processing_time_ms",
  "server_version",
  "promise_token",
  "expires_at",
  "ttl_ms",
  "retry_after_ms",
  "estimated_completion",
  "progress",
  "continuation",
  "requests",
  "context",
]);
