/**
 * OpenTelemetry: spans and metrics of servers and clients, under the semantic conventions for RPC. It is needed to see calls in a system
 * for traces, and requires `@opentelemetry/api`, which is not installed with Toolwire, and an SDK to export the data.
 *
 * @example Spans of each call
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { otel } from "jsr:@toolwire/toolwire/otel";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * console.log(createServer({ tools: [ping], middleware: [otel()] }).tools.length); // → 1
 * ```
 *
 * @module
 */
export type { OtelAttributes, OtelMeter, OtelOptions, OtelTracer } from "../integrations/otel/options.ts";
export { otel } from "../integrations/otel/otel.ts";
export { otelTransport } from "../integrations/otel/transport.ts";
