import type { Change, ChangingList } from "../core/call/changes.ts";
import type { WireHost } from "../wires/wire.ts";

/** Notifies listening callers of changes. Never throws: errors are logged. */
export interface Notify {
  /** Notifies the subscribers of a resource that its contents have changed. */
  resourceUpdated(uri: string): void;
  /** Notifies callers that the list of tools, prompts or resources has changed. */
  listChanged(list: ChangingList): void;
}

/** Creates the notifications of a server, by its change bus. */
export function createNotify({ changes, dispatch }: WireHost): Notify {
  const publish = async (change: Change) => {
    try {
      await changes.publish(change);
    } catch (thrown) {
      dispatch.mask(thrown, { change });
    }
  };
  return {
    resourceUpdated: (uri) => publish({ kind: "resource-updated", uri }),
    listChanged: (list) => publish({ kind: "list-changed", list }),
  };
}
