/** The MCP client over any message transport: calls of tools, resources, prompts, logging and completion. */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  toToolError,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { Principal } from "../../../core/call/call.ts";
import { monitorFromSignal, withTimeLimit } from "../../../core/call/time_limit.ts";
import type { ActivityMonitor, ListedTool, TransportCall } from "../../../core/call/transport.ts";
import { PerPrincipal } from "../../../http_client/per_principal.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import { BOOLEAN, LOGGER, oneOf, type OptionRules, rule } from "../../../internal/options.ts";
import { abortable } from "../../../internal/time.ts";
import { boundUnread } from "./bound_unread.ts";
import { Connection, type ServerRoute } from "./connection.ts";
import { decodeFailedReply, invalidResultError } from "./decode_reply.ts";
import { runInputRequiredLoop } from "./continuation.ts";
import { BACKGROUND_TIMEOUT_MS } from "./message_transport.ts";
import { PIECES_SENT } from "../protocol/constants.ts";
import { OpenCalls } from "./open_calls.ts";
import { ServerLists, ServerTools, ttlMsOf } from "./server_tools.ts";
import { Subscriptions } from "./subscriptions.ts";
import { TaskCaller } from "./task_caller.ts";
import { ToolCaller } from "./tool_caller.ts";
import type {
  McpChange,
  McpClientOptions,
  McpCompletion,
  McpCompletionRequest,
  McpLogging,
  McpPromptResult,
  McpPrompts,
  McpRequestOptions,
  McpResourceContents,
  McpResources,
  McpRoot,
  McpServerInfo,
  McpTransport,
} from "./types.ts";

/** Rules that validate the options which all MCP clients share, for `checkOptions`. */
export const CLIENT_RULES: OptionRules<McpClientOptions> = {
  clientInfo: rule("{ name, version } with two strings", (value) => {
    return isJsonObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
  }),
  era: oneOf("auto", "modern", "legacy"),
  pinned: rule("an array of tools, as returned by list()", (value) => {
    return Array.isArray(value) && value.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string");
  }),
  allTools: BOOLEAN,
  logger: LOGGER,
};

/** What `mcpTransport` and `stdioTransport` return: all features of an MCP client, over a transport of messages. */
export class McpClientTransport implements McpTransport {
  readonly #connection: Connection;
  readonly #lists: ServerLists;
  readonly #tools: ServerTools;
  readonly #openCalls: OpenCalls = new OpenCalls();
  readonly #toolCaller: ToolCaller;
  readonly #taskCaller: TaskCaller;
  readonly #subscriptions: Subscriptions;
  readonly #maxUnreadChars: number | undefined;
  /** Transports with their own session and lists, if each principal has its own credentials. */
  readonly #own: PerPrincipal<McpClientTransport> | undefined;

  /** @param shared The connection of all callers, if this transport is for one principal. */
  constructor(route: ServerRoute, options: McpClientOptions, shared?: Connection) {
    const connection = new Connection(route, options, shared);
    this.#connection = connection;
    this.#maxUnreadChars = route.maxUnreadChars;
    this.#lists = new ServerLists(connection);
    this.#tools = new ServerTools(connection, this.#lists, options.pinned, options.allTools);
    this.#toolCaller = new ToolCaller(connection, this.#tools, this.#openCalls);
    this.#taskCaller = new TaskCaller(connection, this.#tools, this.#toolCaller, this.#openCalls);
    this.#subscriptions = new Subscriptions(connection);
    connection.router.on(
      "sessionRenewed",
      () => void withTimeLimit(BACKGROUND_TIMEOUT_MS, (limit) => this.#sendLogLevel(limit)),
    );
    const { forPrincipal } = route;
    this.#own = forPrincipal && new PerPrincipal((principal) => {
      const ownOptions = { ...options, allTools: this.#tools.listsAll };
      return new McpClientTransport(forPrincipal(principal), ownOptions, connection);
    }, (own) => own.close());
  }

