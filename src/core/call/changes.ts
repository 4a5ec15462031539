/**
 * News of what a server offers: for wires that tell their callers, and over a bus that other replicas share.
 *
 * @module
 */
import type { MaybePromise } from "../../internal/async.ts";

/** A list that callers may have. */
export type ChangingList = "tools" | "prompts" | "resources";

/** One change: plain JSON, so that a bus can carry it to other processes. */
export type Change =
  | { readonly kind: "list-changed"; readonly list: ChangingList }
  | { readonly kind: "resource-updated"; readonly uri: string };

/** Carries changes to whoever listens, in this process or in others. */
export interface ChangeBus {
  /** Tells all listeners of a change, those of this process included. */
  publish(change: Change): MaybePromise<void>;
  /**
   * Listens from now on.
   *
   * @param listener Never throws.
   * @returns Ends the listening.
   */
  subscribe(listener: (change: Change) => void): () => void;
  /** Ends what the bus holds open. */
  close?(): MaybePromise<void>;
}

/** A bus within one process. */
export function memoryBus(): ChangeBus {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of listeners) listener(change);
    },
    subscribe(listener) {
      // Wrapped, so that one function may listen twice.
      const own = (change: Change): void => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
