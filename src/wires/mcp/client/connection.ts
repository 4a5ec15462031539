/**
 * Detects once which era a server supports, and sends requests in that era.
 *
 * Source: MCP, revision 2026-07-28, "Versioning" and "Backward compatibility".
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { withTimeLimit } from "../../../core/call/time_limit.ts";
import type { Logger } from "../../../core/handler/context.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { escapeLine } from "../../../internal/text.ts";
import { systemClock } from "../../../internal/time.ts";
import { VERSION } from "../../../internal/version.ts";
import { UNSUPPORTED_VERSION } from "../protocol/codes.ts";
import { MODERN_VERSION } from "../protocol/constants.ts";
import { decodeFailedReply } from "./decode_reply.ts";
import type { ClientIdentity, EraRequest, ProtocolEra } from "./era.ts";
import { IncomingRouter } from "./incoming_router.ts";
import { LegacyEra } from "./legacy.ts";
import type { FailedReply, MessageTransport, RpcReply } from "./message_transport.ts";
import { discoverServer, ModernEra } from "./modern.ts";
import { RequestHandlers } from "./questions.ts";
import type { McpClientOptions, McpImplementation, McpLogLevel } from "./types.ts";
import type { Principal } from "../../../core/call/call.ts";

/** How to reach an MCP server: its transport, and an older one for servers that need it. */
export interface ServerRoute {
  /** Name of the server in warnings: its URL without query, or its program. */
  readonly name: string;
  readonly transport: MessageTransport;
  /** Opens the older transport, for servers that do not support the other one. */
  readonly openLegacyTransport?: () => MessageTransport;
  /** Timeout of the request that detects the era, in milliseconds. */
  readonly probeTimeoutMs: number;
  /** Maximum size of the pieces of a call that its reader has not taken, in UTF-16 code units of JSON. Default: 64 Mi. */
  readonly maxUnreadChars?: number | undefined;
  /** The route of the requests for one principal, if each has its own credentials. Its argument returns the principal as of its last call. */
  readonly forPrincipal?: (principal: () => Principal) => ServerRoute;
}

/** Client side of one server: detects its era with the first request, and sends all requests in that era. Numbers the requests. */
export class Connection implements ClientIdentity {
  readonly handlers: RequestHandlers;
  readonly router: IncomingRouter;
  readonly info: McpImplementation;
  readonly logger: Pick<Logger, "warn">;
  logLevel: McpLogLevel | undefined;
  readonly #route: ServerRoute;
  readonly #preferredEra: "auto" | "modern" | "legacy";
  #era: ProtocolEra | undefined;
  #opening: Promise<ProtocolEra | ErrorResult> | undefined;
  #legacyTransport: MessageTransport | undefined;
  #isClosed = false;
  #lastId = 0;

  /** @param shared The connection of all callers, whose handlers and listeners of logs a connection for one principal has, too. */
  constructor(route: ServerRoute, options: McpClientOptions, shared?: Connection) {
    const { clientInfo = { name: "toolwire", version: VERSION }, era = "auto", logger = console } = options;
    this.info = clientInfo;
    // A process may have many servers. Messages have names that the server chose.
    this.logger = {
      warn: (message, fields) => logger.warn(`MCP server ${route.name}: ${escapeLine(message)}`, fields),
    };
    this.handlers = shared?.handlers ?? new RequestHandlers();
    this.logLevel = shared?.logLevel;
    this.router = new IncomingRouter(this.handlers, this.logger);
    if (shared !== undefined) this.router.on("log", (message) => shared.router.emit("log", message));
    this.#route = route;
    this.#preferredEra = era;
  }

