/**
 * How the calls of a program are made on a server with an engine: each is recorded as a step is, so that a run which follows a question,
 * a wait or the death of its process gives the program the same results, in the order in which they came.
 */
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { ToolErrorCode } from "../../core/errors/code.ts";
import { digestOf } from "../../core/token/digest.ts";
import { isJsonObject, type Json } from "../../internal/json.ts";
import { shorten } from "../../internal/text.ts";
import type { GuestResult } from "../../sandbox/executor.ts";
import { argumentsOf } from "../discovery/search_tools.ts";
import { callTool, type FoundCall, newRecord, type ProgramCalls, type ProgramRecord } from "./program_calls.ts";
import type { CodeModeSettings } from "./settings.ts";

/** Characters of the arguments that an approval shows. */
const MAX_SHOWN = 500;

/** Schema of the answer to an approval: accepting it is enough. */
const NOTHING = argumentsOf<Record<never, never>>({ type: "object", properties: {} });

/** An error of a call, as it is recorded. */
interface KeptError {
  readonly isFailure: boolean;
  readonly code: string;
  readonly message: string;
  readonly data?: Json;
}

/** Calls of a program that is recorded. */
export class DurableCalls implements ProgramCalls {
  readonly #settings: CodeModeSettings;
  readonly #ctx: CallContext;
  readonly #source: string;
  /** Numbers of the calls that had ended in earlier runs, in the order of their ends. */
  #order: readonly number[] = [];
  #next = 0;
  /** Calls whose error was recorded in a step. */
  readonly #failed = new Set<number>();

  constructor(settings: CodeModeSettings, ctx: CallContext, source: string) {
    this.#settings = settings;
    this.#ctx = ctx;
    this.#source = source;
  }

  async begin(): Promise<ProgramRecord> {
    const digest = digestOf("program", { source: this.#source });
    const { digest: recorded, ...record } = await this.#ctx.step("program", () => ({
      digest,
      ...newRecord(this.#settings),
    }));
    if (recorded !== digest) throw diverged("it has another source", "program");
    const ended = (this.#ctx.questions?.kept ?? []).flatMap(([name, outcome]) => {
      const end = endOf(name, "value" in outcome ? outcome.value : undefined);
      if (end?.hasFailed) this.#failed.add(end.id);
      return end === undefined ? [] : [end.id];
    });
    this.#order = ended;
    return record;
  }

  async call(id: number, find: () => Promise<FoundCall>): Promise<unknown> {
    if (this.#failed.has(id)) throw await this.#recorded(id);
    let found: FoundCall;
    try {
      found = await find();
      if (this.#settings.callable().asks(found.tool)) await this.#approve(id, found);
    } catch (thrown) {
      throw await this.#recorded(id, thrown);
    }
    return await callTool(this.#ctx, id, found);
  }

  async sleep(id: number, ms: number): Promise<void> {
    await this.#ctx.sleep(`c${id}`, ms);
    // Sleeps are not in the order of the results, which a program depends on.
    await this.#ctx.step(`c${id} over`, () => true);
  }

  nextOf(arrived: readonly GuestResult[]): number {
    const id = this.#order[this.#next];
    const at = id === undefined ? Math.min(0, arrived.length - 1) : arrived.findIndex((result) => result.id === id);
    if (at !== -1) this.#next++;
    return at;
  }

  assertBegun(count: number): void {
    const id = this.#order[this.#next];
    if (id === undefined || id <= count) return;
    throw diverged(`call ${id} was made, and it does not come to it`, `call c${id}`);
  }

  /** Asks the caller whether a call may be made. @throws {Failure} `declined`, if not. */
  async #approve(id: number, { tool: { name }, args }: FoundCall): Promise<void> {
    const message = `A program calls ${name} with ${shorten(JSON.stringify(args), MAX_SHOWN)}. May it?`;
    const { action } = await this.#ctx.elicit(`c${id}.approval`, { message, schema: NOTHING });
    if (action === "accept") return;
    throw new Failure<string, unknown>("declined", `The caller did not approve the call of ${name}`, undefined);
  }

  /** An error that is not recorded with its call, so that each run of the program has it at the same place. */
  async #recorded(id: number, thrown?: unknown): Promise<unknown> {
    const isFailure = thrown instanceof Failure;
    if (thrown !== undefined && !isFailure && !(thrown instanceof ToolError)) return thrown;
    const kept = await this.#ctx.step(`c${id} failed`, () => JSON.parse(JSON.stringify(errorOf(thrown!))) as KeptError);
    if (kept.isFailure) return new Failure<string, unknown>(kept.code, kept.message, kept.data);
    return new ToolError(kept.code as ToolErrorCode, kept.message, { details: kept.data });
  }
}

function errorOf(thrown: Failure | ToolError): KeptError {
  const { code, message } = thrown;
  const isFailure = thrown instanceof Failure;
  return { isFailure, code, message, data: (isFailure ? thrown.data : thrown.details) as Json };
}

/** The call whose end a record is: of a call that asks, or is a job, there are records before its end. */
function endOf(name: string, value: unknown): { readonly id: number; readonly hasFailed: boolean } | undefined {
  const [, call, id, rest] = /^step (call )?c(\d+)( over| failed)?$/.exec(name) ?? [];
  if (id === undefined) return undefined;
  if (call !== undefined && !(isJsonObject(value) && "result" in value)) return undefined;
  return { id: Number(id), hasFailed: rest === " failed" };
}

/** Whether a call was refused since an earlier run of the program has made another one in its place. */
export function isDivergence(thrown: unknown, id: number): boolean {
  if (!(thrown instanceof Failure) || thrown.code !== "replay_diverged") return false;
  return isJsonObject(thrown.data) && thrown.data["key"] === `c${id}`;
}

function diverged(problem: string, key: string): Failure {
  const message = `The program has changed since its work began: ${problem}`;
  return new Failure<string, unknown>("replay_diverged", message, { key }) as Failure;
}
