import type { Refusal } from "../call/outcome.ts";
import type { Deadlines } from "../internal/deadlines.ts";
import type { Logger } from "../tool/context.ts";

/** What all runs of one server share. */
export interface DispatchHost {
  /** The server's logger, if it has one. */
  readonly logger: Logger | undefined;
  /** The server's deadlines. */
  readonly deadlines: Deadlines;
  /** A run goes on after the function call that began it. */
  enter(): void;
  /** Such a run has settled. */
  leave(): void;
  /** What a run is told whose deadline has come. */
  overdue(): Refusal;
}
