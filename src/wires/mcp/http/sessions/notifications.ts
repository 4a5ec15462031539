/**
 * What a session is told that belongs to none of its requests, and what its client tells that belongs to one.
 *
 * @module
 */
import type { Json } from "../../../../internal/json.ts";
import { notification } from "../../server/call_sink.ts";
import type { TellOfTask } from "../../server/legacy.ts";
import { type Filter, newsOf } from "../../server/change_streams.ts";
import type { NotificationMessage, ResponseMessage } from "../../protocol/messages.ts";
import type { TaskNews } from "../../server/task_notifications.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { WireHost } from "../../../wire.ts";
import type { ClientNote, SessionStore } from "./store.ts";

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

/** Puts a message on the stream of news: at once, where the store is. */
export function sayNews(store: SessionStore, id: string, json: string): MaybePromise<void> {
  return store.append(id, NEWS, json, false);
}

/** Tells a session of a task, until it or the session has ended. */
export function tellOfTask(
  news: TaskNews,
  store: SessionStore,
  id: string,
  say: (json: string) => MaybePromise<void>,
  watch: Parameters<TellOfTask>[0],
  onError: (thrown: unknown) => void,
): void {
  const ending = new AbortController();
  const unsubscribe = store.subscribe(id, ({ kind }) => kind === "ended" && ending.abort());
  const safely = async (json: string) => {
    try {
      await say(json);
    } catch (thrown) {
      onError(thrown);
    }
  };
  news.follow(watch, safely, ending.signal, unsubscribe);
}

/** What a message of a client is to the request that waits for it, in whichever process; `undefined` if it is nothing. */
export function noteOf(message: NotificationMessage | ResponseMessage): ClientNote | undefined {
  if (message.kind === "response") return noteOfResponse(message);
  const { requestId } = message.params;
  if (message.method !== "notifications/cancelled") return undefined;
  if (typeof requestId !== "string" && typeof requestId !== "number") return undefined;
  return { kind: "cancelled", requestId };
}

/** A response as a note: JSON. */
function noteOfResponse({ id, result, error }: ResponseMessage): ClientNote {
  return {
    kind: "response",
    id: String(id),
    ...(result !== undefined && { result: result as Json }),
    ...(error !== undefined && { error: error as Json }),
  };
}
