/**
 * Sessions that have ended, for what this process keeps of each beside its store.
 *
 * For the whole module: `sessionState()` makes a value before there is a server, and the same value may serve several, so that neither a
 * server nor a store knows it.
 */

/** Takes the id of a session that has ended. */
type EndListener = (session: string) => void;

/** What is kept of sessions, without keeping it alive where the runtime has weak references. */
const keepers = new Set<{ deref(): EndListener | undefined }>();

/** Calls the listener for each session that ends, as long as the listener is referenced elsewhere. */
export function whenSessionsEnd(listener: EndListener): void {
  // Workers with old compatibility dates have none.
  keepers.add(typeof WeakRef === "undefined" ? { deref: () => listener } : new WeakRef(listener));
}

/** Reports that a session has ended, or has expired. Reported again, it has no effect. */
export function reportSessionEnd(session: string): void {
  for (const keeper of keepers) {
    const listener = keeper.deref();
    if (listener === undefined) keepers.delete(keeper);
    else listener(session);
  }
}
