/** The change bus of a server, as its wires use it. */
import type { ChangeBus } from "../core/call/changes.ts";
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import { guardEnd } from "../internal/async.ts";

/** Wraps a change bus: the functions that end its subscriptions never throw, so that a caller gets to its next steps; their errors are logged. */
export function guardChanges(bus: ChangeBus, dispatch: Pick<Dispatch, "mask">): ChangeBus {
  const report = (thrown: unknown): void => void dispatch.mask(thrown, { during: "changes" });
  return {
    publish: (change) => bus.publish(change),
    subscribe: (listener) => guardEnd(bus.subscribe(listener), report),
  };
}
