/** What a policy may decide about a call: allow it, deny it, or ask the caller before it runs. */
import type { ToolErrorCode } from "../../core/errors/code.ts";

/** A decision about a call, made by {@link allow}, {@link charge}, {@link deny} or {@link ask}. */
export type Decision = AllowDecision | DenyDecision | AskDecision;

/** The call may run. */
export interface AllowDecision {
  /** Distinguishes the decisions. */
  readonly kind: "allow";
  /** What the call costs, in the unit of the policy. Default: 0. */
  readonly cost?: number | undefined;
}

/** The call does not run: the caller gets the error. */
export interface DenyDecision {
  /** Distinguishes the decisions. */
  readonly kind: "deny";
  /** Text for the caller: why, and what to do. */
  readonly reason: string;
  /** Code of the error that the caller gets. */
  readonly code: ToolErrorCode;
  /** Delay after which the call may succeed, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The call runs if the caller confirms it. */
export interface AskDecision {
  /** Distinguishes the decisions. */
  readonly kind: "ask";
  /** Text for the person or agent that calls. */
  readonly message: string;
  /** What the call costs once it is confirmed. Default: 0. */
  readonly cost?: number | undefined;
}

const FREE: AllowDecision = { kind: "allow" };

/** Allows a call, which costs nothing. */
export function allow(): AllowDecision {
  return FREE;
}

/**
 * Allows a call that costs something. Costs of several policies are added, and are part of the record.
 *
 * @throws {RangeError} If the cost is not a number of at least 0.
 */
export function charge(cost: number): AllowDecision {
  if (Number.isFinite(cost) && cost >= 0) return { kind: "allow", cost };
  throw new RangeError(`Cannot charge a call: the cost is a number of at least 0, not ${cost}`);
}

/** Denies a call. The caller gets the reason, by default as `permission_denied`. */
export function deny(
  reason: string,
  options: { readonly code?: ToolErrorCode | undefined; readonly retryAfterMs?: number | undefined } = {},
): DenyDecision {
  const { code = "permission_denied", retryAfterMs } = options;
  return { kind: "deny", reason, code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Lets the caller confirm a call before it runs, as `ctx.elicit` asks. A caller that declines gets `permission_denied`. */
export function ask(message: string): AskDecision {
  return { kind: "ask", message };
}

/** @throws {TypeError} If it is not a decision: a policy without one allows nothing. */
export function assertDecision(value: unknown): Decision {
  const { kind, cost = 0 } = Object(value);
  if ((kind === "allow" || kind === "ask") && Number.isFinite(cost) && cost >= 0) return value as Decision;
  if (kind === "deny") return value as Decision;
  throw new TypeError("Cannot decide about a call: decide has to return allow(), charge(…), deny(…) or ask(…)");
}
