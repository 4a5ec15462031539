/** The steps of an examination: what each found, and what to do. */

/** Result of one step of `toolwire doctor`. */
export interface StepResult {
  /** `skipped`: the step does not apply, or an earlier one has failed. */
  readonly status: "passed" | "failed" | "skipped";
  /** What was seen. May contain text of the server. */
  readonly seen: string;
  /** What to do. Failed steps have one. */
  readonly remedy?: string;
  /** Whether the failure is one of permission: Host, Origin, sign-in. Otherwise the server is not reached. */
  readonly isDenied?: boolean;
}

/** A step with its name. */
export interface ExaminedStep extends StepResult {
  readonly name: StepName;
  /** The failed step that prevents this one. */
  readonly blockedBy?: StepName;
}

/** The steps, in order. */
export const STEP_NAMES = [
  "dns",
  "tcp",
  "tls",
  "host",
  "origin",
  "cors",
  "well-known",
  "protocol",
  "auth",
  "list",
] as const;

/** Name of a step. */
export type StepName = typeof STEP_NAMES[number];

export function passed(seen: string): StepResult {
  return { status: "passed", seen };
}

export function skipped(seen: string): StepResult {
  return { status: "skipped", seen };
}

export function failed(seen: string, remedy: string): StepResult {
  return { status: "failed", seen, remedy };
}

/** Makes the result of a step that failed because the server permits no access. */
export function denied(seen: string, remedy: string): StepResult {
  return { status: "failed", seen, remedy, isDenied: true };
}
