import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { CallResult, UnknownOutcome } from "../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../core/errors/code.ts";
import { isJsonObject } from "../../internal/json.ts";
import { CORRELATION_ID, ERROR_TYPE, FAILURE_CODE, OUTCOME, RPC_STATUS_CODE } from "./names.ts";

/** What a server has to answer for; other refusals are what the caller did. */
const SERVER_FAULTS: ReadonlySet<ToolErrorCode> = new Set([
  "internal",
  "unavailable",
  "deadline_exceeded",
  "result_too_large",
]);

/** Which side tells of a call: to a client each refusal is an error. */
export type Side = "server" | "client";

/** How a call ended, for measurements. */
export function outcomeAttributes(settled: CallResult | UnknownOutcome, side: Side): Attributes {
  if (settled.kind !== "error") return { [RPC_STATUS_CODE]: "OK", [OUTCOME]: settled.kind };
  const { code } = settled;
  const isError = side === "client" || SERVER_FAULTS.has(code);
  return { [RPC_STATUS_CODE]: code, [OUTCOME]: settled.kind, ...(isError && { [ERROR_TYPE]: code }) };
}

/** Says on a span how its call ended, and ends it. */
export function endSpan(span: Span, settled: CallResult | UnknownOutcome, attributes: Attributes): void {
  span.setAttributes(attributes);
  if (settled.kind === "failure") span.setAttribute(FAILURE_CODE, settled.code);
  if (settled.kind === "error") {
    const { data } = settled;
    const correlationId = isJsonObject(data) ? data["correlation_id"] : undefined;
    if (typeof correlationId === "string") span.setAttribute(CORRELATION_ID, correlationId);
    if (ERROR_TYPE in attributes) span.setStatus({ code: SpanStatusCode.ERROR, message: settled.message });
  }
  span.end();
}
