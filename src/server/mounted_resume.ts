import type { Dispatcher } from "../core/dispatch/dispatcher.ts";
import { isLooking } from "../internal/looking.ts";

/**
 * Creates a function that has a server take up due jobs and schedules when it is mounted: once, after the current module has run, which
 * may start another worker. In a process that only looks at modules it does nothing.
 */
export function createMountedResume(
  dispatcher: Pick<Dispatcher, "deferral" | "clock" | "mask">,
): () => void {
  const { deferral, clock } = dispatcher;
  const resume = (): void => {
    try {
      deferral?.resume();
    } catch (thrown) {
      // No caller waits for it, so that an exception would end the process.
      dispatcher.mask(thrown, { during: "start of deferred work" });
    }
  };
  // Where timers end with the request that set them, as on Workers, no worker can run beside the requests.
  let isMounted = deferral === undefined || clock.isPerRequest === true;
  return () => {
    if (isMounted || isLooking()) return;
    isMounted = true;
    queueMicrotask(resume);
  };
}
