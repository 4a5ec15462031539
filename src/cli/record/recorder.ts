/** Writes recordings: middleware that sees each call, its events and its result, and replaces secrets before anything is written. */
import { createHash } from "node:crypto";
import { asObject, omitUndefined } from "../../internal/json.ts";
import { mapMaybe } from "../../internal/async.ts";
import type { CallEvent, CallResult } from "../../core/call/outcome.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";
import type { Redactor } from "../../core/redaction/redact.ts";
import { type CallLine, digestOfList, type RecordHead } from "./recording.ts";

/** Options of {@link createRecorder}. */
export interface RecorderOptions {
  /** The recorded server. */
  readonly server: RecordHead["server"];
  readonly tools: readonly ListedTool[];
  readonly redactor: Redactor;
  /** Receives each line, with its line break. */
  write(line: string): void;
  /** Called after the result of a call was written. */
  onCall?(): void;
}

/** Maximum number of events of one call that are kept. */
const MAX_EVENTS = 10_000;

/** Names of tools. Prompts and resources have other names. */
const TOOL_NAME = /^[\w.-]{1,64}$/;

/**
 * Writes the first line, and returns the middleware that writes the others. Calls of tools are recorded; prompts and resources are
 * not.
 */
export function createRecorder(options: RecorderOptions): Middleware {
  const startedMs = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedMs);
  const line = (entry: object): void => options.write(`${JSON.stringify(entry)}\n`);
  const tools = options.redactor.tools(options.tools);
  const head: RecordHead = {
    toolwire: "record",
    v: 1,
    server: options.server,
    list: digestOfList(tools),
    tools,
    at: new Date().toISOString(),
  };
  line(head);
  let calls = 0;
  return (ctx, next) => {
    if (!TOOL_NAME.test(ctx.tool.name)) return next();
    const call = new CallRecord(++calls, ctx, options, elapsed);
    line(call.begin());
    return mapMaybe(next(), (result) => {
      for (const entry of call.end(result)) line(entry);
      options.onCall?.();
      return result;
    });
  };
}

/** One call. Its events are written with its result: a secret may be divided over several pieces. */
class CallRecord {
  readonly #n: number;
  readonly #ctx: MiddlewareCtx;
  readonly #redactor: Redactor;
  readonly #elapsed: () => number;
  readonly #tool: ListedTool | undefined;
  readonly #events: { readonly at: number; readonly event: CallEvent }[] = [];
  readonly #startedMs = performance.now();
  #dropped = 0;

  constructor(n: number, ctx: MiddlewareCtx, { redactor, tools }: RecorderOptions, elapsed: () => number) {
    this.#n = n;
    this.#ctx = ctx;
    this.#redactor = redactor;
    this.#elapsed = elapsed;
    this.#tool = tools.find(({ name }) => name === ctx.tool.name);
    ctx.onEvent((event) => {
      if (this.#events.length < MAX_EVENTS) this.#events.push({ at: elapsed(), event });
      else this.#dropped++;
    });
  }

  begin(): CallLine {
    const { call: { args, meta: { continuation, responses, context, isPromiseWanted } = {}, peer }, principal } =
      this.#ctx;
    const meta = omitUndefined({ continuation, responses, context, promise: isPromiseWanted });
    return {
      n: this.#n,
      at: this.#elapsed(),
      wire: peer.wire,
      tool: this.#ctx.tool.name,
      args: this.#redactor.value(args, this.#tool?.inputSchema),
      meta: asObject(this.#redactor.value(meta)),
      ...(principal !== undefined && { principal: shortDigest(principal.id) }),
    };
  }

  end(result: CallResult): object[] {
    return [
      ...this.#eventLines(),
      {
        n: this.#n,
        at: this.#elapsed(),
        settled: this.#redact(result),
        tookMs: Math.round((performance.now() - this.#startedMs) * 10) / 10,
        ...(this.#dropped > 0 && { droppedEvents: this.#dropped }),
      },
    ];
  }

  #eventLines(): object[] {
    const texts = this.#events.flatMap(({ event }) => textOf(event) ?? []);
    const redacted = this.#redactor.pieces(texts).values();
    return this.#events.map(({ at, event }) => {
      const next = textOf(event) === undefined ? undefined : redacted.next().value;
      return { n: this.#n, at, event: next === undefined ? this.#member(event) : { partial: next } };
    });
  }

  #member(event: CallEvent): object {
    if (event.kind === "partial") return { partial: this.#redactor.value(event.value) };
    if (event.kind === "progress") return { progress: this.#redactor.value(event.progress) };
    return { deferred: this.#redactor.value(event.promise) };
  }

  /** Without the local cause of an error, and without the addresses of web pages that a person was asked to open. */
  #redact(result: CallResult): object {
    const { cause: _, ...settled } = result as CallResult & { readonly cause?: unknown };
    if (settled.kind === "answer") {
      const value = this.#redactor.value(settled.value, this.#tool?.outputSchema);
      return { ...asObject(this.#redactor.value({ ...settled, value: undefined })), value };
    }
    if (!("requests" in settled)) return asObject(this.#redactor.value(settled));
    const requests = Object.entries(settled.requests).map(([key, { params, ...question }]) => {
      if (params?.["url"] === undefined) return [key, { ...question, ...(params && { params }) }];
      return [key, { ...question, message: "[redacted]", params: { ...params, url: "[redacted]" } }];
    });
    return asObject(this.#redactor.value({ ...settled, requests: Object.fromEntries(requests) }));
  }
}

function textOf(event: CallEvent): string | undefined {
  return event.kind === "partial" && typeof event.value === "string" ? event.value : undefined;
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
