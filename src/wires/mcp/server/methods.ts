/**
 * The methods of MCP that a server has: one row for each. To add a method, add a row and the handler that it names.
 *
 * If the header `Mcp-Name` repeats a parameter of the method, the parameter is named in `NAMED_BY` of `protocol/header_values.ts`,
 * which clients use, too.
 */
import type { ListName } from "../../../core/dispatch/list_admission.ts";
import { chain, type MaybeFuture } from "../../../internal/future.ts";
import type { Members } from "../../../internal/json.ts";
import { type LegacyVersion, MODERN_VERSION } from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { ContentHandler } from "./content_handlers.ts";
import type { McpExchange } from "./exchange.ts";
import { type LegacyHandler, type LegacyMethods, legacyPeer } from "./legacy.ts";
import type { LegacyExchange } from "./legacy_exchange.ts";
import type { Capability, McpServer } from "./mcp_server.ts";
import { type ModernHandler, type ModernMethods, modernPeer } from "./modern.ts";
import { errorResponse, type RpcResponse, unknownMethodResponse } from "./response.ts";

/** A method of MCP, and its handlers in the revisions that have it. */
interface Method {
  /** Capability that the server needs for the method. Without it, the method is unknown. */
  readonly capability?: Capability;
  /** Handler in {@link ModernMethods}: 2026-07-28. Absent if that revision does not have the method. */
  readonly modern?: ModernHandler;
  /** Handler in {@link LegacyMethods}: the revisions with a handshake. Absent if they do not have the method. */
  readonly legacy?: LegacyHandler;
  /** Oldest revision with a handshake that has the method. Default: all of them. */
  readonly legacySince?: LegacyVersion;
  /** Handler in `ContentHandlers`, for all revisions. */
  readonly content?: ContentHandler;
  /** The list that it sends, if it sends one. */
  readonly list?: ListName;
}

const ROWS: Readonly<Record<string, Method>> = {
  "tools/call": { capability: "tools", modern: "callTool", legacy: "callTool" },
  "tools/list": { capability: "tools", modern: "listTools", legacy: "listTools", list: "list:tools" },
  "resources/list": { capability: "resources", content: "listResources", list: "list:resources" },
  "resources/templates/list": { capability: "resources", content: "listTemplates", list: "list:resources" },
  "resources/read": { capability: "resources", content: "readResource" },
  "resources/subscribe": { capability: "resources", legacy: "subscribe" },
  "resources/unsubscribe": { capability: "resources", legacy: "subscribe" },
  "prompts/list": { capability: "prompts", content: "listPrompts", list: "list:prompts" },
  "prompts/get": { capability: "prompts", content: "getPrompt" },
  "completion/complete": { capability: "completions", content: "complete" },
  "tasks/get": { capability: "tasks", modern: "handleTask", legacy: "handleTask", legacySince: "2025-11-25" },
  "tasks/update": { capability: "tasks", modern: "handleTask" },
  "tasks/result": { capability: "tasks", legacy: "handleTask", legacySince: "2025-11-25" },
  "tasks/cancel": { capability: "tasks", modern: "handleTask", legacy: "handleTask", legacySince: "2025-11-25" },
  "server/discover": { modern: "discover" },
  "subscriptions/listen": { modern: "listen" },
  initialize: { legacy: "initialize" },
  ping: { legacy: "ping" },
  "logging/setLevel": { capability: "logging", legacy: "setLogLevel" },
};

const METHODS: ReadonlyMap<string, Method> = new Map(Object.entries(ROWS));

/** Methods of the server, `mcp({ methods })`. */
const CUSTOM: Method = { modern: "callCustom", legacy: "callCustom" };

/** All other methods, those of extensions, which send lists of resources. */
const OTHERS: Method = { list: "list:resources" };

function findMethod(name: string, { custom }: McpServer): Method {
  return METHODS.get(name) ?? (custom?.has(name) ? CUSTOM : OTHERS);
}

/** Answers a request of 2026-07-28, whose `_meta` is valid. The error is -32601 if the method or its capability is absent. */
export function answerModern(
  methods: ModernMethods,
  request: RequestMessage,
  meta: Members,
  exchange: McpExchange,
): MaybeFuture<RpcResponse> {
  const { server } = methods;
  const method = findMethod(request.method, server);
  const { capability, list } = method;
  if (capability !== undefined && !server.offers(capability)) return unknownMethodResponse(request);
  if (list === undefined) return runModern(method, methods, request, meta, exchange);
  return chain(
    server.host.admitList(list, modernPeer(request, meta, exchange)),
    (error) =>
      error === undefined ? runModern(method, methods, request, meta, exchange) : errorResponse(request.id, error),
  );
}

function runModern(
  { modern, content }: Method,
  methods: ModernMethods,
  request: RequestMessage,
  meta: Members,
  exchange: McpExchange,
): MaybeFuture<RpcResponse> {
  if (modern !== undefined) return methods[modern](request, meta, exchange);
  if (content !== undefined) return methods.handleContent(content, request, meta, exchange);
  const { server } = methods;
  return server.content?.extensions.answer(request, server.revision(MODERN_VERSION), exchange) ??
    unknownMethodResponse(request);
}

/** Answers a request of a revision with a handshake. The error is -32601 if the method or its capability is absent. */
export function answerLegacy(
  methods: LegacyMethods,
  request: RequestMessage,
  exchange: LegacyExchange,
): MaybeFuture<RpcResponse> {
  const { server } = methods;
  const method = findMethod(request.method, server);
  const { capability, list } = method;
  if (capability !== undefined && !server.offers(capability)) return unknownMethodResponse(request);
  if (list === undefined) return runLegacy(method, methods, request, exchange);
  return chain(
    server.host.admitList(list, legacyPeer(request, exchange)),
    (error) => error === undefined ? runLegacy(method, methods, request, exchange) : errorResponse(request.id, error),
  );
}

function runLegacy(
  { legacy, legacySince, content }: Method,
  methods: LegacyMethods,
  request: RequestMessage,
  exchange: LegacyExchange,
): MaybeFuture<RpcResponse> {
  const { server } = methods;
  const { version } = exchange.caller;
  const revision = server.revision(version);
  if (legacy !== undefined && version >= (legacySince ?? "")) return methods[legacy](request, exchange, revision);
  if (content !== undefined) return methods.handleContent(content, request, exchange, revision);
  return server.content?.extensions.answer(request, revision, exchange) ?? unknownMethodResponse(request);
}
