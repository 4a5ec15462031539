/** Spans and measurements in memory, without a timer. */
import type { Attributes, Meter, Tracer } from "@opentelemetry/api";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

class PulledReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** One measurement: how often, or how much, under which attributes. */
export interface Measured {
  readonly attributes: Attributes;
  /** Of a counter its sum, of a histogram how many were recorded. */
  readonly count: number;
}

/** What telemetry was told. */
export class Telemetry {
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly #exporter = new InMemorySpanExporter();
  readonly #reader = new PulledReader();

  constructor() {
    const spans = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: this.#exporter })] });
    this.tracer = spans.getTracer("test");
    this.meter = new MeterProvider({ readers: [this.#reader] }).getMeter("test");
  }

  /** Spans that have ended, in that order. */
  get spans(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** What was measured so far, by the instrument's name. */
  async measured(name: string): Promise<readonly Measured[]> {
    const { resourceMetrics } = await this.#reader.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.filter(({ descriptor }) => descriptor.name === name).flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes, value }) => ({
        attributes,
        count: typeof value === "number" ? value : (value as { readonly count: number }).count,
      }))
    );
  }
}
