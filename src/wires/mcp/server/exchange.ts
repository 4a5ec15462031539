/** Contract between the methods and their transports (HTTP, stdio). */
import type { AskableKind, ClientInfo, Metadata, Peer, Principal, RequestHost } from "../../../core/call/call.ts";
import type { Question } from "../../../core/call/outcome.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { canAsk, missingFor } from "../protocol/capabilities.ts";

/** Destination of messages that belong to one request and precede its response. */
export interface Channel {
  /** Sends a message. A returned promise resolves when there is room for the next one. */
  send(json: string): void | Promise<void>;
  /** Aborts when the client stops reading; `undefined` if that does not end the request. */
  readonly closed: AbortSignal | undefined;
}

/** One request, as its transport passes it to the methods: headers, caller, cancellation, and the channel for earlier messages. */
export interface McpExchange {
  /** Headers of the request; empty on stdio. */
  readonly metadata: Metadata;
  /** The authenticated caller, if there is one. */
  readonly principal: Principal | undefined;
  /** What the runtime passed beside the request. */
  readonly host?: RequestHost | undefined;
  /** Id of the session that the request belongs to, if there are sessions: one that the server began and has found. */
  readonly sessionId?: string | undefined;
  /** Aborts when the client sends nothing more on the connection of the request. Streams of change notifications end then. */
  readonly inputEnd?: AbortSignal | undefined;
  /** Aborts when the client disconnects or cancels. `isStreamed`: the reply is a stream. Costly on some runtimes. */
  signal(isStreamed: boolean): AbortSignal | undefined;
  /** The channel of the request; `undefined` if the client does not accept a stream, unless `isForced`. */
  channel(isForced?: boolean): Channel | undefined;
  /** Sends heartbeats at least each `heartbeatMs` while the request runs, within limits. Absent where there are no heartbeats. */
  beatWithin?(heartbeatMs: number): void;
}

/** The caller of one MCP request, as handlers and middleware see it. */
export class McpPeer implements Peer {
  readonly wire = "mcp";
  declare readonly requestId: RequestId;
  readonly #exchange: McpExchange;
  readonly #capabilities: unknown;
  readonly #info: unknown;
  isStreamed = false;

  /** Reads nothing of the exchange. `capabilities` is `undefined` if they are unknown. */
  constructor(exchange: McpExchange, requestId: RequestId, capabilities: unknown, info: unknown) {
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

  get host(): RequestHost | undefined {
    return this.#exchange.host;
  }

  get sessionId(): string | undefined {
    return this.#exchange.sessionId;
  }

  get session(): string | undefined {
    return this.#exchange.sessionId;
  }

  get signal(): AbortSignal | undefined {
    return this.#exchange.signal(this.isStreamed);
  }

  get client(): ClientInfo {
    const { name, version } = asObject(this.#info);
    const capabilities = this.#capabilities;
    return {
      ...(typeof name === "string" && { name }),
      ...(typeof version === "string" && { version }),
      // `false` for unknown capabilities. A handler may ask anyway, and the client may answer.
      supports: (kind: AskableKind | "ui") => canAsk(capabilities, kind),
    };
  }

  /** The capabilities that these questions need and the client has not declared; `undefined` if nothing is missing. */
  missingFor(questions: Readonly<Record<string, Question>>): Members | undefined {
    return missingFor(Object.values(questions), this.#capabilities);
  }
}
