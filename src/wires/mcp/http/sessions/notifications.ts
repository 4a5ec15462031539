/**
 * Messages that belong to a session but to none of its requests: notifications to the client, and events from the client for
 * requests in any process.
 */
import type { MaybePromise } from "../../../../internal/async.ts";
import type { Json } from "../../../../internal/json.ts";
import type { WireHost } from "../../../wire.ts";
import { encodeMessage, type NotificationMessage, type ResponseMessage } from "../../protocol/messages.ts";
import { type ChangeFilter, toNotification } from "../../server/change_streams.ts";
import type { ClientEvent, SessionStore } from "./store.ts";

/** Name of the stream of a session for messages that belong to no request, which a GET opens. It is part of event ids. */
export const NOTIFICATION_STREAM = "news";

/** Passes notifications of changed lists and of a session's subscribed resources to `send`, until the returned function is called. */
export function followChanges(
  { catalog, changes }: WireHost,
  store: SessionStore,
  id: string,
  send: (json: string) => MaybePromise<void>,
  onError: (thrown: unknown) => void,
): () => void {
  const lists: ChangeFilter = {
    toolsListChanged: true,
    ...(catalog?.hasPrompts === true && { promptsListChanged: true }),
    ...(catalog?.hasResources === true && { resourcesListChanged: true }),
  };
  return changes.subscribe((change) => {
    void (async () => {
      const { subscriptions = [] } = await store.get(id) ?? {};
      const [method, params] = toNotification(change, { ...lists, resourceSubscriptions: subscriptions }, id) ?? [];
      if (method !== undefined && params !== undefined) await send(encodeMessage({ method, params }));
    })().catch(onError);
  });
}

/** Adds a message to the notification stream of a session: synchronously, if the store is synchronous. */
export function appendNotification(store: SessionStore, id: string, json: string): MaybePromise<void> {
  return store.append(id, NOTIFICATION_STREAM, json, false);
}

/** Converts a client's response or cancellation to an event for the process of its request; `undefined` for other notifications. */
export function toClientEvent(message: NotificationMessage | ResponseMessage): ClientEvent | undefined {
  if (message.kind === "response") return responseEvent(message);
  const { requestId } = message.params;
  if (message.method !== "notifications/cancelled") return undefined;
  if (typeof requestId !== "string" && typeof requestId !== "number") return undefined;
  return { kind: "cancelled", requestId };
}

function responseEvent({ id, result, error }: ResponseMessage): ClientEvent {
  return {
    kind: "response",
    id: String(id),
    ...(result !== undefined && { result: result as Json }),
    ...(error !== undefined && { error: error as Json }),
  };
}
