/** The revisions with a handshake over HTTP, with or without sessions. */
import { callerKey } from "../../../../internal/caller_key.ts";
import type { ErrorResult } from "../../../../core/call/outcome.ts";
import { Future, type MaybeFuture } from "../../../../internal/future.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import type { Members } from "../../../../internal/json.ts";
import type { Head, Reply } from "../../../wire.ts";
import { isLegacyVersion, LEGACY_VERSIONS, type LegacyVersion } from "../../protocol/constants.ts";
import { SESSION_HEADER, VERSION_HEADER } from "../../protocol/header_values.ts";
import type { Message, RequestMessage } from "../../protocol/messages.ts";
import { LegacyMethods } from "../../server/legacy.ts";
import { type LegacyCaller, type LegacyExchange, PendingRequests } from "../../server/legacy_exchange.ts";
import type { McpServer } from "../../server/mcp_server.ts";
import { answerLegacy } from "../../server/methods.ts";
import { errorResponse, protocolError, protocolErrorResponse, type RpcResponse } from "../../server/response.ts";
import type { SessionHost, SessionHttp } from "../sessions/http.ts";
import type { McpSessions } from "../sessions/mcp_sessions.ts";
import {
  ACCEPTED,
  batchErrorReply,
  HttpExchange,
  type HttpTimers,
  invalidRequestReply,
  methodNotAllowed,
  toReply,
  withLegacyStatus,
} from "./exchange.ts";

/** Serves the MCP revisions with a handshake over HTTP. Without sessions, nothing of a client is kept between its requests. */
export class LegacyHttp implements SessionHost {
  readonly server: McpServer;
  readonly waits: HttpTimers;
  readonly heartbeats: Deadlines;
  readonly pending: PendingRequests;
  /** The sessions; `undefined` if the server keeps nothing between requests. */
  readonly sessions: SessionHttp | undefined;
  readonly #methods: LegacyMethods;

  constructor(server: McpServer, waits: HttpTimers, sessions: McpSessions | undefined) {
    this.server = server;
    this.waits = waits;
    this.heartbeats = waits.heartbeats;
    this.pending = new PendingRequests(server.host.clock, server.settings.askTimeoutMs);
    this.#methods = new LegacyMethods(server, sessions !== undefined);
    this.sessions = sessions?.serve(this);
  }

  receive(head: Head, message: Message, version: string | null): MaybeFuture<Reply> {
    if (message.kind === "request" && message.method === "initialize") return this.#initialize(head, message);
    if (message.kind !== "request" || this.sessions !== undefined || !isLegacyVersion(version)) {
      return this.#receive(head, [message], false);
    }
    // Fast path for the most frequent case.
    const exchange = new StatelessExchange(head, this, UNKNOWN_CALLERS[version]);
    return exchange.reply(this.answerAll([message], exchange, false));
  }

  /** Processes a batch of 2025-03-26; status 400 in other revisions, or if it contains `initialize`. */
  receiveBatch(head: Head, batch: readonly Message[]): MaybeFuture<Reply> {
    if (batch.some((message) => message.kind === "request" && message.method === "initialize")) {
      return invalidRequestReply("initialize cannot be part of a batch");
    }
    return this.#receive(head, batch, true);
  }

  /** Answers GET, which opens the stream of a session, and DELETE, which ends it. 405 for other methods, or without sessions. */
  handleOther(head: Head): MaybeFuture<Reply> {
    const { method } = head;
    const { sessions } = this;
    if (sessions !== undefined && (method === "GET" || method === "DELETE")) {
      if (versionOf(head) === undefined) return unsupportedVersionReply(head, undefined);
      return method === "GET" ? sessions.open(head) : sessions.end(head);
    }
    return methodNotAllowed(head, sessions === undefined ? "POST" : "POST, GET, DELETE");
  }

  /** Closes the open streams of sessions. Questions that clients have not answered end without an answer. */
  close(): void {
    this.pending.close();
    this.sessions?.close();
  }

