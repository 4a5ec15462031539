import type { ActivityMonitor } from "../../../core/call/transport.ts";

/** Waits, unless the limit ends it; then it gives `false`. Our waiting is not the wire's silence. */
export function delay(delayMs: number, limit: ActivityMonitor): Promise<boolean> {
  const { signal } = limit;
  limit.suspend();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (!signal.aborted) limit.markActive();
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, Math.min(delayMs, 2_147_483_647));
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
