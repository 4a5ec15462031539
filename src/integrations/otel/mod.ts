/**
 * OpenTelemetry: spans and metrics of servers and clients, under the semantic conventions for RPC.
 *
 * Requires `@opentelemetry/api`, which is not installed with Toolwire, and an SDK to export the data.
 *
 * @module
 */
export type { OtelAttributes, OtelMeter, OtelOptions, OtelTracer } from "./options.ts";
export { otel } from "./otel.ts";
export { otelTransport } from "./transport.ts";
