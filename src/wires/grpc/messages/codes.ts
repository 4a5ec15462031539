import { Code } from "@connectrpc/connect";
import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** Status of every code (docs/spec.md 5.5). */
export const grpcCodes: Readonly<Record<ToolErrorCode, Code>> = {
  parse_error: Code.InvalidArgument,
  invalid_request: Code.InvalidArgument,
  method_not_found: Code.Unimplemented,
  tool_not_found: Code.NotFound,
  resource_not_found: Code.NotFound,
  prompt_not_found: Code.NotFound,
  invalid_input: Code.InvalidArgument,
  invalid_config: Code.InvalidArgument,
  invalid_promise: Code.InvalidArgument,
  expired_promise: Code.InvalidArgument,
  invalid_continuation: Code.InvalidArgument,
  promise_lost: Code.NotFound,
  conflict: Code.AlreadyExists,
  deadline_exceeded: Code.DeadlineExceeded,
  cancelled: Code.Canceled,
  unauthenticated: Code.Unauthenticated,
  permission_denied: Code.PermissionDenied,
  rate_limited: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  payload_too_large: Code.ResourceExhausted,
  result_too_large: Code.ResourceExhausted,
  internal: Code.Internal,
};

/** Whose reasons a `google.rpc.ErrorInfo` of ours gives. */
export const ERROR_DOMAIN = "toolwire";
