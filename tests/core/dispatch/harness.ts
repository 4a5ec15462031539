import { ok } from "node:assert/strict";
import {
  type AnyTool,
  type CallResult,
  createServer,
  type ErrorResult,
  type Logger,
  type LogLevel,
  type Server,
  type ServerOptions,
} from "../../../mod.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import type { CallEvent, CallMeta, Clock, MaybePromise, Peer, Sink } from "../../../src/entries/wire.ts";
import { toSendable } from "../../../src/core/dispatch/sendable.ts";
import { toPromise } from "../../../src/internal/future.ts";

// The code that converts values is loaded with the first one, which can take longer than the turns that a test with a fake clock waits.
await toSendable(new Date(0), "output", { depth: 1, answerChars: 100 });

/** One line of a log. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Lines that every run of a job has. */
const RUN_LINE = /^(Run of a job|Call is promised)/;

/** A logger that keeps its entries, without those that every run of a job has. */
export class KeptLog implements Logger {
  readonly lines: LogLine[] = [];
  debug = this.#writer("debug");
  info = this.#writer("info");
  warn = this.#writer("warn");
  error = this.#writer("error");

  #writer(level: LogLevel): (message: string, fields?: Readonly<Record<string, unknown>>) => void {
    return (message, fields = {}) => {
      if (!RUN_LINE.test(message)) this.lines.push({ level, message, fields });
    };
  }
}

/** The arguments of each call of `console.error` while `work` runs. */
export async function collectConsole(work: () => Promise<unknown>): Promise<unknown[][]> {
  const lines: unknown[][] = [];
  const { error } = console;
  console.error = (...line: unknown[]) => void lines.push(line);
  try {
    await work();
    return lines;
  } finally {
    console.error = error;
  }
}

/** A sink that keeps what it is sent, and is full while the test sets it so. */
export class KeptSink implements Sink {
  readonly events: CallEvent[] = [];
  #room: PromiseWithResolvers<void> | undefined = undefined;
  #isFull = false;

  push(event: CallEvent): void | Promise<void> {
    this.events.push(event);
    if (this.#isFull) return (this.#room ??= Promise.withResolvers()).promise;
  }

  /** From now on each push has to wait. */
  fill(): void {
    this.#isFull = true;
  }

  /** Lets waiting continuations run. */
  drain(isFull = false): void {
    this.#isFull = isFull;
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** The partials' values. */
  get partials(): unknown[] {
    return this.events.flatMap((event) => (event.kind === "partial" ? [event.value] : []));
  }

  /** Units done, of each progress event. */
  get progress(): number[] {
    return this.events.flatMap((event) => (event.kind === "progress" ? [event.progress.done] : []));
  }
}

/** How a call is made. */
export interface CallWith {
  readonly meta?: CallMeta;
  readonly sink?: Sink;
  readonly signal?: AbortSignal;
  readonly peer?: Partial<Peer>;
}

/** A server on a clock that does not advance by itself, with a log, and a way to call it without any wire. */
export class Bench {
  readonly clock: FakeClock = new FakeClock();
  readonly log: KeptLog = new KeptLog();
  readonly server: Server;

  constructor(tools: readonly AnyTool[], options: Partial<ServerOptions<readonly AnyTool[]>> = {}) {
    this.server = createServer({ clock: this.clock, logger: this.log, ...options, tools });
  }

  /** Calls a tool, exactly as a wire does. */
  call(tool: string, args: unknown = {}, { meta, sink, signal, peer }: CallWith = {}): MaybePromise<CallResult> {
    const nobody: Peer = {
      wire: "test",
      principal: undefined,
      signal,
      metadata: { get: () => null },
      requestId: undefined,
      client: {},
    };
    const result = this.server["~server"].host.dispatch.call(
      { tool, args, meta, peer: peer === undefined ? nobody : { ...nobody, ...peer } },
      // A wire that streams learns of a reader who leaves; one that answers at once has to be asked.
      sink && { push: (event) => sink.push(event), ...(signal && { closed: signal }) },
    );
    return toPromise(result);
  }
}

/** Lets everything run that is ready to. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  await new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** A result that comes without any time passing; `undefined` if the call is still pending after many turns of the event loop. */
export async function settledSoon<Value>(pending: Value | Promise<Value>): Promise<Value | undefined> {
  let settled: Value | undefined;
  const watched = Promise.resolve(pending).then((value) => (settled = value));
  watched.catch(() => {});
  for (let turn = 0; turn < 50 && settled === undefined; turn++) await settle();
  return settled;
}

/** That something settled as a refusal. */
export function assertRefused(settled: CallResult, code: string): ErrorResult {
  ok(settled.kind === "error", `settled as ${settled.kind}`);
  ok(settled.code === code, `refused with ${settled.code}: ${settled.message}`);
  return settled;
}

/** That something was masked: nothing but a correlation id, under which the log has what was thrown. */
export function assertMasked(settled: CallResult, log: KeptLog): unknown {
  const refusal = assertRefused(settled, "internal");
  const { correlation_id: correlationId, ...rest } = refusal.data as Record<string, unknown>;
  ok(typeof correlationId === "string" && /^[0-9a-f-]{36}$/.test(correlationId));
  // Copies of the result and JSON of it have no cause.
  ok(Object.keys(rest).length === 0 && !Object.keys(refusal).includes("cause"));
  ok(refusal.message === `Internal error, correlation id ${correlationId}`, refusal.message);
  const lines = log.lines.filter(({ fields }) => fields["correlationId"] === correlationId);
  ok(lines.length === 1 && lines[0]?.level === "error", `${lines.length} lines`);
  ok(lines[0]?.fields["error"] === refusal.cause);
  return refusal.cause;
}

/** A clock whose time passes without its timers, as behind a handler that blocks the event loop. */
export class BlockableClock implements Clock {
  timersSet = 0;
  #nowMs = 0;
  #timers: { readonly dueMs: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  elapsed(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.timersSet++;
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((one) => one !== timer));
  }

  block(ms: number): void {
    this.#nowMs += ms;
  }

  /** One turn: runs the timers that are due at its start. */
  turn(): void {
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { callback } of due.sort((left, right) => left.dueMs - right.dueMs)) callback();
  }
}
