/** Results for callers, by the errors of `@temporalio/client`, which are recognized by their names: there may be several copies of it. */
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Ctx } from "../../core/handler/context.ts";
import type { MiddlewareCtx } from "../../core/handler/middleware.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";

/** Codes of gRPC for a server that does not answer now: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE. */
const TEMPORARY: readonly unknown[] = [1, 4, 8, 10, 14];

/** Members of the errors of Temporal. */
interface TemporalError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Code of gRPC. */
  readonly code?: unknown;
  /** Type of an application failure. */
  readonly type?: unknown;
  readonly details?: unknown;
}

/** Whether a thrown value has this `name`: errors of Temporal are not compared by class, of which there may be several copies. */
export function isNamed(thrown: unknown, name: string): boolean {
  return (thrown as TemporalError | null)?.name === name;
}

/** The error of a request, for the caller: `unavailable` if the server does not answer, `promise_lost` for an unknown workflow, else unchanged. */
export function requestError(thrown: unknown): unknown {
  const codes = causesOf(thrown).map(({ code }) => code);
  if (codes.some((code) => TEMPORARY.includes(code))) {
    return new ToolError("unavailable", "The Temporal server does not answer: try again later", { cause: thrown });
  }
  if (!isNamed(thrown, "WorkflowNotFoundError")) return thrown;
  const message = "Temporal does not know the workflow: its namespace keeps ended workflows for a limited time";
  return new ToolError("promise_lost", message, { cause: thrown });
}

/** What is thrown for a workflow that ended without a result: the failure `cancelled`, `attempts_exhausted` or a declared one, else the error. */
export function endOf(thrown: unknown, ctx: Ctx): unknown {
  if (!isNamed(thrown, "WorkflowFailedError")) return requestError(thrown);
  const causes = causesOf((thrown as TemporalError).cause);
  const [{ name, message }] = causes;
  if (name === "CancelledFailure") return new Failure("cancelled", "The work was cancelled");
  if (name === "TerminatedFailure") return exhausted("The work was terminated", message);
  if (name === "TimeoutFailure") return exhausted("The work took too long", message);
  const { errors } = (ctx as MiddlewareCtx).tool as ToolDefinition;
  const declared = causes.find(({ type }) => typeof type === "string" && errors.has(type));
  if (declared === undefined) return thrown;
  const [data] = Array.isArray(declared.details) ? declared.details : [];
  // Checks the data.
  return ctx.fail(String(declared.type), String(declared.message), data);
}

function exhausted(message: string, reason: unknown): Failure {
  return new Failure("attempts_exhausted", message, { attempts: 1, reason });
}

/** An error and its causes, from the outside in. At least one. */
function causesOf(thrown: unknown): readonly [TemporalError, ...TemporalError[]] {
  const causes: [TemporalError, ...TemporalError[]] = [(thrown ?? {}) as TemporalError];
  for (let next = causes[0].cause; typeof next === "object" && next !== null && causes.length < 32;) {
    causes.push(next);
    next = (next as TemporalError).cause;
  }
  return causes;
}
