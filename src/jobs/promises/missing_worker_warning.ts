/** The warning of a server that may have work, and is not served in a way that starts a worker. */
import { isLooking } from "../../internal/looking.ts";
import { type Clock, systemClock } from "../../internal/time.ts";
import type { Logger } from "../../core/handler/context.ts";
import { writeLine } from "../../core/dispatch/error_masking.ts";

/** Time in which a server starts to serve, in milliseconds. */
const START_MS = 10_000;

const WARNING =
  "This server has an engine or schedules and no worker, so due work waits for the first request: serve it by serve(), " +
  "toNodeHandler(server) or server.fetch itself (const { fetch } = server), or call server.work()";

/** What the warning uses of a server. */
interface WarningServices {
  readonly logger: Logger | undefined;
  readonly clock: Clock;
}

/** Warns once if work waits for a worker some seconds after the start. It keeps no process alive. */
export class MissingWorkerWarning {
  readonly #services: WarningServices;
  readonly #isDue: () => boolean;
  #cancel: (() => void) | undefined;

  /** @param isDue Whether the server may have work, and no worker. */
  constructor(services: WarningServices, isDue: () => boolean) {
    this.#services = services;
    this.#isDue = isDue;
  }

  start(): void {
    const { logger, clock } = this.#services;
    // Where a timer ends with its request, none can be set while modules load.
    if (logger === undefined || clock.isPerRequest) return;
    const warn = (): void => {
      if (this.#isDue() && !isLooking()) writeLine(logger, "warn", WARNING, {});
    };
    this.#cancel = clock === systemClock ? afterUnref(START_MS, warn) : clock.after(START_MS, warn);
  }

  cancel(): void {
    this.#cancel?.();
  }
}

function afterUnref(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs);
  (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer);
}
