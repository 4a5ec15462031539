/**
 * Older MCP revisions over HTTP, with sessions or without.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { type Answer, errorAnswer, protocolError, refusalAnswer } from "../../server/answer.ts";
import type { Core } from "../../server/mcp_server.ts";
import type { InputRequest } from "../../protocol/forms.ts";
import { Legacy, type LegacyCaller, type LegacyExchange } from "../../server/legacy.ts";
import type { Members } from "../../../../internal/json.ts";
import type { Message, RequestMessage, ResponseMessage } from "../../protocol/messages.ts";
import { PendingRequests } from "../../server/pending_requests.ts";
import { isLegacyVersion, LEGACY_VERSIONS, type LegacyVersion } from "../../protocol/constants.ts";
import type { Head, Reply } from "../../../wire.ts";
import type { Endpoints } from "./legacy_sse_transport.ts";
import { ACCEPTED, HttpExchange, toReply } from "./exchange.ts";
import { SESSION_HEADER, VERSION_HEADER } from "../../protocol/header_values.ts";
import type { SessionHost, SessionHttp } from "../sessions/http.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** Serves older revisions. */
export class LegacyHttp implements SessionHost {
  readonly core: Core;
  readonly heartbeats: Deadlines;
  readonly pending: PendingRequests;
  readonly #legacy: Legacy;
  readonly #sessions: SessionHttp | undefined;

  constructor(core: Core, heartbeats: Deadlines, sessions: Sessions | undefined) {
    this.core = core;
    this.heartbeats = heartbeats;
    this.pending = new PendingRequests(core.host.clock, core.settings.askTimeoutMs);
    this.#legacy = new Legacy(core, sessions !== undefined);
    this.#sessions = sessions?.["~serve"](this);
  }

  /** The transport of 2024-11-05, whose streams are at this path; `undefined` without sessions. */
  endpoints(path: string): Endpoints | undefined {
    return this.#sessions?.endpoints(path);
  }

  /** Takes one message. */
  receive(head: Head, message: Message, version: string | null): MaybePromise<Reply> {
    if (message.kind === "request" && message.method === "initialize") return this.#initialize(head, message);
    if (message.kind !== "request" || this.#sessions !== undefined || !isLegacyVersion(version)) {
      return this.#receive(head, [message], false);
    }
    // The shortest way: most requests come this one.
    const exchange = this.#alone(head, version);
    return exchange.reply(this.answerAll([message], exchange, false));
  }

  /** Takes several messages at once, as 2025-03-26 has it. */
  receiveBatch(head: Head, batch: readonly Message[]): MaybePromise<Reply> {
    if (batch.some((message) => message.kind === "request" && message.method === "initialize")) {
      return toReply(refusalAnswer(null, errorResult("invalid_request", "initialize comes alone")));
    }
    return this.#receive(head, batch, true);
  }

  /** Answers what is no POST: streams of sessions, and their end. */
  handleOther(head: Head): MaybePromise<Reply> {
    const { method } = head;
    if (this.#sessions !== undefined && (method === "GET" || method === "DELETE")) {
      if (versionOf(head) === undefined) return unsupported(head, undefined);
      return method === "GET" ? this.#sessions.open(head) : this.#sessions.end(head);
    }
    const allow = this.#sessions === undefined ? "POST" : "POST, GET, DELETE";
    const problem = protocolError(-32000, `${method} is not allowed here: use ${allow}`, undefined, 405);
    return toReply({ ...errorAnswer(null, problem), headers: { allow } });
  }

  /** Ends what is held open. */
  close(): void {
    this.pending.close();
    this.#sessions?.close();
  }

  readCaller(params: Members): LegacyCaller | ErrorResult {
    return this.#legacy.readCaller(params);
  }

  answerAll(requests: readonly RequestMessage[], exchange: LegacyExchange, isBatch: boolean): MaybePromise<Answer> {
    const [first] = requests;
    if (!isBatch && first !== undefined) {
      const answer = this.#legacy.answer(first, exchange);
      return answer instanceof Promise ? answer.then(withLegacyStatus) : withLegacyStatus(answer);
    }
    return Promise.all(requests.map((request) => this.#legacy.answer(request, exchange))).then((answers) => {
      return { status: 200, json: `[${answers.map(({ json }) => json).join(",")}]` };
    });
  }

