/**
 * Methods of the revisions with a handshake: 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05.
 *
 * Knows JSON-RPC, but neither HTTP nor stdio. The transport keeps the state between requests.
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { type CallResult, type ErrorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import { chain, type MaybeFuture } from "../../../internal/future.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { ServerInfo } from "../../wire.ts";
import {
  isLegacyVersion,
  LEGACY_VERSIONS,
  type LegacyVersion,
  LOG_LEVELS,
  PIECES_SENT,
} from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { ContentHandler, ContentHandlers } from "./content_handlers.ts";
import type { ContentRequest } from "./content_request.ts";
import type { CustomMethods } from "./custom_methods.ts";
import { McpPeer } from "./exchange.ts";
import type { ServedTasks } from "./features.ts";
import {
  type AskingRequest,
  type LegacyCaller,
  type LegacyExchange,
  LegacyQuestions,
  MAX_URI_LENGTH,
  type PreferenceChange,
  unanswered,
} from "./legacy_exchange.ts";
import type { McpServer } from "./mcp_server.ts";
import { ToolPages } from "./pages.ts";
import { errorResponse, paramError, resultResponse, type RetryableRequest, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";
import { type McpToolCall, readCallMeta } from "./tool_calls.ts";

/** Maximum number of times that one request asks its caller, one after the other. */
const MAX_ROUNDS = 50;

/** Maximum size of the client's capabilities and info, in UTF-16 code units of JSON. Transports store them. */
const MAX_CALLER_LENGTH = 16_384;

/** Name of a handler in {@link LegacyMethods}. */
export type LegacyHandler =
  | "callTool"
  | "listTools"
  | "subscribe"
  | "setLogLevel"
  | "initialize"
  | "ping"
  | "handleTask"
  | "callCustom";

/** Answers the methods of the MCP revisions with a handshake, for any transport. */
export class LegacyMethods {
  readonly server: McpServer;
  readonly #pages: ReadonlyMap<string, ToolPages>;
  readonly #hasNotifications: boolean;