  readCaller(params: Members): LegacyCaller | ErrorResult {
    return this.#methods.readCaller(params);
  }

  answerAll(
    requests: readonly RequestMessage[],
    exchange: LegacyExchange,
    isBatch: boolean,
  ): MaybeFuture<RpcResponse> {
    const [first] = requests;
    if (!isBatch && first !== undefined) return answerLegacy(this.#methods, first, exchange);
    const answers = requests.map((request) => answerLegacy(this.#methods, request, exchange));
    return Future.of(Promise.all(answers)).map((responses) => {
      return { status: 200, json: `[${responses.map(({ json }) => json).join(",")}]` };
    });
  }

  #initialize(head: Head, request: RequestMessage): MaybeFuture<Reply> {
    if (head.metadata.get(SESSION_HEADER) !== null && this.sessions !== undefined) {
      return invalidRequestReply(
        "The session is already initialized: initialize is sent once, without a session",
        request.id,
      );
    }
    const caller = this.readCaller(request.params);
    if ("kind" in caller) return toReply(errorResponse(request.id, caller));
    const exchange = new StatelessExchange(head, this, caller);
    const response = answerLegacy(this.#methods, request, exchange) as RpcResponse;
    return this.sessions === undefined ? toReply(response) : this.sessions.begin(head, caller, response);
  }

  #receive(head: Head, messages: readonly Message[], isBatch: boolean): MaybeFuture<Reply> {
    const version = versionOf(head);
    const requests = messages.filter((message) => message.kind === "request");
    if (version === undefined) return requests.length === 0 ? ACCEPTED : unsupportedVersionReply(head, requests[0]);
    if (this.sessions !== undefined) return this.sessions.receive(head, messages, isBatch);
    if (isBatch && version !== "2025-03-26") return batchErrorReply();
    for (const message of messages) {
      if (message.kind === "response") this.pending.resolve(message, callerKey(head.principal));
    }
    if (requests.length === 0) return ACCEPTED;
    const exchange = new StatelessExchange(head, this, UNKNOWN_CALLERS[version]);
    return exchange.reply(this.answerAll(requests, exchange, isBatch));
  }
}

/** Callers of requests without a session, by protocol version. Only the version is known. */
const UNKNOWN_CALLERS = Object.fromEntries(
  LEGACY_VERSIONS.map((version) => {
    return [version, { version, capabilities: undefined, info: undefined, logLevel: undefined }];
  }),
) as Readonly<Record<LegacyVersion, LegacyCaller>>;

/** A request without a session. Its client can be asked only if its response reaches this process. */
class StatelessExchange extends HttpExchange implements LegacyExchange {
  readonly caller: LegacyCaller;
  readonly #pending: PendingRequests;

  constructor(head: Head, { waits, server, pending }: LegacyHttp, caller: LegacyCaller) {
    super(head, waits, server.host);
    this.caller = caller;
    this.#pending = pending;
  }

  get sendRequest(): LegacyExchange["sendRequest"] {
    const channel = this.channel();
    if (channel === undefined) return undefined;
    const { closed } = channel;
    return (request) => this.#pending.request(request, (json) => channel.send(json), closed, callerKey(this.principal));
  }

  protected override toReply(response: RpcResponse): Reply {
    return super.toReply(withLegacyStatus(response));
  }

  savePreference(): void {
    // Without a session there is no later request.
  }
}

/** The protocol version of a request. Default: 2025-03-26, which has no header for it. */
function versionOf(head: Head): LegacyVersion | undefined {
  const version = head.metadata.get(VERSION_HEADER);
  if (version === null) return "2025-03-26";
  return isLegacyVersion(version) ? version : undefined;
}

function unsupportedVersionReply(head: Head, request: RequestMessage | undefined): Reply {
  const version = head.metadata.get(VERSION_HEADER)?.slice(0, 64);
  const message = `Unsupported protocol version: ${version}; there are ${LEGACY_VERSIONS.join(", ")}`;
  return toReply(protocolErrorResponse(request?.id ?? null, protocolError(-32000, message)));
}
