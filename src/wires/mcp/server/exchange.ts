/**
 * What the protocol needs of its transport (HTTP, stdio) to answer one request.
 *
 * @module
 */
import type { AskableKind, ClientInfo, Metadata, Peer, Principal } from "../../../core/call/call.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { canAsk } from "../protocol/capabilities.ts";

/** Where messages go that belong to one request, before its answer. */
export interface Channel {
  /** Sends a message; a returned promise means that it is full. */
  send(json: string): void | Promise<void>;
  /** Aborts when nobody reads any more; `undefined` where that does not end the request. */
  readonly left: AbortSignal | undefined;
}

/** One request, as its transport sees it. */
export interface Exchange {
  /** Its headers; none on stdio. */
  readonly metadata: Metadata;
  /** Who calls, if that is known. */
  readonly principal: Principal | undefined;
  /** Aborts when the caller has gone, or has cancelled the request. Costly on some runtimes. */
  signal(isStreamed: boolean): AbortSignal | undefined;
  /** Where messages go before the answer; `undefined` if the caller takes none, unless it is forced to. */
  channel(isForced?: boolean): Channel | undefined;
}

/** Who calls. */
export class McpPeer implements Peer {
  readonly wire = "mcp";
  readonly requestId: RequestId;
  readonly #exchange: Exchange;
  readonly #capabilities: unknown;
  readonly #info: unknown;
  /** Whether there is a channel. */
  isStreamed = false;

  /** Reads nothing before it is asked to; `capabilities` are `undefined` where they are not known. */
  constructor(exchange: Exchange, requestId: RequestId, capabilities: unknown, info: unknown) {
    this.requestId = requestId;
    this.#exchange = exchange;
    this.#capabilities = capabilities;
    this.#info = info;
  }

  get principal(): Principal | undefined {
    return this.#exchange.principal;
  }

  get metadata(): Metadata {
    return this.#exchange.metadata;
  }

  get signal(): AbortSignal | undefined {
    return this.#exchange.signal(this.isStreamed);
  }

  get client(): ClientInfo {
    const { name, version }: Members = isJsonObject(this.#info) ? this.#info : {};
    const capabilities = this.#capabilities;
    return {
      ...(typeof name === "string" && { name }),
      ...(typeof version === "string" && { version }),
      // Who has not said that it can is not counted on; a handler that asks all the same may be lucky.
      supports: (kind: AskableKind) => canAsk(capabilities, kind),
    };
  }
}