  #initialize(head: Head, request: RequestMessage): MaybePromise<Reply> {
    if (head.metadata.get(SESSION_HEADER) !== null && this.#sessions !== undefined) {
      return toReply(refusalAnswer(request.id, errorResult("invalid_request", "The session has begun already")));
    }
    const caller = this.readCaller(request.params);
    if ("kind" in caller) return toReply(refusalAnswer(request.id, caller));
    const exchange = new StatelessExchange(head, this, caller);
    const answer = this.#legacy.answer(request, exchange) as Answer;
    return this.#sessions === undefined ? toReply(answer) : this.#sessions.begin(head, caller, answer);
  }

  #receive(head: Head, messages: readonly Message[], isBatch: boolean): MaybePromise<Reply> {
    const version = versionOf(head);
    const requests = messages.filter((message) => message.kind === "request");
    if (version === undefined) return requests.length === 0 ? ACCEPTED : unsupported(head, requests[0]);
    const refuseBatch = (spoken: LegacyVersion) => {
      if (!isBatch || spoken === "2025-03-26") return undefined;
      return toReply(refusalAnswer(null, errorResult("invalid_request", "Send one message at a time")));
    };
    if (this.#sessions !== undefined) return this.#sessions.receive(head, messages, isBatch, refuseBatch);
    const refused = isBatch ? refuseBatch(version) : undefined;
    if (refused !== undefined) return refused;
    for (const message of messages) if (message.kind === "response") this.pending.settle(message);
    if (requests.length === 0) return ACCEPTED;
    const exchange = this.#alone(head, version);
    return exchange.reply(this.answerAll(requests, exchange, isBatch));
  }

  #alone(head: Head, version: LegacyVersion): StatelessExchange {
    return new StatelessExchange(head, this, STRANGERS[version]);
  }
}

/** Without a session nothing is known of a caller but what the request says. */
const STRANGERS = Object.fromEntries(
  LEGACY_VERSIONS.map((version) => {
    return [version, { version, capabilities: undefined, info: undefined, logLevel: undefined }];
  }),
) as Readonly<Record<LegacyVersion, LegacyCaller>>;

/** A request without a session. It can be asked something back, by whoever has this process answer. */
class StatelessExchange extends HttpExchange implements LegacyExchange {
  readonly caller: LegacyCaller;
  readonly #pending: PendingRequests;

  constructor(head: Head, { heartbeats, core, pending }: LegacyHttp, caller: LegacyCaller) {
    super(head, heartbeats, core.host);
    this.caller = caller;
    this.#pending = pending;
  }

  get ask(): ((request: InputRequest) => Promise<ResponseMessage | undefined>) | undefined {
    const channel = this.channel();
    return channel && ((request) => this.#pending.ask(request, (json) => channel.send(json), channel.left));
  }

  remember(): void {
    // There is no later for whom to keep it.
  }
}

/** Errors of requests came with 200; a 404 would mean that the session is over. */
function withLegacyStatus(answer: Answer): Answer {
  return answer.status === 400 || answer.status === 404 ? { ...answer, status: 200 } : answer;
}

/** The revision that a request names; the oldest if it names none, as that one has no header for it. */
function versionOf(head: Head): LegacyVersion | undefined {
  const version = head.metadata.get(VERSION_HEADER);
  if (version === null) return "2025-03-26";
  return isLegacyVersion(version) ? version : undefined;
}

function unsupported(head: Head, request: RequestMessage | undefined): Reply {
  const version = head.metadata.get(VERSION_HEADER)?.slice(0, 64);
  const message = `Unsupported protocol version: ${version}; there are ${LEGACY_VERSIONS.join(", ")}`;
  return toReply(errorAnswer(request?.id ?? null, protocolError(-32000, message)));
}
