/** The functions of `node:fs`: one of their calls fails, and afterwards each clean-up. */
import { releasingSync } from "../../../../src/internal/clean_up.ts";
import { type Functions, withBuiltin } from "../../../faulty_builtin.ts";
import { FIRST, SECOND } from "../../../server/second_failures/faulty.ts";

/** Functions that clean up. `closeSync` closes all the same, so that only the SDK can leak. */
const CLEAN_UPS: ReadonlySet<string> = new Set(["rmSync", "rmdirSync", "closeSync"]);

/** Which call fails. */
export interface FileFault {
  /** Number of the call that fails, from 1; 0 for none. */
  readonly call: number;
  /** Whether clean-ups fail afterwards. */
  readonly failsAgain: boolean;
}

/** The calls of a run. */
export interface FileCalls {
  /** Name of the function whose call has failed. */
  failed: string | undefined;
  /** Whether a clean-up has failed after it. */
  hasFailedAgain: boolean;
  count: number;
  /** Number of files that were opened and not closed. */
  open: number;
}

/** Runs work with the fault, and returns what it threw. */
export async function runWithFault(
  { call, failsAgain }: FileFault,
  work: () => Promise<unknown>,
): Promise<FileCalls & { readonly thrown: unknown }> {
  const calls: FileCalls = { failed: undefined, hasFailedAgain: false, count: 0, open: 0 };
  let isWithin = false;
  const wrap = (name: string, own: (...args: never[]) => unknown) => (...args: never[]): unknown => {
    // Node's own functions call each other.
    if (isWithin) return own(...args);
    const isFirst = ++calls.count === call;
    const isAgain = calls.failed !== undefined && failsAgain && CLEAN_UPS.has(name);
    if (isFirst) calls.failed = name;
    if (isAgain) calls.hasFailedAgain = true;
    if (isFirst ? name !== "closeSync" : isAgain && name !== "closeSync") throw faultOf(isFirst);
    isWithin = true;
    const done = releasingSync(() => own(...args), () => isWithin = false);
    if (name === "openSync") calls.open++;
    if (name === "closeSync") calls.open--;
    if (isFirst || isAgain) throw faultOf(isFirst);
    return done;
  };
  const replace = (own: Functions): Functions => {
    const names = Object.keys(own).filter((name) => name.endsWith("Sync") && name !== "existsSync");
    return Object.fromEntries(names.map((name) => [name, wrap(name, own[name]!)]));
  };
  const thrown = await withBuiltin("node:fs", replace, () => work().then(() => undefined, (error: unknown) => error));
  return { ...calls, thrown };
}

function faultOf(isFirst: boolean): Error {
  return Object.assign(new Error(isFirst ? FIRST : SECOND), { code: "EIO" });
}
