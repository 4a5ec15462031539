/** How the calls of a program are made on a server without an engine: at once, and not recorded. */
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { Failure } from "../../core/errors/failure.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { GuestProgram, GuestResult } from "../../sandbox/executor.ts";
import type { CodeModeSettings } from "./settings.ts";

/** What is the same in each run of a program. */
export type ProgramRecord = Pick<GuestProgram, "nowMs" | "seed">;

/** A tool, and the arguments that it is called with. */
export interface FoundCall {
  readonly tool: ToolDefinition;
  readonly args: unknown;
}

/** Makes the calls of a program. Each has a number, the same in each run. */
export interface ProgramCalls {
  /** Begins the program: its time, and the seed of its random numbers. */
  begin(): Promise<ProgramRecord>;
  /** Calls the tool that `find` gives, after the caller has approved it if it is to be asked. */
  call(id: number, find: () => Promise<FoundCall>): Promise<unknown>;
  sleep(id: number, ms: number): Promise<void>;
  /** Position of the result that the program receives next, among those that have arrived; -1 if it has not arrived. */
  nextOf(arrived: readonly GuestResult[]): number;
  /** Checks that a program which waits, or has ended, has begun what it receives next. @throws {Failure} `replay_diverged` */
  assertBegun(count: number): void;
}

/** A new record of a program. */
export function newRecord({ clock }: CodeModeSettings): ProgramRecord {
  const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
  return { nowMs: clock.now(), seed };
}

/** Calls a tool for the caller of a program, under the number of the call. */
export async function callTool(ctx: CallContext, id: number, { tool, args }: FoundCall): Promise<unknown> {
  const { name } = tool;
  return await ctx.call({ name, "~definition": tool }, args, { key: `c${id}`, "~keepsErrors": true });
}

/** The error for a question in a program whose answer would repeat the calls before it. */
function needsEngine(name: string): Failure {
  const message =
    `${name} asks its caller, which programs can do on a server with an engine: pass createServer({ engine })`;
  return new Failure<string, unknown>("needs_engine", message, undefined) as Failure;
}

/** Calls of a program that is not recorded. */
export class PlainCalls implements ProgramCalls {
  readonly #settings: CodeModeSettings;
  readonly #ctx: CallContext;

  constructor(settings: CodeModeSettings, ctx: CallContext) {
    this.#settings = settings;
    this.#ctx = ctx;
  }

  begin(): Promise<ProgramRecord> {
    return Promise.resolve(newRecord(this.#settings));
  }

  async call(id: number, find: () => Promise<FoundCall>): Promise<unknown> {
    const found = await find();
    if (this.#settings.callable().asks(found.tool)) throw needsEngine(`A call of ${found.tool.name}`);
    return await callTool(this.#ctx, id, found);
  }

  async sleep(_: number, ms: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#settings.clock.after(ms, resolve));
  }

  nextOf(arrived: readonly GuestResult[]): number {
    return arrived.length - 1 < 0 ? -1 : 0;
  }

  assertBegun(): void {}
}
