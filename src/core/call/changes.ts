/** Changes of a server's lists and resources, published within one process or to other replicas. */
import type { MaybePromise } from "../../internal/async.ts";

/** A list of a server whose changes are published, and to which clients can subscribe. */
export type ChangingList = "tools" | "prompts" | "resources";

/** One change. Plain JSON, so that a bus can send it to other processes. */
export type Change =
  | {
    readonly kind: "list-changed";
    readonly list: ChangingList;
    /** Id of the only session whose list has changed. Default: the list of every caller may have. */
    readonly session?: string | undefined;
  }
  | { readonly kind: "resource-updated"; readonly uri: string };

/** Passes changes of lists and resources to servers, which notify their subscribed clients: in this process, or in all replicas. */
export interface ChangeBus {
  /** Publishes a change to all listeners, including those of this process. */
  publish(change: Change): MaybePromise<void>;
  /**
   * Adds a listener.
   *
   * @param listener Must not throw.
   * @returns Removes the listener.
   */
  subscribe(listener: (change: Change) => void): () => void;
  /** Closes the connections of the bus. Called when the last server that has the bus is closed. */
  close?(): MaybePromise<void>;
}

/** Creates a bus that calls its listeners in this process synchronously, the default of a server; replicas need a shared bus. */
export function memoryBus(): ChangeBus {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of listeners) listener(change);
    },
    subscribe(listener) {
      // The wrapper allows the same function to be added twice.
      const own = (change: Change): void => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
