/**
 * Methods of 2026-07-28, the revision without sessions: each request carries the client's version and capabilities.
 *
 * Knows JSON-RPC, but neither HTTP nor stdio.
 */
import type { CallResult, QuestionsResult } from "../../../core/call/outcome.ts";
import { chain, type MaybeFuture } from "../../../internal/future.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { hasTasksExtension, missingFor } from "../protocol/capabilities.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, MODERN_VERSION, PIECES_SENT } from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { ContentHandler, ContentHandlers } from "./content_handlers.ts";
import type { ContentRequest } from "./content_request.ts";
import type { CustomMethods } from "./custom_methods.ts";
import { type McpExchange, McpPeer } from "./exchange.ts";
import type { ServedTasks } from "./features.ts";
import { cannotAsk, toInputRequests } from "./input_requests.ts";
import type { McpServer } from "./mcp_server.ts";
import { ToolPages } from "./pages.ts";
import {
  errorResponse,
  protocolErrorResponse,
  resultResponse,
  type RetryableRequest,
  type RpcResponse,
} from "./response.ts";
import type { Revision } from "./revision.ts";
import { type McpToolCall, readCallMeta, readInputResponses } from "./tool_calls.ts";

/** Name of a handler in {@link ModernMethods}. */
export type ModernHandler = "callTool" | "listTools" | "discover" | "listen" | "handleTask" | "callCustom";

/** Answers the methods of 2026-07-28, for any transport. The transport has validated the `_meta` of the requests. */
export class ModernMethods {
  readonly server: McpServer;
  readonly #revision: Revision;
  readonly #pages: ToolPages;
  readonly #discovery: string;

  constructor(server: McpServer) {
    const { tools, settings, host } = server;
    const revision = this.#revision = server.revision(MODERN_VERSION);
    this.server = server;
    this.#pages = new ToolPages(host, tools, revision, settings.pageSize);
    const capabilities = server.capabilities(revision, true);
    const { instructions } = host.info;
    const discovery = { supportedVersions: [MODERN_VERSION], capabilities, ...(instructions && { instructions }) };
    this.#discovery = revision.cacheable(JSON.stringify(discovery).slice(1, -1));
  }

