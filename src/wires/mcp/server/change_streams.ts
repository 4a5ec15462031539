/**
 * `subscriptions/listen`: one long stream of news for each caller who wants some (2026-07-28).
 *
 * @module
 */
import type { Change } from "../../../core/call/changes.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { WireHost } from "../../wire.ts";
import { type Answer, refusalAnswer, resultAnswer } from "./answer.ts";
import { notification } from "./call_sink.ts";
import type { Dialect } from "./revision.ts";
import type { Channel, Exchange } from "./exchange.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { refuseParam } from "./refuse_param.ts";
import { SUBSCRIPTION_ID } from "../protocol/constants.ts";

/** Most streams of news at once. */
const MAX_LISTENS = 10_000;

/** Tasks that one stream tells of. */
const MAX_TASKS = 100;

/** What of a request for news is honoured, in its words. */
export interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** Tells of tasks, until `ended` aborts. */
export type WatchTasks = (
  taskIds: readonly string[],
  tell: (method: string, params: Members) => void,
  ended: AbortSignal,
) => void;

/** The news of one server. */
export class Listens {
  readonly #host: WireHost;
  readonly #open = new Set<() => void>();

  constructor(host: WireHost) {
    this.#host = host;
  }

  /** Answers once the stream has ended. */
  listen(
    request: RequestMessage,
    exchange: Exchange,
    dialect: Dialect,
    watch: WatchTasks | undefined,
  ): MaybePromise<Answer> {
    const { id, params } = request;
    const filter = this.#readFilter(params, watch !== undefined);
    if ("kind" in filter) return refusalAnswer(id, filter);
    if (this.#open.size >= MAX_LISTENS) return refusalAnswer(id, errorResult("internal", "Too many subscriptions"));
    const channel = exchange.channel(true) as Channel;
    const meta = { [SUBSCRIPTION_ID]: id };
    const news = new NewsQueue(channel);
    const tell = (method: string, more: Members) => news.push(notification(method, { ...more, _meta: meta }));
    tell("notifications/subscriptions/acknowledged", { notifications: filter });
    if (Object.keys(filter).length === 0) return this.#ended(id, dialect);
    return this.#follow(filter, channel, tell, watch).then(() => this.#ended(id, dialect));
  }

  /** Ends all streams: their callers may listen again, elsewhere. */
  close(): void {
    for (const end of [...this.#open]) end();
  }

  #ended(id: RequestId, dialect: Dialect): Answer {
    return resultAnswer(id, dialect.result("", { [SUBSCRIPTION_ID]: id }));
  }

  #follow(
    filter: Filter,
    { left }: Channel,
    tell: (method: string, params: Members) => void,
    watch: WatchTasks | undefined,
  ): Promise<void> {
    return new Promise((resolve) => {
      const ended = new AbortController();
      const unsubscribe = this.#host.changes.subscribe((change) => {
        const told = newsOf(change, filter);
        if (told !== undefined) tell(...told);
      });
      const end = (): void => {
        if (!this.#open.delete(end)) return;
        unsubscribe();
        ended.abort();
        resolve();
      };
      this.#open.add(end);
      if (filter.taskIds !== undefined) watch?.(filter.taskIds, tell, ended.signal);
      if (left?.aborted) end();
      else left?.addEventListener("abort", end, { once: true });
    });
  }

  #readFilter({ notifications: wanted }: Members, canWatchTasks: boolean): Filter | ErrorResult {
    if (!isJsonObject(wanted)) return refuseParam("notifications", wanted, "an object of what to listen for");
    const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions, taskIds } = wanted;
    const { catalog } = this.#host;
    const hasResources = catalog?.hasResources === true;
    const uris = textsIn(resourceSubscriptions);
    const ids = textsIn(taskIds).slice(0, MAX_TASKS);
    return {
      ...(toolsListChanged === true && { toolsListChanged }),
      ...(promptsListChanged === true && catalog !== undefined && catalog.prompts.length > 0 && { promptsListChanged }),
      ...(resourcesListChanged === true && hasResources && { resourcesListChanged }),
      ...(hasResources && uris.length > 0 && { resourceSubscriptions: uris }),
      ...(canWatchTasks && ids.length > 0 && { taskIds: ids }),
    };
  }
}

/** News for a reader that may be slow: what waits already is not said twice, so that it stays little. */
class NewsQueue {
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

/** What a change is to those who want to know of it; `undefined` to the others. */
export function newsOf(change: Change, filter: Filter): [method: string, params: Members] | undefined {
  if (change.kind === "resource-updated") {
    const { uri } = change;
    return filter.resourceSubscriptions?.includes(uri) ? ["notifications/resources/updated", { uri }] : undefined;
  }
  const { list } = change;
  return filter[`${list}ListChanged`] ? [`notifications/${list}/list_changed`, {}] : undefined;
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}
