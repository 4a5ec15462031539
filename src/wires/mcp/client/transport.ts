/**
 * A client's side of MCP, whatever carries its messages: tools as a `Transport` calls them, and the rest as it is.
 *
 * @module
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  toToolError,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, TransportCall } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { limitOf, UNWATCHED_MS, within } from "./message_transport.ts";
import { Connection, type Route } from "./connection.ts";
import { Lists, ttlOf } from "./lists.ts";
import { LiveCalls } from "./open_calls.ts";
import { refusalOf, refuseResult } from "./error_result.ts";
import { goRounds } from "./input_required_loop.ts";
import { Subscriptions } from "./subscriptions.ts";
import { TaskCalls } from "./task_calls.ts";
import { ToolCalls } from "./tool_calls.ts";
import { Tools } from "./tools.ts";
import type {
  McpChange,
  McpClientOptions,
  McpCompletion,
  McpCompletionRequest,
  McpLogging,
  McpPromptResult,
  McpPrompts,
  McpRequestOptions,
  McpResources,
  McpServerInfo,
  McpTransport,
} from "./types.ts";

/** Makes the transport over a carrier. */
export class McpClientTransport implements McpTransport {
  readonly #connection: Connection;
  readonly #lists: Lists;
  readonly #tools: Tools;
  readonly #live: LiveCalls = new LiveCalls();
  readonly #calls: ToolCalls;
  readonly #tasks: TaskCalls;
  readonly #subscriptions: Subscriptions;

  constructor(route: Route, options: McpClientOptions) {
    const connection = new Connection(route, options);
    this.#connection = connection;
    this.#lists = new Lists(connection);
    this.#tools = new Tools(connection, this.#lists, options.pinned);
    this.#calls = new ToolCalls(connection, this.#tools, this.#live);
    this.#tasks = new TaskCalls(connection, this.#tools, this.#calls, this.#live);
    this.#subscriptions = new Subscriptions(connection);
    connection.inbox.on("renewed", () => void within(UNWATCHED_MS, (limit) => this.#sayLogLevel(limit)));
  }

  async call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const era = await this.#connection.era();
    if ("kind" in era) return era;
    const taskId = await this.#tasks.taskOf(call, era);
    return taskId === undefined
      ? await this.#calls.call(call, era, sink)
      : await this.#tasks.call(taskId, call, era, sink);
  }

  list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return this.#tools.list(limit);
  }

  server(options?: McpRequestOptions): Promise<McpServerInfo> {
    return finish(options, async () => {
      const era = await this.#connection.era();
      return "kind" in era ? era : era.server;
    });
  }

  readonly resources: McpResources = {
    list: (options) => this.#list("resources/list", "resources", options),
    templates: (options) => this.#list("resources/templates/list", "resourceTemplates", options),
    read: (uri, options) =>
      finish(options, async (limit) => {
        const key = `resources/read ${uri}`;
        const result = this.#lists.cache.get(key) ?? await this.#ask("resources/read", { uri }, limit, key);
        const { contents } = result as Members;
        if (isRefusal(result)) return result;
        return Array.isArray(contents) ? contents : refuseResult("resources/read");
      }),
    subscribe: (uri, handler, options) =>
      finish(options, (limit) => this.#subscriptions.subscribe(uri, handler, limit)),
  };

  readonly prompts: McpPrompts = {
    list: (options) => this.#list("prompts/list", "prompts", options),
    get: (name, args = {}, options) =>
      finish(options, async (limit) => {
        const result = await this.#ask("prompts/get", { name, arguments: args }, limit);
        if (isRefusal(result)) return result;
        return Array.isArray(result["messages"]) ? result as unknown as McpPromptResult : refuseResult("prompts/get");
      }),
  };

  readonly logging: McpLogging = {
    setLevel: (level, options) =>
      finish(options, async (limit) => {
        this.#connection.logLevel = level;
        return await this.#sayLogLevel(limit);
      }),
    onMessage: (handler) => this.#connection.inbox.on("log", handler),
  };

  complete(request: McpCompletionRequest, options?: McpRequestOptions): Promise<McpCompletion> {
    return finish(options, async (limit) => {
      const result = await this.#ask("completion/complete", { ...request }, limit);
      if (isRefusal(result)) return result;
      const { values, ...rest } = asObject(result["completion"]);
      return Array.isArray(values) ? { ...rest, values } : refuseResult("completion/complete");
    });
  }

  onChange(what: McpChange, handler: () => void): () => void {
    return this.#subscriptions.onChange(what, handler);
  }

  onElicitation(handler: Parameters<McpTransport["onElicitation"]>[0]): void {
    this.#connection.handlers.elicitation = handler;
  }

  onSampling(handler: Parameters<McpTransport["onSampling"]>[0]): void {
    this.#connection.handlers.sampling = handler;
  }

  onRoots(handler: Parameters<McpTransport["onRoots"]>[0]): void {
    this.#connection.handlers.roots = handler;
  }

  close(): void {
    this.#subscriptions.close();
    this.#live.close();
    this.#connection.close();
  }

  #list(method: string, member: string, options: McpRequestOptions | undefined): Promise<readonly never[]> {
    return finish(
      options,
      (limit) => this.#lists.all(method, member, limit) as Promise<readonly never[] | ErrorResult>,
    );
  }

  /** Asks for something, in as many rounds as it takes; kept under `key` as long as the server says, if it took but one. */
  async #ask(method: string, params: Members, limit: ActivityMonitor, key?: string): Promise<Members | ErrorResult> {
    const { handlers } = this.#connection;
    let rounds = 0;
    const ended = await goRounds(handlers, (inputs) => {
      rounds++;
      return this.#connection.request({ method, params: { ...params, ...inputs }, limit });
    }, {});
    if ("outcome" in ended) {
      const message = `The server asks before it answers ${method}: set onElicitation`;
      return errorResult("invalid_request", message, ended.outcome);
    }
    if (!("result" in ended.reply)) return refusalOf(ended.reply);
    const { result } = ended.reply;
    if (key !== undefined && rounds === 1) this.#lists.cache.set(key, result, ttlOf(result));
    return result;
  }

  /** In the older eras the level is said once; in the newer one each request says it. */
  async #sayLogLevel(limit: ActivityMonitor): Promise<ErrorResult | undefined> {
    const { logLevel: level } = this.#connection;
    const era = await this.#connection.era();
    if ("kind" in era) return era;
    if (era.isModern || level === undefined) return undefined;
    const reply = await this.#connection.request({ method: "logging/setLevel", params: { level }, limit });
    return "result" in reply ? undefined : refusalOf(reply);
  }
}

function isRefusal(result: unknown): result is ErrorResult {
  return asObject(result)["kind"] === "error" && "code" in asObject(result);
}

/** Does something within the time that it may take; a refusal is thrown. */
function finish<Value>(
  { signal, timeoutMs = 60_000 }: McpRequestOptions = {},
  work: (limit: ActivityMonitor) => Promise<Value | ErrorResult>,
): Promise<Value> {
  return within(timeoutMs, async (limit) => {
    const end = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const aborted = new Promise<never>((_, reject) => {
      const leave = () => reject(end.reason);
      end.addEventListener("abort", leave, { once: true });
      if (end.aborted) leave();
    });
    const result = await Promise.race([work(limitOf(end)), aborted]);
    if (!isRefusal(result)) return result as Value;
    throw toToolError(result);
  });
}
