/**
 * gRPC statuses of the error codes, in both directions.
 *
 * Source: docs/spec.md 5.5.
 */
import { Code } from "@connectrpc/connect";
import type { ToolErrorCode } from "../../../core/errors/code.ts";

/** Domain of the reasons in a `google.rpc.ErrorInfo`. A reason in this domain is a {@link ToolErrorCode}. */
export const ERROR_DOMAIN = "toolwire";

/** gRPC status of each error code. */
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

/** Error code of each status, for servers that send no `ErrorInfo` of {@link ERROR_DOMAIN}. */
export const errorCodes: Readonly<Record<Code, ToolErrorCode>> = {
  [Code.Canceled]: "cancelled",
  [Code.Unknown]: "internal",
  [Code.InvalidArgument]: "invalid_input",
  [Code.DeadlineExceeded]: "deadline_exceeded",
  [Code.NotFound]: "tool_not_found",
  [Code.AlreadyExists]: "conflict",
  [Code.PermissionDenied]: "permission_denied",
  [Code.ResourceExhausted]: "rate_limited",
  [Code.FailedPrecondition]: "invalid_request",
  [Code.Aborted]: "conflict",
  [Code.OutOfRange]: "invalid_input",
  [Code.Unimplemented]: "method_not_found",
  [Code.Internal]: "internal",
  [Code.Unavailable]: "unavailable",
  [Code.DataLoss]: "internal",
  [Code.Unauthenticated]: "unauthenticated",
};
