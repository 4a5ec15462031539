/**
 * OpenTelemetry: spans and metrics of servers and clients, by the semantic conventions for RPC.
 *
 * Needs `@opentelemetry/api`, which is not installed with Toolwire, and an SDK if anything is to come of it.
 *
 * @module
 */
export type { OtelOptions } from "./telemetry.ts";
export { otel } from "./otel.ts";
export { otelTransport } from "./transport.ts";
