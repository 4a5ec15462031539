/** Closes a server together with the `node:http` server in front of it. */
import type { IncomingMessage } from "node:http";
import type { Server } from "../server/server.ts";

/** The part of a server of `node:http` that is observed. */
interface Listener {
  close: (...given: unknown[]) => unknown;
}

/** The servers that each listener closes. */
const closedBy = new WeakMap<Listener, Set<Pick<Server, "close" | "~server">>>();

/**
 * Calls `close()` of a server when that of the listener of a request is called. Node has no event for it: `close` is emitted only when all
 * connections have ended, which an open stream prevents. The method of this listener is therefore wrapped, once.
 */
export function closeWith({ socket }: IncomingMessage, server: Pick<Server, "close" | "~server">): void {
  const { server: listener } = socket as unknown as { readonly server?: Listener };
  if (listener === undefined) return;
  const known = closedBy.get(listener);
  if (known !== undefined) return void known.add(server);
  const servers = new Set([server]);
  closedBy.set(listener, servers);
  const { close } = listener;
  listener.close = function (...given) {
    for (const one of servers) {
      one.close().catch((thrown: unknown) => void one["~server"].host.dispatch.mask(thrown, { during: "close" }));
    }
    return close.apply(this, given);
  };
}
