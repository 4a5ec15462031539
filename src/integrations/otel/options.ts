/**
 * Options, in types that have the members of those of `@opentelemetry/api`: the declarations of the package compile where it is not
 * installed.
 */

/** Creates spans: a `Tracer` of `@opentelemetry/api`. */
export interface OtelTracer {
  /** Starts a span. */
  startSpan(name: string, options?: object, context?: object): object;
}

/** Creates instruments: a `Meter` of `@opentelemetry/api`. */
export interface OtelMeter {
  /** Creates a counter. */
  createCounter(name: string, options?: object): object;
  /** Creates a histogram. */
  createHistogram(name: string, options?: object): object;
}

/** Attributes by their names: `Attributes` of `@opentelemetry/api`. */
export interface OtelAttributes {
  /** A value, or several of one type. */
  [name: string]:
    | string
    | number
    | boolean
    | (string | null | undefined)[]
    | (number | null | undefined)[]
    | (boolean | null | undefined)[]
    | undefined;
}

/** Options of {@link otel} and {@link otelTransport}. */
export interface OtelOptions {
  /** Creates the spans. Default: the tracer `toolwire` of the global provider. */
  readonly tracer?: OtelTracer | undefined;
  /** Creates the instruments. Default: the meter `toolwire` of the global provider. */
  readonly meter?: OtelMeter | undefined;
  /** Attributes that are added to each span and each measurement, such as `server.address`. */
  readonly attributes?: OtelAttributes | undefined;
}
