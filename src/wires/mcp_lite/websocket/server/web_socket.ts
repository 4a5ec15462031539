/** The wire of MCP-lite over WebSocket: what is checked before a socket is accepted, and the connections that are open. */
import { callerKey } from "../../../../internal/caller_key.ts";
import type { Metadata, Principal } from "../../../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { Deadlines } from "../../../../internal/deadlines.ts";
import { checkOptions, type OptionRules, PATH, rule, wholeNumber } from "../../../../internal/options.ts";
import { errorReply } from "../../../framing/json_rpc/reply.ts";
import type {
  DuplexWire,
  FrameListener,
  FramePort,
  Head,
  MountedDuplexWire,
  MountedWire,
  Reply,
  RequestWire,
  Upgrade,
  WireHost,
} from "../../../wire.ts";
import {
  CLOSE,
  HEARTBEAT_MESSAGE,
  LITE_SUBPROTOCOL,
  MCP_SUBPROTOCOL,
  SOCKET_PATH,
} from "../../messages/socket_protocol.ts";
import { liteDuplex } from "./lite_duplex.ts";
import { respondWithSocket } from "./runtime/respond.ts";
import { SocketConnection, type SocketServices } from "./socket_connection.ts";
import { offeredProtocols, SocketMetadata } from "./socket_metadata.ts";
import { normalizePath } from "../../../../internal/http.ts";

/** Options of {@link webSocket}. */
export interface WebSocketOptions {
  /** Path of the endpoint. Default: `/mcp-lite/v1`. */
  readonly path?: string | undefined;
  /** Maximum number of open connections. Further ones are refused with status 503. Default: 10,000. */
  readonly maxConnections?: number | undefined;
  /** Maximum number of open connections of one authenticated caller. Further ones are refused with status 429. Default: 100. */
  readonly maxConnectionsPerCaller?: number | undefined;
  /** Maximum number of calls of one connection that run at once. Further ones are refused with `rate_limited`. Default: 128. */
  readonly maxInFlight?: number | undefined;
  /** Serves MCP messages too, with the subprotocol `mcp`: `mcpDuplex()` of `./mcp`. Default: MCP-lite only. */
  readonly mcp?: DuplexWire | undefined;
}

const RULES: OptionRules<WebSocketOptions> = {
  path: PATH,
  maxConnections: wholeNumber(1),
  maxConnectionsPerCaller: wholeNumber(1),
  maxInFlight: wholeNumber(1),
  mcp: rule("what mcpDuplex() gives", (value) => typeof (value as Partial<DuplexWire> | null)?.mount === "function"),
};

/**
 * Creates the wire of MCP-lite over WebSocket, for `createServer({ wires: [mcpLite(), webSocket()] })`.
 *
 * A client opens `GET /mcp-lite/v1` with the subprotocol `mcp-lite.v1`, and sends one JSON-RPC request a text message, any number at
 * once. `serve()` accepts sockets on Bun, Deno and Node, which needs the package `ws`. `server.fetch` accepts them on Deno and
 * workerd, and on Bun if `Bun.serve` has `websocket: bunWebSocket`.
 *
 * @example Calls over one socket
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { serve } from "jsr:@toolwire/toolwire/serve";
 * import { webSocket, webSocketTransport } from "jsr:@toolwire/toolwire/websocket";
 *
 * const greet = defineTool("greet").describe("Greet someone").handle(({ name }) => `Hello, ${name}!`);
 * const server = createServer({ tools: [greet], wires: [webSocket()] });
 * const listening = await serve(server, { port: 0 });
 *
 * const transport = webSocketTransport(listening.url);
 * console.log(await createClient<typeof server>(transport).greet({ name: "Ada" })); // → Hello, Ada!
 * transport.close();
 * await listening.close();
 * ```
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If a number is not a whole number above 0.
 */
export function webSocket(options: WebSocketOptions = {}): RequestWire {
  checkOptions("serve WebSockets", options, RULES);
  return { name: "websocket", mount: (host) => new WebSocketWire(host, options) };
}

/** A protocol of messages, by its subprotocol. */
interface MessageProtocol {
  readonly wire: MountedDuplexWire;
  readonly heartbeat: string | undefined;
}

/** See the top of the file. */
class WebSocketWire implements MountedWire {
  readonly paths: readonly string[];
  readonly methods: readonly string[] = ["GET"];
  readonly #protocols = new Map<string, MessageProtocol>();
  readonly #services: SocketServices;
  readonly #open = new Set<SocketConnection>();
  /** Number of connections that the runtime has not closed: those, and ended ones that it cannot close. */
  #openCount = 0;
  /** Numbers of open connections by the ids of their callers. */
  readonly #perCaller = new Map<string, number>();
  readonly #maxOpen: number;
  readonly #maxPerCaller: number;
  #isClosing = false;

