import type { Change, ChangingList } from "../core/call/changes.ts";
import { omitUndefined } from "../internal/json.ts";
import type { WireHost } from "../wires/wire.ts";

/** Options of {@link Notify.listChanged}. */
export interface ListChangedOptions {
  /** Id of the MCP session whose list has changed, as `ctx.session` of its calls. Default: all callers are notified. */
  readonly session?: string | undefined;
}

/** Notifies listening callers of changes. Never throws: errors are logged. */
export interface Notify {
  /** Notifies the subscribers of a resource that its contents have changed. */
  resourceUpdated(uri: string): void;
  /** Notifies callers that the list of tools, prompts or resources has changed: all of them, or those of one session. */
  listChanged(list: ChangingList, options?: ListChangedOptions): void;
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
    listChanged: (list, { session } = {}) => publish({ kind: "list-changed", list, ...omitUndefined({ session }) }),
  };
}
