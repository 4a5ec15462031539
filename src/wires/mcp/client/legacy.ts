/**
 * The era with a handshake: `initialize` first, and a session if the server wants one.
 *
 * The handshake is made with the first request, and again when the server has lost the session.
 * Source: MCP, revisions 2024-11-05 to 2025-11-25, "Lifecycle" and "Transports".
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { monitorFromSignal, withTimeLimit } from "../../../core/call/time_limit.ts";
import { typedOr } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { isLegacyVersion, LEGACY_VERSIONS } from "../protocol/constants.ts";
import { SESSION_HEADER, VERSION_HEADER } from "../protocol/header_values.ts";
import type { OneWayMessage } from "../protocol/messages.ts";
import {
  cancelledNotification,
  type ClientIdentity,
  type EraRequest,
  type ProtocolEra,
  readServerInfo,
} from "./era.ts";
import {
  BACKGROUND_TIMEOUT_MS,
  type FailedReply,
  type MessageTransport,
  type RpcReply,
  suspendFor,
} from "./message_transport.ts";
import type { McpServerInfo } from "./types.ts";

/** Time to wait for the server's stream to open, in milliseconds. Messages that the server sends before that could be lost. */
const STREAM_OPEN_TIMEOUT_MS = 250;
const HANDSHAKE_TIMEOUT_MS = 30_000;

/** Result of a handshake. */
interface Session {
  readonly server: McpServerInfo;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the server has assigned a session id; it can then lose the session. */
  readonly hasId: boolean;
  /** Epoch of the transport at the time of the handshake. */
  readonly epoch: number;
  /** Closes the stream of the session. */
  readonly closing: AbortController;
}

/** Client side of the MCP revisions with a handshake. A session that the server has lost is opened again. */
export class LegacyEra implements ProtocolEra {
  readonly isModern = false;
  readonly hasHeaders = false;
  readonly #transport: MessageTransport;
  readonly #client: ClientIdentity;
  #session: Session | undefined;
  #opening: Promise<Session | FailedReply> | undefined;
  #hadSession = false;

  constructor(transport: MessageTransport, client: ClientIdentity) {
    this.#transport = transport;
    this.#client = client;
  }

  get server(): McpServerInfo {
    return this.#session?.server ?? UNKNOWN_SERVER;
  }

  /** Makes the handshake if there is no session. Returns the reply if it has failed. */
  async open(): Promise<FailedReply | undefined> {
    const session = await this.#ensureSession();
    return "server" in session ? undefined : session;
  }

  async request(id: RequestId, request: EraRequest): Promise<RpcReply> {
    const { method, params: ownParams = {}, limit, pending, isEndless = false } = request;
    const meta = { ...request.meta, ...(pending?.onProgress && { progressToken: id }) };
    const params = Object.keys(meta).length > 0 ? { ...ownParams, _meta: meta } : ownParams;
    for (let isFirst = true;; isFirst = false) {
      const session = await this.#ensureSession();
      if (!("server" in session)) return session;
      const options = { limit, headers: session.headers, isResumable: true, isEndless };
      const reply = await this.#transport.request({ id, method, params }, options);
      if (limit.signal.aborted) void this.post(cancelledNotification(id));
      const isLost = "status" in reply && reply.status === 404 && session.hasId;
      if (!isLost || !isFirst) return reply;
      this.#drop(session);
    }
  }

  post(message: OneWayMessage): Promise<ErrorResult | undefined> {
    const headers = this.#session?.headers ?? {};
    return withTimeLimit(BACKGROUND_TIMEOUT_MS, (limit) => this.#transport.post(message, { headers, limit }));
  }

  close(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#drop(session);
    if (session.hasId) this.#transport.endSession?.(session.headers);
  }

  #drop(session: Session): void {
    session.closing.abort();
    if (this.#session === session) this.#session = this.#opening = undefined;
  }

  async #ensureSession(): Promise<Session | FailedReply> {
    const session = this.#session;
    if (session !== undefined) {
      if (session.epoch === this.#transport.epoch) return session;
      this.#drop(session);
    }
    // Concurrent requests share one handshake.
    this.#opening ??= this.#handshake();
    const opened = await this.#opening;
    if (!("server" in opened)) this.#opening = undefined;
    return opened;
  }

  async #handshake(): Promise<Session | FailedReply> {
    const [latest] = LEGACY_VERSIONS;
    const { info: clientInfo, capabilities } = this.#client;
    const params = { protocolVersion: latest, capabilities, clientInfo };
    const message = { id: this.#client.nextId(), method: "initialize", params };
    // Its own time limit instead of the first request's: other requests wait for it, too.
    const reply = await withTimeLimit(
      HANDSHAKE_TIMEOUT_MS,
      (limit) => this.#transport.request(message, { limit, headers: {} }),
    );
    if (!("result" in reply)) return reply;
    const revision = typedOr(reply.result["protocolVersion"], "");
    if (!isLegacyVersion(revision)) {
      const problem = `The server uses revision "${revision}" of MCP, which this client does not support`;
      return { transportError: errorResult("invalid_request", problem) };
    }
    const session: Session = {
      server: readServerInfo(revision, reply.result, reply.result["serverInfo"]),
      headers: {
        [VERSION_HEADER]: revision,
        ...(reply.session !== undefined && { [SESSION_HEADER]: reply.session }),
      },
      hasId: reply.session !== undefined,
      epoch: this.#transport.epoch,
      closing: new AbortController(),
    };
    this.#session = session;
    const transportError = await this.post({ method: "notifications/initialized", params: {} });
    if (transportError !== undefined) {
      this.#drop(session);
      return { transportError };
    }
    await this.#openStream(session);
    if (this.#hadSession) this.#client.onSessionRenewed();
    this.#hadSession = true;
    return session;
  }

  /** Opens the stream for messages of the server that belong to no request. */
  async #openStream({ headers, hasId, closing }: Session): Promise<void> {
    if (!hasId) return;
    const limit = monitorFromSignal(closing.signal);
    const opened = this.#transport.listen?.({ headers, limit, isResumable: true });
    await Promise.race([opened, suspendFor(STREAM_OPEN_TIMEOUT_MS, limit)]);
  }
}

const UNKNOWN_SERVER: McpServerInfo = { revision: "", info: undefined, capabilities: {}, instructions: undefined };