  /** @param hasNotifications Whether the transport can notify clients of changes. */
  constructor(server: McpServer, hasNotifications: boolean) {
    this.server = server;
    this.#hasNotifications = hasNotifications;
    const { host, tools, settings } = server;
    this.#pages = new Map(
      LEGACY_VERSIONS.map((version) => {
        return [version, new ToolPages(host, tools, server.revision(version), settings.pageSize)];
      }),
    );
  }

  /** Decodes the parameters of `initialize`. For an unsupported version, negotiates 2025-11-25. An error if the client's info is too long. */
  readCaller({ protocolVersion, capabilities, clientInfo }: Members): LegacyCaller | ErrorResult {
    if (JSON.stringify([capabilities, clientInfo]).length > MAX_CALLER_LENGTH) return CALLER_TOO_LONG;
    return {
      version: isLegacyVersion(protocolVersion) ? protocolVersion : LEGACY_VERSIONS[0],
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      info: clientInfo,
      logLevel: undefined,
    };
  }

  /** `initialize`. The exchange has the caller that was decoded from the request. */
  initialize({ id }: RequestMessage, { caller: { version } }: LegacyExchange, revision: Revision): RpcResponse {
    const { info } = this.server.host;
    const { instructions } = info;
    const result = {
      protocolVersion: version,
      capabilities: this.server.capabilities(revision, this.#hasNotifications),
      serverInfo: toServerInfo(version, info),
      instructions,
    };
    return resultResponse(id, JSON.stringify(result));
  }

  ping({ id }: RequestMessage): RpcResponse {
    return resultResponse(id, "{}");
  }

  /** `logging/setLevel` */
  setLogLevel({ id, params: { level } }: RequestMessage, exchange: LegacyExchange): MaybeFuture<RpcResponse> {
    if (!LOG_LEVELS.includes(level as string)) {
      return errorResponse(id, paramError("level", level, `one of ${LOG_LEVELS.join(", ")}`));
    }
    return savePreference(id, exchange, { logLevel: level as string });
  }

  /** `resources/subscribe` and `resources/unsubscribe` */
  subscribe(request: RequestMessage, exchange: LegacyExchange): MaybeFuture<RpcResponse> {
    const { id, method, params: { uri } } = request;
    if (typeof uri !== "string" || uri.length > MAX_URI_LENGTH) {
      return errorResponse(id, paramError("uri", uri, `a string of at most ${MAX_URI_LENGTH} characters`));
    }
    return savePreference(id, exchange, method === "resources/subscribe" ? { subscribe: uri } : { unsubscribe: uri });
  }

  listTools(request: RequestMessage, exchange: LegacyExchange): RpcResponse {
    const { caller } = exchange;
    return (this.#pages.get(caller.version) as ToolPages).list(request, exchange, caller.capabilities);
  }

  callTool(request: RequestMessage, exchange: LegacyExchange, revision: Revision): MaybeFuture<RpcResponse> {
    const { id, params } = request;
    const { calls, tasks } = this.server;
    const read = calls.read(params, exchange);
    if ("kind" in read) return errorResponse(id, read);
    const { name, tool, args } = read;
    const isTask = tasks?.readLegacyRequest(params, tool, revision) ?? false;
    if (typeof isTask !== "boolean") return errorResponse(id, isTask);
    const { callMeta, progressToken, takesPromises, takesPieces } = readMeta(params);
    const peer = legacyPeer(request, exchange);
    const logLevel = this.#logLevelOf(exchange);
    const call = {
      name,
      tool,
      args,
      peer,
      exchange,
      progressToken,
      takesPieces,
      logLevel,
      // A promise would end the pieces.
      takesPromises: isTask || (takesPromises && !takesPieces),
    };
    const result = calls.run(call, isTask ? { ...callMeta, isPromiseWanted: true } : callMeta);
    return chain(result, (later) => {
      if (later.kind === "answer" || later.kind === "error") return calls.encode(id, revision, call, later);
      return this.#finishCall(request, exchange, revision, call, isTask, later, callMeta);
    });
  }

  /** Asks the questions of a call, or creates its task. */
  #finishCall(
    { id }: RequestMessage,
    exchange: LegacyExchange,
    revision: Revision,
    call: McpToolCall,
    isTask: boolean,
    result: CallResult,
    callMeta: CallMeta | undefined,
  ): MaybeFuture<RpcResponse> {
    const { calls, tasks } = this.server;
    const retryable: RetryableRequest = {
      run: (meta) => calls.run(call, isTask ? { ...meta, isPromiseWanted: true } : meta),
      encode: (final) => {
        if (tasks === undefined || !isTask || final.kind !== "promise") return calls.encode(id, revision, call, final);
        const { token } = final;
        exchange.reportTask?.((report, ended) => tasks.watch(token, call.peer, revision, "working", report, ended));
        return tasks.created(id, revision, final, call.peer);
      },
    };
    return this.#finish({ id, exchange, revision }, retryable, result, callMeta);
  }

  /** Runs a request for resources, prompts or completion, asks its questions, and encodes the response. The server has a catalog. */
  handleContent(
    handler: ContentHandler,
    request: RequestMessage,
    exchange: LegacyExchange,
    revision: Revision,
  ): MaybeFuture<RpcResponse> {
    const meta = readMeta(request.params);
    const content = this.server.content as ContentHandlers;
    const prepared = content[handler](this.#toContentRequest(request, exchange, revision, meta));
    if ("kind" in prepared) return errorResponse(request.id, prepared);
    return this.#runPrepared({ id: request.id, exchange, revision }, prepared, meta);
  }

  /** Runs a request for a method of the server, asks its questions, and encodes the response. The server has the method. */
  callCustom(request: RequestMessage, exchange: LegacyExchange, revision: Revision): MaybeFuture<RpcResponse> {
    const meta = readMeta(request.params);
    const custom = this.server.custom as CustomMethods;
    const prepared = custom.prepare(this.#toContentRequest(request, exchange, revision, meta));
    return this.#runPrepared({ id: request.id, exchange, revision }, prepared, meta);
  }

  #toContentRequest(
    request: RequestMessage,
    exchange: LegacyExchange,
    revision: Revision,
    { progressToken }: LegacyMeta,
  ): ContentRequest {
    const peer = legacyPeer(request, exchange);
    const logLevel = this.#logLevelOf(exchange);
    const { namesLogger } = this.server;
    return { request, peer, exchange, revision, progressToken, logLevel, namesLogger };
  }

  /** Clients that have not set a level get lines from `info` on. */
  #logLevelOf({ caller }: LegacyExchange): string | undefined {
    return this.server.settings.logging !== false ? caller.logLevel ?? "info" : undefined;
  }

  #runPrepared(
    asking: AskingRequest,
    prepared: RetryableRequest,
    { callMeta }: LegacyMeta,
  ): MaybeFuture<RpcResponse> {
    return this.#finish(asking, prepared, prepared.run(callMeta), callMeta);
  }

  /** `tasks/get`, `tasks/result` and `tasks/cancel` */
  handleTask(
    request: RequestMessage,
    exchange: LegacyExchange,
    revision: Revision,
  ): MaybeFuture<RpcResponse> {
    const { id, method, params: { taskId } } = request;
    if (typeof taskId !== "string") return errorResponse(id, paramError("taskId", taskId, "a string"));
    const { host } = this.server;
    // The method is unknown to a server without tasks.
    const tasks = this.server.tasks as ServedTasks;
    const questions = new LegacyQuestions(host, { id, exchange, revision });
    const peer = legacyPeer(request, exchange);
    return tasks.handleLegacy(method, { id, taskId, peer, revision, tasks, questions });
  }

  #finish(
    asking: AskingRequest,
    request: RetryableRequest,
    result: MaybeFuture<CallResult>,
    meta: CallMeta | undefined,
  ): MaybeFuture<RpcResponse> {
    return chain(result, (later) => {
      return "requests" in later ? this.#runAgain(asking, request, later, meta) : request.encode(later);
    });
  }

  /** Asks over the open stream and runs the request again with the answers, until it has no more questions. */
  async #runAgain(
    asking: AskingRequest,
    request: RetryableRequest,
    first: CallResult,
    meta: CallMeta | undefined,
  ): Promise<RpcResponse> {
    let result = first;
    const questions = new LegacyQuestions(this.server.host, asking);
    for (let round = 0; "requests" in result; round++) {
      if (round === MAX_ROUNDS) return request.encode(unanswered("was asked too often").result);
      const answers = await questions.ask(result.requests);
      if ("result" in answers) return request.encode(answers.result);
      const { continuation } = result;
      result = await request.run({ ...meta, continuation, responses: answers.responses, hasAskedItself: true });
    }
    await questions.finish(result);
    return request.encode(result);
  }
}

