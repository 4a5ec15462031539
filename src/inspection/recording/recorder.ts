/** Writes recordings: each call, its events and its result, with secrets replaced before anything is written. */
import { callerKey } from "../../internal/caller_key.ts";
import { asObject, omitUndefined } from "../../internal/json.ts";
import { estimateJsonSize } from "../../internal/json_size.ts";
import type { Call } from "../../core/call/call.ts";
import type { CallEvent, CallResult } from "../../core/call/outcome.ts";
import type { ListedTool } from "../../core/call/transport.ts";
import { answerSchema, type CallSchemas } from "../../core/redaction/call_schemas.ts";
import type { Redactor } from "../../core/redaction/redact.ts";
import { withoutRejectedValues } from "../../core/redaction/rejected_input.ts";
import { sha256Hex } from "../../core/token/digest.ts";
import { type CallLine, digestOfList, type RecordHead } from "./recording.ts";

/** Options of a {@link Recorder}. */
export interface RecorderOptions {
  /** The recorded server. */
  readonly server: RecordHead["server"];
  readonly tools: readonly ListedTool[];
  readonly redactor: Redactor;
  /** Receives each line, with its line break. */
  write(line: string): void;
  /** Called after the result of a call was written. */
  onCall?(): void;
  /** Called once if a line of a call cannot be written: the recording has ended, and the calls continue. Default: the error is thrown. */
  onFailure?(error: unknown): void;
}

/** A call that begins, as a {@link Recorder} gets it. */
export interface RecordedStart {
  readonly call: Call;
  /** Name of the tool that the call runs. */
  readonly name: string;
  /** Schemas of the tool. Default: those of the list of tools. */
  readonly schemas?: CallSchemas;
  /** Calls `listener` for each event of the call. */
  onEvent(listener: (event: CallEvent) => void): void;
}

/** Maximum number of events of one call that are kept. */
const MAX_EVENTS = 10_000;

/** Characters of JSON of the events of all calls under way, estimated, and of an event beside its value. */
const MAX_HELD = 16_777_216;
const EVENT_CHARS = 64;
const MAX_DEPTH = 512;

/** What all calls under way may still hold. */
interface HeldBudget {
  left: number;
  isOpen: boolean;
}

/** Names of tools. Prompts and resources have other names. */
const TOOL_NAME = /^[\w.-]{1,64}$/;

