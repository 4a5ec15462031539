/** Jobs that an operator begins again. */
import type { CallResult } from "../../core/call/outcome.ts";
import type { Job, LedgerEntry } from "../../core/dispatch/engine.ts";

/** Why a job whose handler has undone what it did is not begun again. */
export function undoneMessage(id: string, failed: readonly string[], undos: readonly string[]): string {
  const [before, after] = [failed, undos].map((keys) => keys.map((key) => `"${key}"`).join(", "));
  return `Cannot retry job ${id}: after the step ${before} had failed, its handler ran ${after}, which may have undone what was done ` +
    "before; rerun(id) makes a new call with the same arguments";
}

/** Keys of the steps that have failed finally. */
export function failedKeys(ledger: readonly LedgerEntry[], failed: Job["memo"]["failed"] = {}): readonly string[] {
  const names = ledger.flatMap((
    { name, failure },
  ) => (failure === undefined ? [] : [name.slice(name.indexOf(" ") + 1)]));
  return [...new Set([...Object.keys(failed), ...names])];
}

/** The memo of a job that begins again from its failed steps, whose tries are counted from the start. */
export function retriedMemo(
  { waits = {}, ...memo }: Omit<Job["memo"], "failed" | "undos">,
  retriedAt: number,
): Job["memo"] {
  const kept = Object.entries(waits).filter(([name]) => !name.startsWith("retry "));
  return { ...memo, retriedAt, ...(kept.length > 0 && { waits: Object.fromEntries(kept) }) };
}

/** A result, for the message of an error. */
export function describe(outcome: CallResult): string {
  return outcome.kind === "failure" ? `the failure ${outcome.code}` : `an ${outcome.kind}`;
}
