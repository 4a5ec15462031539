/** The shutdown of a server: every step is tried, in order, and their errors are gathered. */
import type { ChangeBus } from "../core/call/changes.ts";
import type { Dispatcher } from "../core/dispatch/dispatcher.ts";
import { CleanUp } from "../internal/clean_up.ts";
import type { Clock } from "../internal/time.ts";
import type { MountedWire } from "../wires/wire.ts";
import type { AnyServerOptions } from "./options.ts";
import type { MergedParts } from "./server_options.ts";
import type { Routes } from "./routes.ts";

/** What a server closes, in this order. */
interface ClosableParts {
  readonly wires: Iterable<MountedWire>;
  readonly dispatcher: Dispatcher;
  readonly parts: MergedParts | undefined;
}

/** Has the server close, when it is closed, what its options have open. Called last, since a server that is not created closes nothing. */
export function holdResources(
  { resources }: Dispatcher,
  engine: AnyServerOptions["engine"],
  changes: ChangeBus,
  routes: Routes,
): void {
  if (engine !== undefined) resources.add(engine, "The engine");
  resources.add(changes, "The change bus");
  for (const wire of routes.values()) {
    for (const store of wire.resources ?? []) resources.add(store, "The store of a wire");
  }
}

/** Time that a wire, an engine or a change bus has to close, in milliseconds. One that does not answer must not keep a process from exiting. */
const CLOSING_MS = 5_000;

/** @throws The error of a step that failed, after all were tried; several as one `AggregateError`. */
export async function closeAll({ wires, dispatcher, parts }: ClosableParts, graceMs: number): Promise<void> {
  const { clock } = dispatcher;
  const closing = new CleanUp();
  // At once, before calls under way have ended: their streams end with them.
  const ended = Array.from(wires, (wire) => closing.wait(() => inTime("A wire", clock, wire.close?.())));
  await closing.wait(() => dispatcher.close(graceMs));
  await Promise.all(ended);
  closing.try(() => parts?.close());
  for (const [resource, name] of dispatcher.resources.release()) {
    await closing.wait(() => inTime(name, clock, resource.close?.()));
  }
  closing.finish("Cannot close the server completely");
}

/** @throws {Error} If what is being closed does not end within {@link CLOSING_MS}. */
async function inTime(what: string, clock: Clock, closing: unknown): Promise<void> {
  if (closing === undefined) return;
  const late = Promise.withResolvers<never>();
  const problem = `${what} has not closed within ${CLOSING_MS} ms: its connections may still be open`;
  const cancel = clock.after(CLOSING_MS, () => late.reject(new Error(problem)));
  try {
    await Promise.race([closing, late.promise]);
  } finally {
    cancel();
  }
}
