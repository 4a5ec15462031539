import { subscribe, unsubscribe } from "node:diagnostics_channel";
import process from "node:process";

/** Channel of `node:net` that reports each socket which has begun to listen. */
const LISTENING = "tracing:net.server.listen:asyncEnd";

/**
 * Calls `onListening` once a socket of this process listens, or at once if one does: a module with a handler that is only imported, as by
 * a test, serves nothing. Bun does not report its sockets: there it is called at once.
 */
export function whenListening(onListening: () => void): void {
  const isListening = "bun" in process.versions ||
    process.getActiveResourcesInfo().some((name) => name.endsWith("ServerWrap"));
  if (isListening) return onListening();
  const listener = (): void => {
    unsubscribe(LISTENING, listener);
    onListening();
  };
  subscribe(LISTENING, listener);
}
