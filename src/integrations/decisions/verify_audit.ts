/** Checks the lines of an audit. */
import { sha256Hex } from "../../core/token/digest.ts";
import { type ChainedLine, type ChainEnd, GENESIS, readLine } from "./audit_line.ts";

/** Result of {@link verifyAudit}. */
export interface AuditCheck {
  /** Whether there is no problem. */
  readonly isIntact: boolean;
  /** Number of whole lines. */
  readonly lines: number;
  /** Hash of the last line, which to keep elsewhere: it shows later that no line was removed from the end. */
  readonly head: string;
  /** What was changed, by lines of the text from 1. At most 100. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

const MAX_PROBLEMS = 100;

/**
 * Checks an audit of `auditLog()`: each line by its own hash, and its place by the hash of the line before, so that a changed, removed,
 * added or moved line is found. Lines removed from the end are found if `head` is given. A piece of a line that a process left when it
 * was killed is accepted if the line after it has its hash.
 *
 * @param audit The text, or its bytes.
 * @param options With `head`, the hash of a line that has to be there, from an earlier check. Default: none.
 */
export function verifyAudit(
  audit: string | Uint8Array,
  options: { readonly head?: string | undefined } = {},
): AuditCheck {
  const problems: { line: number; problem: string }[] = [];
  const note = (line: number, problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ line, problem });
  };
  const text = typeof audit === "string" ? audit : textOf(audit);
  const all = text.split("\n");
  if (all.pop() !== "") note(all.length + 1, "it is not whole: a process has died, or the file was cut");
  let end: ChainEnd = { n: 0, hash: GENESIS };
  let torn: string | undefined;
  let hasHead = options.head === undefined;
  let lines = 0;
  for (const [index, one] of all.entries()) {
    const line = readLine(one);
    if (line === undefined) {
      if (torn !== undefined) note(index, "it was changed");
      torn = one;
      continue;
    }
    const problem = placeOf(line, end, torn);
    if (problem !== undefined) note(torn === undefined ? index + 1 : index, problem);
    torn = undefined;
    lines++;
    hasHead ||= line.hash === options.head;
    end = line;
  }
  if (torn !== undefined) note(all.length, "it was changed");
  if (!hasHead) note(all.length, "the head is missing: lines were removed from the end");
  return { isIntact: problems.length === 0, lines, head: end.hash, problems };
}

/** What is wrong with the place of a line after `end`, or with the text before it that is not a line; `undefined` if nothing is. */
function placeOf(line: ChainedLine, end: ChainEnd, before: string | undefined): string | undefined {
  if (line.torn !== (before === undefined ? undefined : sha256Hex(before))) return "it was changed";
  if (line.n === end.n + 1 && line.prev === end.hash) return undefined;
  return `line ${line.n} does not follow line ${end.n}: lines were removed, added or moved`;
}

/** Bytes that are not text become a character that no line has. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
