import type { Clock } from "../../../internal/time.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { notification } from "./call_sink.ts";
import type { TellOfTask } from "./legacy.ts";

/** Tasks of which callers of one server are told at once who do not ask; of those beyond, they have to ask. */
const MAX_TOLD = 10_000;

/** Tells callers how their tasks are, as 2025-11-25 has it. */
export class TaskNews {
  readonly #clock: Clock;
  #told = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Follows one task, until it or `over` has ended; then calls `ended`. */
  follow(
    watch: Parameters<TellOfTask>[0],
    say: (json: string) => MaybePromise<void>,
    over: AbortSignal,
    ended: () => void = () => {},
  ): void {
    // Where nothing outlives its request, whoever wants to know asks.
    if (this.#clock.isPerRequest || this.#told >= MAX_TOLD) return ended();
    this.#told++;
    void watch((task) => void say(notification("notifications/tasks/status", task)), over).finally(() => {
      this.#told--;
      ended();
    });
  }
}
