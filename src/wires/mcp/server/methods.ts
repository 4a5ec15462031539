/**
 * The methods of MCP that a server has: one row for each. To add a method, add a row.
 *
 * A method whose name is repeated in the header `Mcp-Name` also has an entry in `NAMED_BY` (`protocol/header_values.ts`), which
 * clients need, too.
 *
 * @module
 */
import type { MaybePromise } from "../../../internal/async.ts";
import type { Members } from "../../../internal/json.ts";
import type { LegacyVersion } from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { PrepareContent } from "./content_handlers.ts";
import type { McpExchange } from "./exchange.ts";
import type { LegacyMethods } from "./legacy.ts";
import type { LegacyExchange } from "./legacy_exchange.ts";
import { cancelLegacyTask, fetchLegacyResult, getLegacyTask, type LegacyTaskRequest } from "./legacy_tasks.ts";
import type { Capability } from "./mcp_server.ts";
import type { ModernMethods } from "./modern.ts";
import { resultResponse, type RpcResponse, unknownMethodResponse } from "./response.ts";
import type { Revision } from "./revision.ts";

type ModernHandler = (
  methods: ModernMethods,
  request: RequestMessage,
  meta: Members,
  exchange: McpExchange,
) => MaybePromise<RpcResponse>;

type LegacyHandler = (
  methods: LegacyMethods,
  request: RequestMessage,
  exchange: LegacyExchange,
  revision: Revision,
) => MaybePromise<RpcResponse>;

/** One method. */
export interface Method {
  /** Name of the method. */
  readonly method: string;
  /** Capability that the server needs for the method. Without it, the method is unknown. */
  readonly capability?: Capability;
  /** Handles the method in 2026-07-28; absent if that revision does not have it. */
  readonly modern?: ModernHandler;
  /** Handles the method in the revisions with a handshake; absent if they do not have it. */
  readonly legacy?: LegacyHandler;
  /** Oldest revision with a handshake that has the method. Default: all of them. */
  readonly legacySince?: LegacyVersion;
}

const ROWS: readonly Method[] = [
  {
    method: "tools/call",
    capability: "tools",
    modern: (methods, request, meta, exchange) => methods.callTool(request, meta, exchange),
    legacy: (methods, request, exchange, revision) => methods.callTool(request, exchange, revision),
  },
  {
    method: "tools/list",
    capability: "tools",
    modern: (methods, request, _meta, exchange) => methods.listTools(request, exchange),
    legacy: (methods, request, exchange) => methods.listTools(request, exchange),
  },
  { method: "resources/list", capability: "resources", ...content((handlers, one) => handlers.listResources(one)) },
  {
    method: "resources/templates/list",
    capability: "resources",
    ...content((handlers, one) => handlers.listTemplates(one)),
  },
  { method: "resources/read", capability: "resources", ...content((handlers, one) => handlers.readResource(one)) },
  {
    method: "resources/subscribe",
    capability: "resources",
    legacy: (methods, request, exchange) => methods.subscribe(request, exchange),
  },
  {
    method: "resources/unsubscribe",
    capability: "resources",
    legacy: (methods, request, exchange) => methods.subscribe(request, exchange),
  },
  { method: "prompts/list", capability: "prompts", ...content((handlers, one) => handlers.listPrompts(one)) },
  { method: "prompts/get", capability: "prompts", ...content((handlers, one) => handlers.getPrompt(one)) },
  { method: "completion/complete", capability: "completions", ...content((handlers, one) => handlers.complete(one)) },
  { method: "tasks/get", capability: "tasks", modern: modernTask, ...legacyTask(getLegacyTask) },
  { method: "tasks/update", capability: "tasks", modern: modernTask },
  { method: "tasks/result", capability: "tasks", ...legacyTask(fetchLegacyResult) },
  { method: "tasks/cancel", capability: "tasks", modern: modernTask, ...legacyTask(cancelLegacyTask) },
  { method: "server/discover", modern: (methods, request) => methods.discover(request) },
  {
    method: "subscriptions/listen",
    modern: (methods, request, meta, exchange) => methods.listen(request, meta, exchange),
  },
  {
    method: "initialize",
    legacy: (methods, request, { caller }, revision) => methods.initialize(request, revision, caller.version),
  },
  { method: "ping", legacy: (_methods, { id }) => resultResponse(id, "{}") },
  {
    method: "logging/setLevel",
    capability: "logging",
    legacy: (methods, request, exchange) => methods.setLogLevel(request, exchange),
  },
];

/** The methods by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(ROWS.map((row) => [row.method, row]));

/** Answers a request of 2026-07-28, whose `_meta` is valid. */
export function answerModern(
  methods: ModernMethods,
  request: RequestMessage,
  meta: Members,
  exchange: McpExchange,
): MaybePromise<RpcResponse> {
  const row = METHODS.get(request.method);
  if (row?.modern === undefined) return unknownMethodResponse(request);
  if (row.capability !== undefined && !methods.server.offers(row.capability)) return unknownMethodResponse(request);
  return row.modern(methods, request, meta, exchange);
}

/** Answers a request of a revision with a handshake. */
export function answerLegacy(
  methods: LegacyMethods,
  request: RequestMessage,
  exchange: LegacyExchange,
): MaybePromise<RpcResponse> {
  const row = METHODS.get(request.method);
  const { version } = exchange.caller;
  if (row?.legacy === undefined || (row.legacySince !== undefined && version < row.legacySince)) {
    return unknownMethodResponse(request);
  }
  if (row.capability !== undefined && !methods.server.offers(row.capability)) return unknownMethodResponse(request);
  return row.legacy(methods, request, exchange, methods.server.revision(version));
}

/** A content method is the same in all revisions. */
function content(prepare: PrepareContent): Pick<Method, "modern" | "legacy"> {
  return {
    modern: (methods, request, meta, exchange) => methods.handleContent(prepare, request, meta, exchange),
    legacy: (methods, request, exchange, revision) => methods.handleContent(prepare, request, exchange, revision),
  };
}

function modernTask(
  methods: ModernMethods,
  request: RequestMessage,
  meta: Members,
  exchange: McpExchange,
): MaybePromise<RpcResponse> {
  return methods.handleTask(request, meta, exchange);
}

function legacyTask(
  handle: (request: LegacyTaskRequest) => Promise<RpcResponse>,
): Pick<Method, "legacy" | "legacySince"> {
  return {
    legacySince: "2025-11-25",
    legacy: (methods, request, exchange, revision) => methods.handleTask(handle, request, exchange, revision),
  };
}
