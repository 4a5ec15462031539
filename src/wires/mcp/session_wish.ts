import type { LegacyWish } from "../../mcp/legacy.ts";
import type { McpSession, SessionStore } from "./session_store.ts";

/** Resources that one session is told of: those it asked for last. */
const MAX_SUBSCRIPTIONS = 1_000;

/** Keeps what a caller wants from now on with its session. */
export async function rememberWish(store: SessionStore, session: McpSession, wish: LegacyWish): Promise<void> {
  const now = await store.get(session.id) ?? session;
  await store.put(withWish(now, wish));
}

function withWish(session: McpSession, wish: LegacyWish): McpSession {
  const { subscriptions } = session;
  if ("logLevel" in wish) return { ...session, logLevel: wish.logLevel };
  if ("unsubscribe" in wish) {
    return { ...session, subscriptions: subscriptions.filter((uri) => uri !== wish.unsubscribe) };
  }
  const { subscribe: uri } = wish;
  if (subscriptions.includes(uri)) return session;
  return { ...session, subscriptions: [...subscriptions.slice(1 - MAX_SUBSCRIPTIONS), uri] };
}
