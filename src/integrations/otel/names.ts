/**
 * Names of attributes and metrics.
 *
 * Source: {@link https://opentelemetry.io/docs/specs/semconv/rpc/ | OpenTelemetry semantic conventions for RPC}, version 1.45.
 * Names that are not in the conventions begin with `toolwire.`.
 *
 * @module
 */

/** Attribute: the RPC system, always {@link SYSTEM}. */
export const RPC_SYSTEM_NAME = "rpc.system.name";
/** Attribute: name of the tool. */
export const RPC_METHOD = "rpc.method";
/** Attribute: `OK`, or the error code. */
export const RPC_STATUS_CODE = "rpc.status_code";
/** Attribute: the error code, if the error counts as an error of the measuring side. */
export const ERROR_TYPE = "error.type";

/** Metric: duration of a call at the server, in seconds. */
export const SERVER_CALL_DURATION = "rpc.server.call.duration";
/** Metric: duration of a call at the client, in seconds. */
export const CLIENT_CALL_DURATION = "rpc.client.call.duration";

/** Attribute: wire of the call. */
export const WIRE = "toolwire.wire";
/** Attribute: kind of the result: `answer`, `promise`, `elicitation`, `request-for-more-resource`, `failure` or `error`. */
export const OUTCOME = "toolwire.outcome";
/** Attribute of spans: code of a failure. Not on metrics, because the number of codes is unlimited. */
export const FAILURE_CODE = "toolwire.failure.code";
/** Attribute: `ctx.callId`. */
export const CALL_ID = "toolwire.call.id";
/** Attribute: id of an internal error in the log. */
export const CORRELATION_ID = "toolwire.correlation.id";
/** Attribute: number of streamed partial results. */
export const PIECES = "toolwire.pieces";
/** Attribute: attempt of a job, from 1. */
export const ATTEMPT = "toolwire.attempt";

/** The RPC system. The same for all wires, because a tool is the same method on all of them. */
export const SYSTEM = "toolwire";
