import { ToolError } from "../errors/tool_error.ts";
import { MAX_TIMER_MS } from "../../internal/time.ts";
import type { Principal } from "./call.ts";
import type { ActivityMonitor } from "./transport.ts";

/** Makes the monitor of a transport's request from a signal: it aborts with the signal, and has no idle timeout. */
export function monitorFromSignal(signal: AbortSignal, principal?: Principal): ActivityMonitor {
  return { signal, principal, markActive() {}, suspend() {} };
}

/** Runs `work` with a signal that aborts with `deadline_exceeded` after `timeoutMs`. `work` has to end itself then: its promise is always awaited. */
export async function withTimeLimit<Value>(
  timeoutMs: number,
  work: (limit: ActivityMonitor) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const expire = () => controller.abort(new ToolError("deadline_exceeded", `Not done after ${timeoutMs} ms`));
  const timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    return await work(monitorFromSignal(controller.signal));
  } finally {
    clearTimeout(timer);
  }
}