/** The caller of a request, as handlers and middleware see it. */
export function legacyPeer({ id }: RequestMessage, exchange: LegacyExchange): McpPeer {
  const { capabilities, info } = exchange.caller;
  return new McpPeer(exchange, id, capabilities, info);
}

function savePreference(
  id: RequestMessage["id"],
  exchange: LegacyExchange,
  change: PreferenceChange,
): MaybeFuture<RpcResponse> {
  return chain(exchange.savePreference(change), () => resultResponse(id, "{}"));
}

const CALLER_LIMIT = `at most ${MAX_CALLER_LENGTH} characters of JSON`;

const CALLER_TOO_LONG: ErrorResult = invalidInputResult(
  `params.capabilities and params.clientInfo are ${CALLER_LIMIT}`,
  ["params"],
  CALLER_LIMIT,
  {},
);

/** Members of `_meta` that the server reads. */
interface LegacyMeta {
  readonly callMeta: CallMeta | undefined;
  readonly progressToken: string | number | undefined;
  readonly takesPromises: boolean;
  readonly takesPieces: boolean;
}

const NO_META: LegacyMeta = {
  callMeta: undefined,
  progressToken: undefined,
  takesPromises: false,
  takesPieces: false,
};

function readMeta({ _meta: meta }: Members): LegacyMeta {
  if (!isJsonObject(meta)) return NO_META;
  const { progressToken: token, takes_promises: takesPromises } = meta;
  const isToken = typeof token === "string" || Number.isSafeInteger(token);
  return {
    callMeta: readCallMeta(meta),
    progressToken: isToken ? token as string | number : undefined,
    takesPromises: takesPromises === true,
    takesPieces: isToken && meta[PIECES_SENT] === true,
  };
}

/** The server's info with the members that a revision has. Members that are `undefined` are not part of its JSON. */
function toServerInfo(version: LegacyVersion, info: ServerInfo): Members {
  const { name, version: serverVersion, title, description, websiteUrl, icons } = info;
  return {
    name,
    version: serverVersion,
    title: version >= "2025-06-18" ? title : undefined,
    ...(version >= "2025-11-25" && { description, websiteUrl, icons }),
  };
}
