/**
 * The contract of executors: they run programs of models in a sandbox, a turn at a time.
 *
 * A program computes until all that it waits for are calls of tools. That is a turn: what it has begun since the turn before comes out,
 * and the result of one call goes in. So the same results in the same order make the same program, in a thread, in another process,
 * and after a restart. Everything that crosses is text, which the host parses itself.
 */

/** A program, and what it may use. */
export interface GuestProgram {
  /** JavaScript: the body of an async function. */
  readonly source: string;
  /** What `Date` shows, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Seed of `Math.random`. */
  readonly seed: number;
  /** Limits of the sandbox. */
  readonly limits: GuestLimits;
}

/** Limits of a program that its executor enforces. */
export interface GuestLimits {
  /** Time that the program computes, in milliseconds, without the time that it waits. */
  readonly cpuMs: number;
  /** Memory, in MiB. */
  readonly memoryMb: number;
  /** Number of calls. */
  readonly calls: number;
  /** Length of what `console.log` writes, in UTF-16 code units. */
  readonly logChars: number;
}

/** Something that a program has begun: a call of a tool, the page after a handle, or a sleep. */
export interface GuestCall {
  /** Number of the call in the program, from 1. */
  readonly id: number;
  /** What it is. */
  readonly kind: "call" | "more" | "sleep";
  /** Name of the tool, as the program wrote it; empty for a sleep. */
  readonly tool: string;
  /** Arguments, as JSON. */
  readonly input: string;
}

/** The result of a call. */
export interface GuestResult {
  /** Number of the call. */
  readonly id: number;
  /** Whether the call throws in the program: `json` is then an error with `code`, `message` and `data`. */
  readonly isError: boolean;
  /** The answer, as JSON. */
  readonly json: string;
}

/** What ended a program that has no result. */
export interface GuestError {
  /** `syntax`: it is not a program; `runtime`: it threw; `limit`: it exceeded a limit; `open`: it ended before calls that it began. */
  readonly kind: "syntax" | "runtime" | "limit" | "open";
  /** Name of the error, such as `TypeError`. */
  readonly name: string;
  /** Message. */
  readonly message: string;
  /** Stack, whose frames in the program are `program.js:line:column`. */
  readonly stack: string;
  /** Numbers of the calls that it is about: the one that failed, or those that are open. */
  readonly calls?: readonly number[] | undefined;
}

/** What a program has done until it waits or has ended. */
export interface GuestTurn {
  /** What it has begun. */
  readonly calls: readonly GuestCall[];
  /** What it has written. */
  readonly logs: readonly string[];
  /** How it has ended; absent while it waits. */
  readonly end?: { readonly json: string } | { readonly error: GuestError } | undefined;
}

/** A program in its sandbox. */
export interface Guest {
  /** Begins the program. */
  start(): Promise<GuestTurn>;
  /** Gives the program the result of a call, and lets it continue. */
  resume(result: GuestResult): Promise<GuestTurn>;
  /** Ends the sandbox. Safe to call at any time, and more than once. */
  close(): void;
}

/** Runs programs of models in a sandbox: made by `quickjs()`. */
export interface Executor {
  /** Name, for errors and the log. */
  readonly name: string;
  /** Creates the sandbox of one program. Its code is loaded with the first one. */
  create(program: GuestProgram): Promise<Guest>;
}
