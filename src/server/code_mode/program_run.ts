/** One run of a program: its calls are made for its caller, and their results are given to it one after the other. */
import { writeLine } from "../../core/dispatch/error_masking.ts";
import { callGuarded } from "../../internal/async.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { isMistake, mistake } from "../../core/errors/mistake.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { shorten } from "../../internal/text.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { Guest, GuestCall, GuestError, GuestResult, GuestTurn } from "../../sandbox/executor.ts";
import { answerOf, type CountedCalls, type ProgramAnswer } from "./program_answer.ts";
import { declarationOf } from "./declarations.ts";
import { type FailedCall, programFailure } from "./program_error.ts";
import { DurableCalls, isDivergence } from "./durable_calls.ts";
import { PlainCalls, type ProgramCalls } from "./program_calls.ts";
import type { CodeModeSettings } from "./settings.ts";

/** Length of a tool's name in an error. */
const MAX_NAME = 64;

/** A program that waits for something else than a call never continues. */
const STUCK: GuestError = {
  kind: "runtime",
  name: "Error",
  message: "The program waits for something that never comes: only calls of tools and sleep(ms) can be awaited",
  stack: "",
};

/** Runs one program. */
export class ProgramRun {
  readonly #settings: CodeModeSettings;
  readonly #ctx: CallContext;
  readonly #source: string;
  readonly #calls: ProgramCalls;
  readonly #logs: string[] = [];
  readonly #called: string[] = [];
  readonly #counts: CountedCalls = new Map();
  readonly #failed = new Map<number, FailedCall>();
  /** Calls that wait until others have ended. */
  readonly #queue: GuestCall[] = [];
  #running = 0;
  /** Results that the program has not received, in the order in which they came. */
  readonly #arrived: GuestResult[] = [];
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();
  #broken: { readonly thrown: unknown } | undefined;
  #guest: Guest | undefined;
  #isClosed = false;

  constructor(settings: CodeModeSettings, ctx: CallContext, source: string) {
    this.#settings = settings;
    this.#ctx = ctx;
    this.#source = source;
    this.#calls = settings.isDurable ? new DurableCalls(settings, ctx, source) : new PlainCalls(settings, ctx);
  }

