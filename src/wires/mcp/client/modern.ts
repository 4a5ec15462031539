/**
 * The era without sessions: each request says who asks, in which revision, and what can be asked back.
 *
 * Source: MCP, revision 2026-07-28, "Base protocol" and "Transports".
 *
 * @module
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { type Carrier, type RpcReply, UNWATCHED_MS, within } from "./message_transport.ts";
import { cancelled, type Era, type EraRequest, readServerInfo, type Self } from "./era.ts";
import { requestHeaders } from "../protocol/header_values.ts";
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  MODERN_VERSION,
  PROTOCOL_VERSION,
  SERVER_INFO,
  TASKS_EXTENSION,
} from "../protocol/constants.ts";
import type { OneWayMessage } from "../protocol/messages.ts";
import type { McpServerInfo } from "./types.ts";

/** Asks a server what it can do: how the era begins, for those who care. */
export async function discover(carrier: Carrier, self: Self, limit: ActivityMonitor): Promise<RpcReply> {
  const method = "server/discover";
  const params = { _meta: envelope(self) };
  const headers = carrier.hasHeaders ? requestHeaders(MODERN_VERSION, method, params) : {};
  return await carrier.request({ id: self.nextId(), method, params }, { limit, headers });
}

/** Speaks 2026-07-28. */
export class ModernEra implements Era {
  readonly isModern = true;
  readonly hasHeaders: boolean;
  readonly server: McpServerInfo;
  readonly #carrier: Carrier;
  readonly #self: Self;

  /** @param discovered What `server/discover` gave. */
  constructor(carrier: Carrier, self: Self, discovered: Members) {
    this.hasHeaders = carrier.hasHeaders;
    this.#carrier = carrier;
    this.#self = self;
    this.server = readServerInfo(
      MODERN_VERSION,
      discovered,
      asObject(discovered["_meta"])[SERVER_INFO],
    );
  }

  async request({ id, method, params, meta, headers, limit, wantsProgress, isEndless }: EraRequest): Promise<RpcReply> {
    const _meta = { ...meta, ...envelope(this.#self), ...(wantsProgress && { progressToken: id }) };
    const whole = { ...params, _meta };
    const said = this.#carrier.hasHeaders ? { ...requestHeaders(MODERN_VERSION, method, whole), ...headers } : {};
    const reply = await this.#carrier.request({ id, method, params: whole }, { limit, headers: said, isEndless });
    // Over HTTP the end of the request's connection says so.
    if (limit.signal.aborted && !this.#carrier.hasHeaders) void this.post(cancelled(id));
    return reply;
  }

  post(message: OneWayMessage): Promise<ErrorResult | undefined> {
    const { method = "", params } = message as { readonly method?: string; readonly params?: Members };
    const whole = { method, params: { ...params, _meta: envelope(this.#self) } };
    const headers = this.#carrier.hasHeaders ? requestHeaders(MODERN_VERSION, method, whole.params) : {};
    return within(UNWATCHED_MS, (limit) => this.#carrier.post(whole, { headers, limit }));
  }

  close(): void {}
}

/** What every request says in its `_meta`. */
function envelope({ info, capabilities, logLevel }: Self): Members {
  return {
    [PROTOCOL_VERSION]: MODERN_VERSION,
    [CLIENT_INFO]: info,
    [CLIENT_CAPABILITIES]: { ...capabilities, extensions: { [TASKS_EXTENSION]: {} } },
    ...(logLevel !== undefined && { [LOG_LEVEL]: logLevel }),
  };
}