  call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    return this.#for(call.limit.principal, (own) => own.#call(call, sink));
  }

  async #call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const era = await this.#connection.era();
    if ("kind" in era) return era;
    const taskId = await this.#taskCaller.taskIdOf(call, era);
    const result = await boundUnread(call, sink, this.#maxUnreadChars, (bounded, pieces) => {
      if (taskId === undefined) return this.#toolCaller.call(bounded, era, pieces);
      return this.#taskCaller.call(taskId, bounded, era, pieces);
    });
    // A server that sends pieces states their number.
    if (sink?.expectPieces !== undefined && result.kind === "answer") {
      const sent = result.meta?.[PIECES_SENT];
      sink.expectPieces(typeof sent === "number" ? sent : undefined);
    }
    return result;
  }

  list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return this.#for(limit.principal, (own) => own.#tools.list(limit));
  }

  /** Runs `work` with the transport of a principal: this one, unless each principal has its own. */
  #for<Value>(principal: Principal | undefined, work: (own: McpClientTransport) => Promise<Value>): Promise<Value> {
    return this.#own === undefined || principal === undefined ? work(this) : this.#own.run(principal, work);
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
      finish(options, (limit) => this.#for(limit.principal, (own) => own.#readResource(uri, limit))),
    subscribe: (uri, handler, options) =>
      finish(options, (limit) => this.#subscriptions.subscribe(uri, handler, limit)),
  };

  readonly prompts: McpPrompts = {
    list: (options) => this.#list("prompts/list", "prompts", options),
    get: (name, args = {}, options) =>
      finish(options, async (limit) => {
        const result = await this.#requestFor("prompts/get", { name, arguments: args }, limit);
        if (isErrorResult(result)) return result;
        return Array.isArray(result["messages"])
          ? result as unknown as McpPromptResult
          : invalidResultError("prompts/get");
      }),
  };

  readonly logging: McpLogging = {
    setLevel: (level, options) =>
      finish(options, async (limit) => {
        this.#connection.logLevel = level;
        for (const own of this.#own?.states() ?? []) {
          own.#connection.logLevel = level;
          await own.#sendLogLevel(limit);
        }
        return await this.#sendLogLevel(limit);
      }),
    onMessage: (handler) => this.#connection.router.on("log", handler),
  };

  complete(request: McpCompletionRequest, options?: McpRequestOptions): Promise<McpCompletion> {
    return finish(options, async (limit) => {
      const result = await this.#requestFor("completion/complete", { ...request }, limit);
      if (isErrorResult(result)) return result;
      const { values, ...rest } = asObject(result["completion"]);
      return Array.isArray(values) ? { ...rest, values } : invalidResultError("completion/complete");
    });
  }

  request(method: string, params: Members = {}, options?: McpRequestOptions): Promise<Members> {
    return finish(options, (limit) => this.#requestFor(method, params, limit));
  }

  onChange(list: McpChange, handler: () => void): () => void {
    return this.#subscriptions.onChange(list, handler);
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

  relayQuestions(
    roots?: readonly McpRoot[],
    { isOfOneUser = false }: { readonly isOfOneUser?: boolean | undefined } = {},
  ): void {
    const { handlers } = this.#connection;
    handlers.isRelay = true;
    handlers.isOfOneUser = isOfOneUser;
    if (roots !== undefined) handlers.relayRoots = () => roots;
  }

  declareExtension(id: string, settings: Members): void {
    this.#connection.handlers.extensions = { ...this.#connection.handlers.extensions, [id]: settings };
  }

  listAllTools(): void {
    this.#tools.listAll();
  }

  close(): void {
    this.#own?.close();
    this.#subscriptions.close();
    this.#openCalls.close();
    this.#connection.close();
  }

  #list(method: string, member: string, options: McpRequestOptions | undefined): Promise<readonly never[]> {
    return finish(
      options,
      (limit) =>
        this.#for(limit.principal, (own) => own.#lists.readAll(method, member, limit)) as Promise<
          readonly never[] | ErrorResult
        >,
    );
  }

  async #readResource(uri: string, limit: ActivityMonitor): Promise<readonly McpResourceContents[] | ErrorResult> {
    const key = `resources/read ${uri}`;
    const result = this.#lists.cache.get(key) ?? await this.#request("resources/read", { uri }, limit, key);
    if (isErrorResult(result)) return result;
    const { contents } = result as Members;
    return Array.isArray(contents) ? contents : invalidResultError("resources/read");
  }

  #requestFor(method: string, params: Members, limit: ActivityMonitor): Promise<Members | ErrorResult> {
    return this.#for(limit.principal, (own) => own.#request(method, params, limit));
  }

  /** Sends a request, answering questions with the handlers. The result is cached under `key` if the server asked none. */
  async #request(
    method: string,
    params: Members,
    limit: ActivityMonitor,
    key?: string,
  ): Promise<Members | ErrorResult> {
    const { handlers } = this.#connection;
    let rounds = 0;
    const loop = await runInputRequiredLoop(handlers, (inputs) => {
      rounds++;
      return this.#connection.request({ method, params: { ...params, ...inputs }, limit });
    }, {});
    if ("questions" in loop) {
      const message = `The server has a question before it can answer ${method}: set a handler with onElicitation()`;
      return errorResult("invalid_request", message, loop.questions);
    }
    if (!("result" in loop.reply)) return decodeFailedReply(loop.reply);
    const { result } = loop.reply;
    if (key !== undefined && rounds === 1) this.#lists.cache.set(key, result, ttlMsOf(result));
    return result;
  }

  /** In the era with a handshake the level is set once. In the other one each request carries it. */
  async #sendLogLevel(limit: ActivityMonitor): Promise<ErrorResult | undefined> {
    const { logLevel: level } = this.#connection;
    const era = await this.#connection.era();
    if ("kind" in era) return era;
    if (era.isModern || level === undefined) return undefined;
    const reply = await this.#connection.request({ method: "logging/setLevel", params: { level }, limit });
    return "result" in reply ? undefined : decodeFailedReply(reply);
  }
}

function isErrorResult(result: unknown): result is ErrorResult {
  return asObject(result)["kind"] === "error" && "code" in asObject(result);
}

/** Runs `work` within the limits of the options. Throws a returned error result. */
function finish<Value>(
  { signal, timeoutMs = 60_000, principal }: McpRequestOptions = {},
  work: (limit: ActivityMonitor) => Promise<Value | ErrorResult>,
): Promise<Value> {
  return withTimeLimit(timeoutMs, async (limit) => {
    const end = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const result = await abortable(work(monitorFromSignal(end, principal)), end);
    if (!isErrorResult(result)) return result as Value;
    throw toToolError(result);
  });
}
