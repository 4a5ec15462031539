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

/** One measurement, with its attributes. */
export interface Measured {
  readonly attributes: Attributes;
  /** Sum of a counter, or number of recorded values of a histogram. */
  readonly count: number;
}

/** Collects the recorded spans and metrics. */
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

  /** Ended spans, in the order of their ends. */
  get spans(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** Measurements by name of the instrument. */
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