  get capabilities(): Members {
    return this.handlers.capabilities;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  onSessionRenewed(): void {
    this.router.emit("sessionRenewed", undefined);
  }

  /** The era: detected by the first call, with the handshake if it has one. An error is not cached: the next call tries again. */
  async era(): Promise<ProtocolEra | ErrorResult> {
    if (this.#isClosed) return CLOSED;
    if (this.#era !== undefined) return this.#era;
    // If I/O is bound to the request that started it, as on Workers, each request detects the era itself.
    const opening = systemClock.isPerRequest ? this.#open() : this.#opening ??= this.#open();
    const era = await opening;
    return "kind" in era ? this.#openFailed(era) : this.#adopt(era);
  }

  /** Sends a request and waits for the reply. Rejects only with what the user's function for headers throws. */
  async request(request: EraRequest): Promise<RpcReply> {
    const era = await this.era();
    if ("kind" in era) return { transportError: era };
    const id = this.nextId();
    const untrack = request.pending && this.router.track(id, request.pending);
    try {
      return await era.request(id, request);
    } finally {
      untrack?.(request.limit.signal.aborted);
    }
  }

  /** Closes the connection permanently. */
  close(): void {
    this.#isClosed = true;
    this.#era?.close();
    this.#route.transport.close();
    this.#legacyTransport?.close();
  }

  #openFailed(error: ErrorResult): ErrorResult {
    this.#opening = undefined;
    return this.#isClosed ? CLOSED : error;
  }

  #adopt(era: ProtocolEra): ProtocolEra | ErrorResult {
    if (!this.#isClosed) this.#era ??= era;
    // Another request was faster, or the connection was closed meanwhile.
    if (this.#era !== era) era.close();
    const adopted = this.#era;
    if (adopted === undefined || this.#isClosed) return CLOSED;
    this.router.respond = adopted.isModern ? undefined : (message) => adopted.post(message);
    return adopted;
  }

  async #open(): Promise<ProtocolEra | ErrorResult> {
    const { transport, probeTimeoutMs } = this.#route;
    this.#receiveFrom(transport);
    if (this.#preferredEra === "legacy") return await this.#openLegacy();
    const isPinned = this.#preferredEra === "modern";
    const timeoutMs = isPinned ? Math.max(probeTimeoutMs, PINNED_TIMEOUT_MS) : probeTimeoutMs;
    let probed = await this.#probe(timeoutMs);
    if (probed === "again") probed = await this.#probe(timeoutMs);
    if (typeof probed === "object") return probed;
    if (isPinned) {
      return errorResult("invalid_request", `The server does not support MCP ${MODERN_VERSION}`);
    }
    return await this.#openLegacy();
  }

  async #probe(timeoutMs: number): Promise<ModernEra | ErrorResult | "again" | "legacy"> {
    const { transport } = this.#route;
    const reply = await withTimeLimit(timeoutMs, (limit) => discoverServer(transport, this, limit));
    if ("result" in reply) {
      const era = chooseEra(reply.result["supportedVersions"]);
      return era === "modern" ? new ModernEra(transport, this, reply.result) : era;
    }
    if ("error" in reply && reply.error.code === UNSUPPORTED_VERSION) {
      const era = chooseEra(asObject(reply.error.data)["supported"]);
      return era === "modern" ? "again" : era;
    }
    // With `era: "modern"`, silence says only that the server was slow or has exited.
    const isSilent = !("error" in reply) && reply.status === undefined;
    const isLegacy = !(isSilent && this.#preferredEra === "modern") && indicatesLegacyServer(reply, transport);
    return isLegacy ? "legacy" : decodeFailedReply(reply);
  }

  async #openLegacy(): Promise<ProtocolEra | ErrorResult> {
    const { transport, openLegacyTransport, probeTimeoutMs } = this.#route;
    const era = this.#legacyEra(transport);
    const failed = await era.open();
    if (failed === undefined) return era;
    // A modern server that answered the first probe too late.
    if ("error" in failed && failed.error.code === UNSUPPORTED_VERSION && this.#preferredEra === "auto") {
      const probed = await this.#probe(2 * probeTimeoutMs);
      if (probed instanceof ModernEra) {
        this.router.respond = undefined;
        return probed;
      }
    }
    const isUnknown = [400, 404, 405].includes(failed.status ?? 0);
    if (!isUnknown || openLegacyTransport === undefined) return decodeFailedReply(failed);
    const legacyTransport = this.#legacyTransport = openLegacyTransport();
    const legacyEra = this.#legacyEra(legacyTransport);
    if (await legacyEra.open() === undefined) return legacyEra;
    legacyTransport.close();
    return decodeFailedReply(failed);
  }

  /** Before the handshake is complete, servers may already send requests. */
  #legacyEra(transport: MessageTransport): LegacyEra {
    this.#receiveFrom(transport);
    const era = new LegacyEra(transport, this);
    this.router.respond = (message) => era.post(message);
    return era;
  }

  #receiveFrom(transport: MessageTransport): void {
    const { router } = this;
    transport.receive = router.receive;
    transport.onLateReply = (id) => router.settle(id);
    router.isSorted = transport.hasHeaders;
  }
}

/** The time that a server with a pinned era has for its first answer, in milliseconds: nothing is tried after it. */
const PINNED_TIMEOUT_MS = 60_000;

const CLOSED: ErrorResult = errorResult("unavailable", "The transport is closed");

/** The era for a server with these revisions; an error result if it supports newer ones only. */
function chooseEra(revisions: unknown): "modern" | "legacy" | ErrorResult {
  const named = Array.isArray(revisions) ? revisions.filter((one) => typeof one === "string") : [];
  if (named.includes(MODERN_VERSION)) return "modern";
  // Revisions are dates, which sort as text.
  if (!named.some((revision) => revision > MODERN_VERSION)) return "legacy";
  return errorResult("invalid_request", `The server supports MCP ${named.join(", ")}, this client ${MODERN_VERSION}`);
}

/** Whether the reply to the probe comes from a server that does not know it. Other reasons: unreachable, overloaded, unauthorized. */
function indicatesLegacyServer(reply: FailedReply, transport: MessageTransport): boolean {
  const { status } = reply;
  if (status !== undefined) return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
  if ("error" in reply) return true;
  // Some old servers exit or do not answer. In a browser, a server that does not allow the headers looks unreachable.
  return !transport.hasHeaders || ("document" in globalThis && reply.transportError.code === "unavailable");
}
