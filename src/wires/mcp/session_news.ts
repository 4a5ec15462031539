/**
 * What a session is told that belongs to none of its requests, and what its client tells that belongs to one.
 *
 * @module
 */
import type { Json } from "../../internal/json.ts";
import { notification } from "../../mcp/call_sink.ts";
import { type Filter, newsOf } from "../../mcp/listens.ts";
import type { Notification, Response } from "../../mcp/message.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import type { WireHost } from "../wire.ts";
import type { SessionNote, SessionStore } from "./session_store.ts";

/** The stream of what belongs to no request. */
export const NEWS = "news";

/** Has changes told to a session, until what this returns is called. */
export function followNews(
  { catalog, changes }: WireHost,
  store: SessionStore,
  id: string,
  say: (json: string) => MaybePromise<void>,
  onError: (thrown: unknown) => void,
): () => void {
  const lists: Filter = {
    toolsListChanged: true,
    ...(catalog !== undefined && catalog.prompts.length > 0 && { promptsListChanged: true }),
    ...(catalog?.hasResources === true && { resourcesListChanged: true }),
  };
  return changes.subscribe((change) => {
    void (async () => {
      const { subscriptions = [] } = await store.get(id) ?? {};
      const news = newsOf(change, { ...lists, resourceSubscriptions: subscriptions });
      if (news !== undefined) await say(notification(...news));
    })().catch(onError);
  });
}

/** What a message of a client is to the request that waits for it, in whichever process; `undefined` if it is nothing. */
export function noteOf(message: Notification | Response): SessionNote | undefined {
  if (message.kind === "response") return noteOfResponse(message);
  const { requestId } = message.params;
  if (message.method !== "notifications/cancelled") return undefined;
  if (typeof requestId !== "string" && typeof requestId !== "number") return undefined;
  return { kind: "cancelled", requestId };
}

/** A response as a note: JSON. */
function noteOfResponse({ id, result, error }: Response): SessionNote {
  return {
    kind: "response",
    id: String(id),
    ...(result !== undefined && { result: result as Json }),
    ...(error !== undefined && { error: error as Json }),
  };
}
