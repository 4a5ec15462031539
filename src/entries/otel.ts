/**
 * OpenTelemetry: spans and metrics of servers and clients, under the semantic conventions for RPC.
 *
 * Requires `@opentelemetry/api`, which is not installed with Toolwire, and an SDK to export the data.
 *
 * @module
 */
export type { OtelAttributes, OtelMeter, OtelOptions, OtelTracer } from "../integrations/otel/options.ts";
export { otel } from "../integrations/otel/otel.ts";
export { otelTransport } from "../integrations/otel/transport.ts";
