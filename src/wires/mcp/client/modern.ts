/**
 * The era without sessions: each request carries the protocol version, and name and capabilities of the client.
 *
 * Source: MCP, revision 2026-07-28, "Base protocol" and "Transports".
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { withTimeLimit } from "../../../core/call/time_limit.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  MODERN_VERSION,
  PROTOCOL_VERSION,
  SERVER_INFO,
  TASKS_EXTENSION,
} from "../protocol/constants.ts";
import { requestHeaders } from "../protocol/header_values.ts";
import type { OneWayMessage } from "../protocol/messages.ts";
import {
  cancelledNotification,
  type ClientIdentity,
  type EraRequest,
  type ProtocolEra,
  readServerInfo,
} from "./era.ts";
import { BACKGROUND_TIMEOUT_MS, type MessageTransport, type RpcReply } from "./message_transport.ts";
import type { McpServerInfo } from "./types.ts";

/** Sends `server/discover`, whose reply shows whether a server supports revision 2026-07-28. */
export async function discoverServer(
  transport: MessageTransport,
  client: ClientIdentity,
  limit: ActivityMonitor,
): Promise<RpcReply> {
  const method = "server/discover";
  const params = { _meta: requestMeta(client) };
  const headers = transport.hasHeaders ? requestHeaders(MODERN_VERSION, method, params) : {};
  return await transport.request({ id: client.nextId(), method, params }, { limit, headers });
}

/** Client side of MCP revision 2026-07-28: there is no handshake, so each request has the client's metadata. */
export class ModernEra implements ProtocolEra {
  readonly isModern = true;
  readonly hasHeaders: boolean;
  readonly server: McpServerInfo;
  readonly #transport: MessageTransport;
  readonly #client: ClientIdentity;

  /** @param discovered The result of `server/discover`. */
  constructor(transport: MessageTransport, client: ClientIdentity, discovered: Members) {
    this.hasHeaders = transport.hasHeaders;
    this.#transport = transport;
    this.#client = client;
    this.server = readServerInfo(MODERN_VERSION, discovered, asObject(discovered["_meta"])[SERVER_INFO]);
  }

  async request(id: RequestId, request: EraRequest): Promise<RpcReply> {
    const { method, limit, pending, isEndless = false } = request;
    const meta = { ...request.meta, ...requestMeta(this.#client), ...(pending?.onProgress && { progressToken: id }) };
    const params = { ...request.params, _meta: meta };
    const { hasHeaders } = this.#transport;
    const headers = hasHeaders ? { ...requestHeaders(MODERN_VERSION, method, params), ...request.headers } : {};
    const reply = await this.#transport.request({ id, method, params }, { limit, headers, isEndless });
    // Over HTTP, closing the connection cancels the request.
    if (limit.signal.aborted && !hasHeaders) void this.post(cancelledNotification(id));
    return reply;
  }

  post(message: OneWayMessage): Promise<ErrorResult | undefined> {
    const { method = "", params } = message as { readonly method?: string; readonly params?: Members };
    const posted = { method, params: { ...params, _meta: requestMeta(this.#client) } };
    const headers = this.#transport.hasHeaders ? requestHeaders(MODERN_VERSION, method, posted.params) : {};
    return withTimeLimit(BACKGROUND_TIMEOUT_MS, (limit) => this.#transport.post(posted, { headers, limit }));
  }

  close(): void {}
}

/** The members of `_meta` that every request has. */
function requestMeta({ info, capabilities, logLevel }: ClientIdentity): Members {
  return {
    [PROTOCOL_VERSION]: MODERN_VERSION,
    [CLIENT_INFO]: info,
    [CLIENT_CAPABILITIES]: {
      ...capabilities,
      extensions: { [TASKS_EXTENSION]: {}, ...asObject(capabilities["extensions"]) },
    },
    ...(logLevel !== undefined && { [LOG_LEVEL]: logLevel }),
  };
}
