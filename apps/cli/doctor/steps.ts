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

/** Result of a step with its name, and the step that prevented it. */
export interface ExaminedStep extends StepResult {
  readonly name: StepName;
  /** The failed step that prevents this one. */
  readonly blockedBy?: StepName;
}

/** Names of the steps of `toolwire doctor`, in the order in which they run. */
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

/** Name of a step: one of {@link STEP_NAMES}. */
export type StepName = typeof STEP_NAMES[number];

/** Makes the result of a step that passed. */
export function passed(seen: string): StepResult {
  return { status: "passed", seen };
}

/** Makes the result of a step that does not apply, or that an earlier failure prevents. */
export function skipped(seen: string): StepResult {
  return { status: "skipped", seen };
}

/** Makes the result of a step that failed for another reason than a refused permission. */
export function failed(seen: string, remedy: string): StepResult {
  return { status: "failed", seen, remedy };
}

/** Makes the result of a step that failed because the server permits no access: it has its own exit code. */
export function denied(seen: string, remedy: string): StepResult {
  return { status: "failed", seen, remedy, isDenied: true };
}
