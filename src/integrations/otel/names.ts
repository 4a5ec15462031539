/**
 * What spans and metrics are called.
 *
 * Source: {@link https://opentelemetry.io/docs/specs/semconv/rpc/ | OpenTelemetry semantic conventions for RPC}, version 1.45.
 * What they have no name for begins with `toolwire.`.
 *
 * @module
 */

/** Attributes of the conventions. */
export const RPC_SYSTEM_NAME = "rpc.system.name";
/** The tool. */
export const RPC_METHOD = "rpc.method";
/** `OK`, or the code of a refusal. */
export const RPC_STATUS_CODE = "rpc.status_code";
/** The code of a refusal that is an error of the side that tells of it. */
export const ERROR_TYPE = "error.type";

/** Metrics of the conventions, in seconds. */
export const SERVER_CALL_DURATION = "rpc.server.call.duration";
/** The same at the client. */
export const CLIENT_CALL_DURATION = "rpc.client.call.duration";

/** Over which wire a call came. */
export const WIRE = "toolwire.wire";
/** How a call ended: `answer`, `promise`, `elicitation`, `request-for-more-resource`, `failure` or `error`. */
export const OUTCOME = "toolwire.outcome";
/** The tool's own code of a failure; of spans only, since nothing bounds how many there are. */
export const FAILURE_CODE = "toolwire.failure.code";
/** `ctx.callId`. */
export const CALL_ID = "toolwire.call.id";
/** What the log has of an internal error. */
export const CORRELATION_ID = "toolwire.correlation.id";
/** How many pieces were streamed. */
export const PIECES = "toolwire.pieces";
/** Which run of a job it is, from 1. */
export const ATTEMPT = "toolwire.attempt";

/** The system, whichever wire: a tool is the same method on all. */
export const SYSTEM = "toolwire";