  /** Ends the sandbox. Never throws, and safe to call at any time. */
  close(): void {
    this.#isClosed = true;
    const { services: { logger }, callId } = this.#ctx;
    const warn = (error: unknown) =>
      writeLine(logger, "warn", "The sandbox of a program could not be closed", { callId, error });
    callGuarded(() => this.#guest?.close(), warn);
  }

  /** Runs the program. @throws {Failure} `program`, if it has no value; `replay_diverged`, if it is not that of the runs before. */
  async run(): Promise<ProgramAnswer> {
    try {
      return await this.#run();
    } catch (thrown) {
      if (this.#broken !== undefined) throw this.#broken.thrown;
      // The run has stopped at a question or a wait. It begins again with the answer.
      if (this.#isClosed) return await new Promise<never>(() => {});
      throw thrown;
    }
  }

  async #run(): Promise<ProgramAnswer> {
    const { executor, limits } = this.#settings;
    const record = await this.#calls.begin();
    const guest = await ofSandbox(executor.create({ source: this.#source, ...record, limits }));
    this.#guest = guest;
    if (this.#isClosed) this.close();
    const { signal } = this.#ctx;
    const stop = () => {
      this.close();
      // A run that has stopped at a question is left where it is.
      if (this.#ctx.ended !== undefined) this.#break(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    let turn = await ofSandbox(guest.start());
    for (;;) {
      this.#logs.push(...turn.logs);
      for (const call of turn.calls) this.#begin(call);
      this.#calls.assertBegun(this.#called.length);
      if (turn.end !== undefined) return this.#finish(turn.end);
      if (this.#isIdle) throw this.#failure(STUCK);
      const result = await this.#next();
      turn = await ofSandbox(guest.resume(result));
    }
  }

  get #isIdle(): boolean {
    return this.#running + this.#queue.length + this.#arrived.length === 0;
  }

  #finish(end: NonNullable<GuestTurn["end"]>): ProgramAnswer {
    if ("error" in end) throw this.#failure(end.error);
    return answerOf(end.json, this.#logs, this.#counts, this.#settings.limits.answerTokens);
  }

  #failure(error: GuestError): Failure {
    const [id] = error.calls ?? [];
    const callable = this.#settings.callable();
    const { peer } = this.#ctx.request;
    return programFailure(this.#named(error), {
      source: this.#source,
      calls: this.#called,
      logs: this.#logs,
      failed: error.kind === "runtime" && id !== undefined ? this.#failed.get(id) : undefined,
      declarationOf: (name) => {
        const tool = callable.findFor(name, peer);
        return tool && declarationOf(tool, callable);
      },
    });
  }

  /** Names the calls that the program did not await. */
  #named(error: GuestError): GuestError {
    if (error.kind !== "open") return error;
    const names = (error.calls ?? []).map((id) => this.#called[id - 1]).join(", ");
    return { ...error, message: `The program ended before calls that it did not await: ${names}` };
  }

  /** The result for the program to continue with. */
  async #next(): Promise<GuestResult> {
    for (;;) {
      if (this.#broken !== undefined) throw this.#broken.thrown;
      const at = this.#calls.nextOf(this.#arrived);
      const [result] = at === -1 ? [] : this.#arrived.splice(at, 1);
      if (result !== undefined) return result;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  #begin(call: GuestCall): void {
    this.#called.push(call.kind === "sleep" ? "sleep" : call.tool);
    this.#queue.push(call);
    this.#startNext();
  }

  #startNext(): void {
    while (this.#running < this.#settings.limits.inFlight && this.#queue.length > 0) {
      this.#running++;
      void this.#take(this.#queue.shift()!);
    }
  }

  async #take(call: GuestCall): Promise<void> {
    const startedMs = this.#settings.clock.now();
    try {
      this.#arrived.push(await this.#resultOf(call));
    } catch (thrown) {
      this.#break(thrown);
    }
    this.#running--;
    this.#count(call, this.#settings.clock.now() - startedMs);
    this.#startNext();
    this.#wake.resolve();
  }

  #count({ kind, tool }: GuestCall, ms: number): void {
    if (kind === "sleep") return;
    const { n = 0, ms: before = 0 } = this.#counts.get(tool) ?? {};
    this.#counts.set(tool, { n: n + 1, ms: before + ms });
  }

  /** Ends the run with an error that is not the program's. */
  #break(thrown: unknown): void {
    this.#broken ??= { thrown };
    this.#wake.resolve();
  }

  /** The result of a call. What it throws is thrown in the program. */
  async #resultOf(call: GuestCall): Promise<GuestResult> {
    try {
      const value = await this.#valueOf(call);
      return { id: call.id, isError: false, json: JSON.stringify(value ?? null) };
    } catch (thrown) {
      const failed = isDivergence(thrown, call.id) ? undefined : failedCallOf(call, thrown);
      if (failed === undefined) throw thrown;
      this.#failed.set(call.id, failed);
      return { id: call.id, isError: true, json: JSON.stringify(failed) };
    }
  }

  async #valueOf({ id, kind, tool, input }: GuestCall): Promise<unknown> {
    const given: unknown = JSON.parse(input);
    if (kind === "sleep") return await this.#calls.sleep(id, given as number);
    return await this.#calls.call(id, async () => {
      const definition = await this.#find(tool);
      if (kind === "call") return { tool: definition, args: given };
      const { continuationTool } = definition;
      if (continuationTool === undefined) throw new ToolError("invalid_input", `${definition.name} has no pages`);
      return { tool: continuationTool, args: { handle: given } };
    });
  }

  /** The tool that a program names. One that its caller may not see is unknown. */
  async #find(name: string): Promise<ToolDefinition> {
    const { request: { peer: { principal, session } }, services: { registry } } = this.#ctx;
    const found = this.#settings.callable().find(name);
    const isKnown = found !== undefined && registry.getFor(found.name, principal, session) !== undefined;
    if (isKnown) return found;
    const isClosed = registry.getFor(name, principal, session) !== undefined;
    if (isClosed) throw new ToolError("permission_denied", `Programs may not call ${name}`);
    const { message, data } = await registry.notFound(name, principal, session);
    const { suggestion = "" } = data as { readonly suggestion?: string };
    throw new ToolError("tool_not_found", `${message}: ${shorten(name, MAX_NAME)}. ${suggestion}`, { details: data });
  }
}

/** What a sandbox gives. Its failure is one of the server, such as a package that is missing: another attempt has it, too. */
async function ofSandbox<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (thrown) {
    if (isMistake(thrown)) throw thrown;
    throw mistake(new Error("The sandbox of the program failed", { cause: thrown }));
  }
}

/** What a program gets of an error of a call; `undefined` for one that is not the call's. */
function failedCallOf({ tool }: GuestCall, thrown: unknown): FailedCall | undefined {
  if (thrown instanceof Failure) {
    const { code, message, data } = thrown;
    return { tool, code, message, ...(data !== undefined && { data }) };
  }
  if (!(thrown instanceof ToolError)) return undefined;
  const { code, message, details } = thrown;
  return { tool, code, message, ...(details !== undefined && { data: details }) };
}
