/** Limits of programs. */
import { type OptionRules, POSITIVE, wholeNumber } from "../../internal/options.ts";

/** Limits of each program: what it may use, and how long its answer is. */
export interface ProgramLimits {
  /** Time that a program computes, in milliseconds, without the time that it waits for calls. Default: 5,000. */
  readonly cpuMs?: number | undefined;
  /** Memory of a program, in MiB. Default: 64. */
  readonly memoryMb?: number | undefined;
  /** Number of calls of a program. Default: 256. */
  readonly calls?: number | undefined;
  /** Number of calls of a program that run at once; the others wait. Default: 16. */
  readonly inFlight?: number | undefined;
  /** Length of a program, in UTF-16 code units. Default: 65,536. */
  readonly sourceChars?: number | undefined;
  /** Tokens of an answer, estimated: a longer value is cut. Default: 2,000. */
  readonly answerTokens?: number | undefined;
  /** Length of what `console.log` writes in a program, in UTF-16 code units. Default: 8,192. */
  readonly logChars?: number | undefined;
}

/** The limits with their defaults. */
export type ResolvedLimits = { readonly [Name in keyof ProgramLimits]-?: number };

export const LIMIT_RULES: OptionRules<ProgramLimits> = {
  cpuMs: POSITIVE,
  memoryMb: wholeNumber(1),
  calls: wholeNumber(1),
  inFlight: wholeNumber(1),
  sourceChars: wholeNumber(1),
  answerTokens: wholeNumber(1),
  logChars: wholeNumber(0),
};

/** Adds the defaults. */
export function resolveLimits(limits: ProgramLimits): ResolvedLimits {
  const {
    cpuMs = 5_000,
    memoryMb = 64,
    calls = 256,
    inFlight = 16,
    sourceChars = 65_536,
    answerTokens = 2_000,
    logChars = 8_192,
  } = limits;
  return { cpuMs, memoryMb, calls, inFlight, sourceChars, answerTokens, logChars };
}
