import { ToolError } from "../errors/tool_error.ts";
import { MAX_TIMER_MS } from "../../internal/time.ts";
import type { ActivityMonitor } from "./transport.ts";

/** Makes a monitor that only aborts, without a limit on inactivity. */
export function monitorFromSignal(signal: AbortSignal): ActivityMonitor {
  return { signal, markActive() {}, suspend() {} };
}

/** Runs `work` with a signal that aborts with `deadline_exceeded` after `timeoutMs`. The timer is cleared afterwards: it would keep a process alive. */
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