/** Writes a recording without secrets: the head at once, each call when it begins, its events and result when it ends. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #startedMs = performance.now();
  readonly #held: HeldBudget = { left: MAX_HELD, isOpen: true };
  readonly #open = new Set<CallRecord>();
  #calls = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const tools = options.redactor.tools(options.tools);
    const head: RecordHead = {
      toolwire: "record",
      v: 1,
      server: options.server,
      list: digestOfList(tools),
      tools,
      at: new Date().toISOString(),
    };
    this.#write(head);
  }

  /**
   * Writes the line of a call.
   *
   * @returns Takes the result. `undefined` for prompts and resources, which are not recorded.
   */
  begin(start: RecordedStart): ((result: CallResult) => void) | undefined {
    if (!TOOL_NAME.test(start.name)) return undefined;
    const elapsed = (): number => Math.round(performance.now() - this.#startedMs);
    if (!this.#held.isOpen) return undefined;
    const call = new CallRecord(++this.#calls, start, this.#options, this.#held, elapsed);
    this.#open.add(call);
    this.#writeAll(() => [call.begin()]);
    return (result) => {
      if (!this.#open.delete(call)) return;
      if (this.#writeAll(() => call.end(result))) this.#options.onCall?.();
    };
  }

  /** Writes lines of a call. Returns whether they were written; if not, as with a full disk, the recording has ended. */
  #writeAll(make: () => readonly object[]): boolean {
    const { onFailure, write } = this.#options;
    const lines = toLines(make, onFailure !== undefined);
    if (lines === undefined) return false;
    try {
      for (const line of lines) write(line);
      return true;
    } catch (thrown) {
      if (onFailure === undefined) throw thrown;
      this.close();
      onFailure(thrown);
      return false;
    }
  }

  /** Ends the recording. Calls under way are not written any more, and their events are not held. */
  close(): void {
    this.#held.isOpen = false;
    for (const call of this.#open) call.release();
    this.#open.clear();
  }

  #write(entry: object): void {
    this.#options.write(toLine(entry));
  }
}

function toLine(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}

/** The text of lines. A result that is not JSON has none, if that is allowed: its wire refuses it, and reports that. */
function toLines(make: () => readonly object[], mayFail: boolean): readonly string[] | undefined {
  try {
    return make().map(toLine);
  } catch (thrown) {
    if (mayFail) return undefined;
    throw thrown;
  }
}

/** One call. Its events are written with its result: a secret may be divided over several pieces. */
class CallRecord {
  readonly #n: number;
  readonly #start: RecordedStart;
  readonly #redactor: Redactor;
  readonly #elapsed: () => number;
  readonly #schemas: CallSchemas;
  readonly #events: { readonly at: number; readonly event: CallEvent }[] = [];
  readonly #startedMs = performance.now();
  readonly #budget: HeldBudget;
  /** Characters that the events take of the budget. */
  #held = 0;
  #dropped = 0;

  constructor(
    n: number,
    start: RecordedStart,
    { redactor, tools }: RecorderOptions,
    budget: HeldBudget,
    elapsed: () => number,
  ) {
    this.#budget = budget;
    this.#n = n;
    this.#start = start;
    this.#redactor = redactor;
    this.#elapsed = elapsed;
    this.#schemas = start.schemas ?? schemasOf(tools.find(({ name }) => name === start.name));
    start.onEvent((event) => this.#hold(event));
  }

  /** After one event was dropped, those that follow it are dropped too. */
  #hold(event: CallEvent): void {
    if (!this.#budget.isOpen) return;
    const { left } = this.#budget;
    const isFull = this.#dropped > 0 || this.#events.length >= MAX_EVENTS;
    const measured = isFull ? -1 : estimateJsonSize(event, left - EVENT_CHARS, MAX_DEPTH);
    if (measured < 0) return void this.#dropped++;
    const next = measured >= 0 ? measured : left - EVENT_CHARS;
    this.#budget.left = next;
    this.#held += left - next;
    this.#events.push({ at: this.#elapsed(), event });
  }

  /** Gives the events up. */
  release(): void {
    this.#events.length = 0;
    this.#budget.left += this.#held;
    this.#held = 0;
  }

  begin(): CallLine {
    const { name, call: { args, meta: { continuation, responses, context, isPromiseWanted } = {}, peer } } =
      this.#start;
    const { wire, principal } = peer;
    const meta = omitUndefined({ continuation, responses, context, promise: isPromiseWanted });
    return {
      n: this.#n,
      at: this.#elapsed(),
      wire,
      tool: name,
      args: this.#redactor.value(args, this.#schemas.inputSchema),
      meta: asObject(this.#redactor.value(meta)),
      ...(principal !== undefined && { principal: sha256Hex(callerKey(principal)).slice(0, 8) }),
    };
  }

  /** The lines of the events and of the result. The events are given up. */
  end(result: CallResult): object[] {
    try {
      return this.#endLines(result);
    } finally {
      this.release();
    }
  }

  #endLines(result: CallResult): object[] {
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
      if (event.kind !== "partial") return { n: this.#n, at, event: this.#member(event) };
      const piece = textOf(event) === undefined ? event.value : redacted.next().value;
      return { n: this.#n, at, event: { partial: this.#redactPiece(piece) } };
    });
  }

  #redactPiece(piece: unknown): unknown {
    const schema = this.#schemas.partial?.jsonSchema;
    // The secrets of texts were replaced together.
    return typeof piece === "string" && schema === undefined ? piece : this.#redactor.value(piece, schema);
  }

  #member(event: Exclude<CallEvent, { readonly kind: "partial" }>): object {
    if (event.kind === "progress") return { progress: this.#redactor.value(event.progress) };
    if (event.kind === "dropped") return { dropped: { from: event.from, to: event.to } };
    return { deferred: this.#redactor.value(event.promise) };
  }

  /** Without the local cause of an error, and without the addresses of web pages that a person was asked to open. */
  #redact(result: CallResult): object {
    const { cause: _, ...settled } = withoutRejectedValues(result) as CallResult & { readonly cause?: unknown };
    if (settled.kind === "answer") {
      const value = this.#redactor.value(settled.value, answerSchema(this.#schemas));
      return { ...asObject(this.#redactor.value({ ...settled, value: undefined })), value };
    }
    if (settled.kind === "failure" && settled.data !== undefined) {
      const data = this.#redactor.value(settled.data, this.#schemas.errors?.get(settled.code)?.jsonSchema);
      return { ...asObject(this.#redactor.value({ ...settled, data: undefined })), data };
    }
    if (!("requests" in settled)) return asObject(this.#redactor.value(settled));
    const requests = Object.entries(settled.requests).map(([key, { params, ...question }]) => {
      if (params?.["url"] === undefined) return [key, { ...question, ...(params && { params }) }];
      return [key, { ...question, message: "[redacted]", params: { ...params, url: "[redacted]" } }];
    });
    return asObject(this.#redactor.value({ ...settled, requests: Object.fromEntries(requests) }));
  }
}

function schemasOf({ inputSchema, outputSchema }: Partial<ListedTool> = {}): CallSchemas {
  return { ...(inputSchema && { inputSchema }), output: outputSchema && { jsonSchema: outputSchema } };
}

function textOf(event: CallEvent): string | undefined {
  return event.kind === "partial" && typeof event.value === "string" ? event.value : undefined;
}
