import type { Call } from "../call/call.ts";
import { type CallEvent, type Progress, type Refusal, refuse, type Settled, type Sink } from "../call/outcome.ts";
import { ToolError } from "../error/tool_error.ts";
import type { Deadline } from "../internal/deadlines.ts";
import type { DispatchHost } from "./host.ts";

/**
 * What a run has once it lives longer than a function call: signal, deadline, events.
 *
 * Made when one of them is first needed, which for a synchronous handler is never.
 */
export class LiveRun {
  readonly #call: Call;
  #controller: AbortController | undefined = undefined;
  #ended: Refusal | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #isIdleDeadline = false;
  #host: DispatchHost | undefined = undefined;
  #resolve: ((settled: Settled) => void) | undefined = undefined;
  #pendingProgress: Progress | undefined = undefined;
  #isSinkFull = false;
  #unhook: (() => void) | undefined = undefined;
  sink: Sink | undefined = undefined;
  callId: string | undefined = undefined;
  state: Record<string, unknown> | undefined = undefined;
  meta: Readonly<Record<string, unknown>> | undefined = undefined;
  /** Called once when the run is ended from outside. */
  onEnd: (() => void) | undefined = undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Why the run was ended from outside; `undefined` while it goes on. */
  get ended(): Refusal | undefined {
    return this.#ended;
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#abort(this.#ended);
      else this.watch(this.#call.peer.signal);
    }
    return this.#controller.signal;
  }

  /** Ends the run when `leaving` aborts: the caller has gone. The first one counts. */
  watch(leaving: AbortSignal | undefined): void {
    if (leaving === undefined || this.#unhook !== undefined || this.#ended !== undefined) return;
    const leave = () => this.end(refuse("cancelled", "The caller has gone"));
    if (leaving.aborted) return leave();
    leaving.addEventListener("abort", leave, { once: true });
    this.#unhook = () => leaving.removeEventListener("abort", leave);
  }

  /** Ends the run from outside: its signal aborts and the call settles at once, whatever the handler does. */
  end(refusal: Refusal): void {
    if (this.#ended !== undefined) return;
    this.#ended = refusal;
    this.#abort(refusal);
    this.onEnd?.();
    this.#settle(refusal);
  }

  /** Settles with `running`, or with the refusal that ends the run before it. */
  guard(running: Promise<Settled>, host: DispatchHost, limitMs: number, isIdleLimit: boolean): Promise<Settled> {
    if (this.#ended !== undefined) return Promise.resolve(this.#ended);
    this.#host = host;
    this.#isIdleDeadline = isIdleLimit;
    this.#deadline = host.deadlines.add(limitMs, () => this.end(host.overdue()));
    host.enter();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void running.then((settled) => this.#settle(settled));
    });
  }

  /** Sends one event; a returned promise resolves when there is room for the next. */
  push(event: CallEvent): void | Promise<void> {
    if (this.#ended !== undefined) return;
    if (this.#isIdleDeadline) this.#deadline?.renew();
    return this.sink?.push(event);
  }

  /** Sends progress; while the sink is full only the latest is kept. */
  progress(progress: Progress): void {
    if (this.#ended !== undefined) return;
    this.#pendingProgress = progress;
    // What cannot be written is dropped: progress is a courtesy.
    if (!this.#isSinkFull) void this.#flushProgress().catch(() => {});
  }

  async #flushProgress(): Promise<void> {
    while (this.#pendingProgress !== undefined && this.#ended === undefined) {
      const progress = this.#pendingProgress;
      this.#pendingProgress = undefined;
      const room = this.push({ kind: "progress", progress });
      if (room === undefined) continue;
      this.#isSinkFull = true;
      await room;
      this.#isSinkFull = false;
    }
  }

  #abort(refusal: Refusal): void {
    this.#controller?.abort(new ToolError(refusal.code, refusal.message));
  }

  /** Only the first to settle counts. */
  #settle(settled: Settled): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.#deadline?.clear();
    this.#unhook?.();
    this.#host?.leave();
    resolve(settled);
  }
}