  constructor(host: WireHost, options: WebSocketOptions) {
    const { path = SOCKET_PATH, maxConnections = 10_000, maxConnectionsPerCaller = 100, maxInFlight = 128, mcp } =
      options;
    this.paths = [normalizePath(path)];
    this.#maxOpen = maxConnections;
    this.#maxPerCaller = maxConnectionsPerCaller;
    const { clock, limits, dispatch } = host;
    const onError = (thrown: unknown): void => void dispatch.mask(thrown, { during: "WebSocket" });
    this.#services = { clock, deadlines: new Deadlines(clock), maxBytes: limits.bodyBytes, onError };
    this.#protocols.set(LITE_SUBPROTOCOL, { wire: liteDuplex(maxInFlight).mount(host), heartbeat: HEARTBEAT_MESSAGE });
    if (mcp !== undefined) this.#protocols.set(MCP_SUBPROTOCOL, { wire: mcp.mount(host), heartbeat: undefined });
  }

  credentials(head: Head): Metadata {
    return new SocketMetadata(head);
  }

  handle(head: Head): Reply {
    const { method, metadata, principal } = head;
    const refusal = this.#refusal(principal);
    if (refusal !== undefined) return errorReply(null, refusal);
    if (method !== "GET" || metadata.get("upgrade")?.toLowerCase() !== "websocket") return UPGRADE_REQUIRED;
    const offered = offeredProtocols(metadata);
    const protocol = offered.find((name) => this.#protocols.has(name));
    if (protocol === undefined) {
      const message = `Offer the subprotocol ${[...this.#protocols.keys()].join(" or ")} in sec-websocket-protocol`;
      return errorReply(null, errorResult("invalid_request", message));
    }
    return { status: 101, headers: {}, body: null, upgrade: this.#upgrade(head, protocol) };
  }

  /** The error for a connection that is one too many, or too late. */
  #refusal(principal: Principal | undefined): ErrorResult | undefined {
    if (this.#isClosing) return errorResult("unavailable", "The server is shutting down", { retry_after_ms: 1_000 });
    if (this.#openCount >= this.#maxOpen) {
      return errorResult("unavailable", "Too many connections are open", { retry_after_ms: 5_000 });
    }
    if (principal === undefined || (this.#perCaller.get(callerKey(principal)) ?? 0) < this.#maxPerCaller) {
      return undefined;
    }
    const message = `More than ${this.#maxPerCaller} connections of this caller are open: close one`;
    return errorResult("rate_limited", message, { retry_after_ms: 5_000 });
  }

  #upgrade(head: Head, protocol: string): Upgrade {
    const { wire, heartbeat } = this.#protocols.get(protocol) as MessageProtocol;
    const { principal, host } = head;
    // Runtimes discard the headers of a request after it was answered.
    const metadata = new SocketMetadata(head).copy();
    const upgrade: Upgrade = {
      protocol,
      maxBytes: this.#services.maxBytes,
      respond: (request, runtime) => respondWithSocket(upgrade, request, runtime),
      open: (port) => this.#accept(port, { principal, metadata, host, wire, heartbeat }),
    };
    return upgrade;
  }

  #accept(port: FramePort, opening: ConstructorParameters<typeof SocketConnection>[1]): FrameListener {
    const { principal } = opening;
    // Many requests may have been checked before the first of them was accepted.
    const isTooMany = this.#refusal(principal) !== undefined;
    let isCounted = true;
    const onClosed = (): void => {
      if (isCounted) this.#count(principal, -1);
      isCounted = false;
    };
    const onEnd = (): void => {
      this.#open.delete(connection);
      if (port.closesLate !== true) onClosed();
    };
    const connection: SocketConnection = new SocketConnection(port, opening, this.#services, { onEnd, onClosed });
    this.#open.add(connection);
    this.#count(principal, 1);
    if (isTooMany) connection.end(CLOSE.tryLater, "Too many connections are open");
    return connection;
  }

  #count(principal: Principal | undefined, change: number): void {
    this.#openCount += change;
    if (principal === undefined) return;
    const key = callerKey(principal);
    const count = (this.#perCaller.get(key) ?? 0) + change;
    if (count > 0) this.#perCaller.set(key, count);
    else this.#perCaller.delete(key);
  }

  close(): void {
    this.#isClosing = true;
    for (const connection of this.#open) connection.shutDown();
  }
}

const UPGRADE_REQUIRED: Reply = errorReply(
  null,
  errorResult("invalid_request", "Only WebSockets are accepted here: connect with ws:// or wss://"),
  426,
  { upgrade: "websocket", connection: "upgrade" },
);