  callTool(request: RequestMessage, meta: Members, exchange: McpExchange): MaybeFuture<RpcResponse> {
    const { id, params } = request;
    const { calls, tasks } = this.server;
    const read = calls.read(params, exchange);
    if ("kind" in read) return errorResponse(id, read);
    const answers = readInputResponses(params);
    if (answers !== undefined && "kind" in answers) return errorResponse(id, answers);
    const callMeta = readCallMeta(meta);
    const { name, tool, args } = read;
    const takesTasks = tasks !== undefined && tool?.mayPromise === true &&
      hasTasksExtension(meta[CLIENT_CAPABILITIES]);
    if (tasks !== undefined && tool?.definition.promise?.required && !takesTasks) return tasks.required(id);
    const peer = modernPeer(request, meta, exchange);
    const progressToken = meta["progressToken"] as string | number | undefined;
    const logLevel = this.#logLevelOf(meta);
    const takesPieces = progressToken !== undefined && meta[PIECES_SENT] === true;
    // A promise would end the pieces.
    const takesPromises = takesTasks && (!takesPieces || tool.definition.promise?.required === true);
    const call = { name, tool, args, peer, exchange, progressToken, takesPieces, logLevel, takesPromises };
    const result = calls.run(call, answers === undefined ? callMeta : { ...callMeta, ...answers });
    return chain(result, (later) => this.#encodeCall(request, meta, call, later));
  }

  #encodeCall(request: RequestMessage, meta: Members, call: McpToolCall, result: CallResult): RpcResponse {
    if ("requests" in result) return this.#ask(request, meta, result);
    const { calls, tasks } = this.server;
    if (tasks !== undefined && result.kind === "promise" && call.takesPromises) {
      return tasks.created(request.id, this.#revision, result, call.peer);
    }
    return calls.encode(request.id, this.#revision, call, result);
  }

  listTools(request: RequestMessage, meta: Members, exchange: McpExchange): RpcResponse {
    return this.#pages.list(request, exchange, meta[CLIENT_CAPABILITIES]);
  }

  /** `server/discover` */
  discover({ id }: RequestMessage): RpcResponse {
    return resultResponse(id, this.#discovery);
  }

  /** Runs a request for resources, prompts or completion, and encodes its result or its questions. The server has a catalog. */
  handleContent(
    handler: ContentHandler,
    request: RequestMessage,
    meta: Members,
    exchange: McpExchange,
  ): MaybeFuture<RpcResponse> {
    const content = this.server.content as ContentHandlers;
    const prepared = content[handler](this.#toContentRequest(request, meta, exchange));
    return "kind" in prepared ? errorResponse(request.id, prepared) : this.#runPrepared(request, meta, prepared);
  }

  /** Runs a request for a method of the server, and encodes its result or its questions. The server has the method. */
  callCustom(request: RequestMessage, meta: Members, exchange: McpExchange): MaybeFuture<RpcResponse> {
    const custom = this.server.custom as CustomMethods;
    return this.#runPrepared(request, meta, custom.prepare(this.#toContentRequest(request, meta, exchange)));
  }

  #toContentRequest(request: RequestMessage, meta: Members, exchange: McpExchange): ContentRequest {
    return {
      request,
      peer: modernPeer(request, meta, exchange),
      exchange,
      revision: this.#revision,
      progressToken: meta["progressToken"] as string | number | undefined,
      logLevel: this.#logLevelOf(meta),
      namesLogger: this.server.namesLogger,
    };
  }

  #logLevelOf(meta: Members): string | undefined {
    return this.server.settings.logging !== false ? meta[LOG_LEVEL] as string | undefined : undefined;
  }

  #runPrepared(request: RequestMessage, meta: Members, prepared: RetryableRequest): MaybeFuture<RpcResponse> {
    const answers = readInputResponses(request.params);
    if (answers !== undefined && "kind" in answers) return errorResponse(request.id, answers);
    const callMeta = readCallMeta(meta);
    return chain(
      prepared.run(answers === undefined ? callMeta : { ...callMeta, ...answers }),
      (result) => "requests" in result ? this.#ask(request, meta, result) : prepared.encode(result),
    );
  }

  /** Encodes questions, if the client has declared the capabilities for them. */
  #ask({ id, method }: RequestMessage, meta: Members, { requests, continuation }: QuestionsResult): RpcResponse {
    const requiredCapabilities = missingFor(Object.values(requests), meta[CLIENT_CAPABILITIES]);
    if (requiredCapabilities !== undefined) return protocolErrorResponse(id, cannotAsk(requiredCapabilities));
    try {
      const inputRequests = JSON.stringify(toInputRequests(requests, this.#revision));
      const members = `"inputRequests":${inputRequests},"requestState":${JSON.stringify(continuation)}`;
      return resultResponse(id, this.#revision.unfinished("input_required", members));
    } catch (thrown) {
      return errorResponse(id, this.server.host.dispatch.mask(thrown, { method }));
    }
  }

  /** `subscriptions/listen` */
  listen(request: RequestMessage, meta: Members, exchange: McpExchange): MaybeFuture<RpcResponse> {
    const { tasks, tools, changeStreams } = this.server;
    const wantsTasks = tools.canPromise && "taskIds" in asObject(request.params["notifications"]);
    if (tasks === undefined || !wantsTasks) return changeStreams.listen(request, exchange, this.#revision, undefined);
    if (!hasTasksExtension(meta[CLIENT_CAPABILITIES])) return tasks.required(request.id);
    const peer = modernPeer(request, meta, exchange);
    return changeStreams.listen(request, exchange, this.#revision, (ids, report, ended) => {
      for (const id of ids) void tasks.watch(id, peer, this.#revision, undefined, report, ended);
    });
  }

  /** `tasks/get`, `tasks/update` and `tasks/cancel` */
  handleTask(request: RequestMessage, meta: Members, exchange: McpExchange): MaybeFuture<RpcResponse> {
    // The method is unknown to a server without tasks.
    const tasks = this.server.tasks as ServedTasks;
    if (!hasTasksExtension(meta[CLIENT_CAPABILITIES])) return tasks.required(request.id);
    return tasks.handle(request, modernPeer(request, meta, exchange), this.#revision);
  }
}

/** The caller of a request, as handlers and middleware see it. */
export function modernPeer({ id }: RequestMessage, meta: Members, exchange: McpExchange): McpPeer {
  return new McpPeer(exchange, id, meta[CLIENT_CAPABILITIES], meta[CLIENT_INFO]);
}
