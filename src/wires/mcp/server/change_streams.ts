/** `subscriptions/listen` of 2026-07-28: a long stream of change notifications for each subscribed client. */
import type { Change } from "../../../core/call/changes.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { MaybeFuture } from "../../../internal/future.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { WireHost } from "../../wire.ts";
import { SUBSCRIPTION_ID } from "../protocol/constants.ts";
import { encodeMessage, type RequestMessage } from "../protocol/messages.ts";
import type { Channel, McpExchange } from "./exchange.ts";
import { errorResponse, paramError, resultResponse, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";

/** Maximum number of open streams. */
const MAX_STREAMS = 10_000;

/** Maximum number of tasks that one stream watches. */
const MAX_TASKS = 100;

/** Notifications that a stream sends: those that the client has requested and the server has. The stream starts with this object. */
export interface ChangeFilter {
  readonly toolsListChanged?: true | undefined;
  readonly promptsListChanged?: true | undefined;
  readonly resourcesListChanged?: true | undefined;
  readonly resourceSubscriptions?: readonly string[] | undefined;
  readonly taskIds?: readonly string[] | undefined;
}

/** Watches tasks and reports each change of their status, until `ended` aborts. */
export type WatchTasks = (taskIds: readonly string[], report: (task: Members) => void, ended: AbortSignal) => void;

type Notify = (method: string, params: Members) => void;

/** Answers `subscriptions/listen` of one server, and keeps the streams that are open, at most 10,000. */
export class ChangeStreams {
  readonly #host: WireHost;
  readonly #open = new Set<() => void>();

  constructor(host: WireHost) {
    this.#host = host;
  }

  /** Answers `subscriptions/listen` with a stream. The response follows when it ends, or at once if the server has none of the changes. */
  listen(
    { id, params }: RequestMessage,
    exchange: McpExchange,
    revision: Revision,
    watch: WatchTasks | undefined,
  ): MaybeFuture<RpcResponse> {
    const filter = this.#readFilter(params, watch !== undefined);
    if ("kind" in filter) return errorResponse(id, filter);
    if (this.#open.size >= MAX_STREAMS) {
      return errorResponse(
        id,
        errorResult(
          "internal",
          `Too many subscriptions: the server has at most ${MAX_STREAMS}; end one, or try again later`,
        ),
      );
    }
    const channel = exchange.channel(true) as Channel;
    const meta = { [SUBSCRIPTION_ID]: id };
    const queue = new NotificationQueue(channel);
    const notify: Notify = (method, members) => {
      queue.push(encodeMessage({ method, params: { ...members, _meta: meta } }));
    };
    notify("notifications/subscriptions/acknowledged", { notifications: filter });
    if (Object.keys(filter).length === 0) return endResponse(id, revision);
    return this.#follow(filter, [channel.closed, exchange.inputEnd], notify, watch).then(() =>
      endResponse(id, revision)
    );
  }

  /** Ends all streams. Their clients may subscribe again at another replica. */
  close(): void {
    for (const end of [...this.#open]) end();
  }

  #follow(
    filter: ChangeFilter,
    signals: readonly (AbortSignal | undefined)[],
    notify: Notify,
    watch: WatchTasks | undefined,
  ): Promise<void> {
    return new Promise((resolve) => {
      const ended = new AbortController();
      const unsubscribe = this.#host.changes.subscribe((change) => {
        const notification = toNotification(change, filter, undefined);
        if (notification !== undefined) notify(...notification);
      });
      const end = (): void => {
        if (!this.#open.delete(end)) return;
        unsubscribe();
        ended.abort();
        resolve();
      };
      this.#open.add(end);
      if (filter.taskIds !== undefined) {
        watch?.(filter.taskIds, (task) => notify("notifications/tasks", task), ended.signal);
      }
      for (const signal of signals) {
        if (signal?.aborted) end();
        else signal?.addEventListener("abort", end, { once: true });
      }
    });
  }

  #readFilter({ notifications }: Members, canWatchTasks: boolean): ChangeFilter | ErrorResult {
    if (!isJsonObject(notifications)) {
      return paramError("notifications", notifications, "an object that names the notifications");
    }
    const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions, taskIds } =
      notifications;
    const { catalog } = this.#host;
    const hasResources = catalog?.hasResources === true;
    const uris = stringsIn(resourceSubscriptions);
    const ids = stringsIn(taskIds).slice(0, MAX_TASKS);
    return {
      ...(toolsListChanged === true && { toolsListChanged }),
      ...(promptsListChanged === true && catalog?.hasPrompts === true && { promptsListChanged }),
      ...(resourcesListChanged === true && hasResources && { resourcesListChanged }),
      ...(hasResources && uris.length > 0 && { resourceSubscriptions: uris }),
      ...(canWatchTasks && ids.length > 0 && { taskIds: ids }),
    };
  }
}

function endResponse(id: RequestId, revision: Revision): RpcResponse {
  return resultResponse(id, revision.result("", { [SUBSCRIPTION_ID]: id }));
}

/** Queue of notifications for a slow reader. Duplicates are dropped, so that the queue stays small. */
class NotificationQueue {
  readonly #channel: Channel;
  readonly #waiting = new Set<string>();
  #isFull = false;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  push(json: string): void {
    this.#waiting.add(json);
    if (!this.#isFull) void this.#flush();
  }

  async #flush(): Promise<void> {
    for (const json of this.#waiting) {
      this.#waiting.delete(json);
      const room = this.#channel.send(json);
      if (room === undefined) continue;
      this.#isFull = true;
      await room;
      this.#isFull = false;
    }
  }
}

/**
 * Method and parameters of the notification for a changed list or resource; `undefined` if the filter excludes it, or if it is for
 * another session.
 *
 * @param session Id of the session that is notified; `undefined` for a caller without one.
 */
export function toNotification(
  change: Change,
  filter: ChangeFilter,
  session: string | undefined,
): [method: string, params: Members] | undefined {
  if (change.kind === "resource-updated") {
    const { uri } = change;
    return filter.resourceSubscriptions?.includes(uri) ? ["notifications/resources/updated", { uri }] : undefined;
  }
  const { list } = change;
  if (change.session !== undefined && change.session !== session) return undefined;
  return filter[`${list}ListChanged`] ? [`notifications/${list}/list_changed`, {}] : undefined;
}

function stringsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}
