import type { LegacyWish } from "../../server/legacy.ts";
import { withSubscription } from "../../server/subscriptions.ts";
import type { McpSession, SessionStore } from "./store.ts";

/** How often a change of a session is made anew that others have changed meanwhile. */
const MAX_CHANGES = 100;

/** Keeps what a caller wants from now on with its session. */
export async function rememberWish(store: SessionStore, { id }: McpSession, wish: LegacyWish): Promise<void> {
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    const now = await store.get(id);
    // It has ended meanwhile, and stays so.
    if (now === undefined || await store.put(withWish(now, wish), now)) return;
  }
  throw new Error("Cannot change a session: others change it all the time");
}

function withWish(session: McpSession, wish: LegacyWish): McpSession {
  const { subscriptions } = session;
  if ("logLevel" in wish) return { ...session, logLevel: wish.logLevel };
  if ("unsubscribe" in wish) {
    return { ...session, subscriptions: subscriptions.filter((uri) => uri !== wish.unsubscribe) };
  }
  const more = withSubscription(subscriptions, wish.subscribe);
  return more === subscriptions ? session : { ...session, subscriptions: more };
}
