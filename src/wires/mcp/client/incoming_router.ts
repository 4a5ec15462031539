/**
 * Routes server-initiated messages to the pending request, the event listeners or the request handler they are for.
 */
import type { Progress, PromiseOutcome, Sink } from "../../../core/call/outcome.ts";
import type { Logger } from "../../../core/handler/context.ts";
import { Listeners } from "../../../internal/async.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { decodeEvent } from "../../framing/result/decode.ts";
import { mcpErrorCodes } from "../protocol/codes.ts";
import { PIECE_NOTIFICATION, PROMISE_NOTIFICATION, SUBSCRIPTION_ID } from "../protocol/constants.ts";
import type { InputRequest, OneWayMessage, RpcOutcome } from "../protocol/messages.ts";
import type { ReceiveMessage } from "./message_transport.ts";
import { relatedRequestId, type RequestHandlers } from "./questions.ts";
import type { McpLogMessage } from "./types.ts";

/** Callbacks of a request that waits for its reply, for messages of the server that belong to it. */
export interface PendingRequest {
  onProgress?(progress: Progress): void;
  /** A piece of the answer, of a Toolwire server. */
  onPiece?(piece: unknown): void;
  /** The call continues under a promise, of a Toolwire server. */
  onPromise?(promise: PromiseOutcome): void;
  /** A question of the server; `respond` sends the answer. */
  onQuestion?(request: InputRequest, id: RequestId, respond: RespondToServer): void;
  /** The notifications that the server agrees to send. */
  onAcknowledged?(notifications: Members): void;
  /** The server has cancelled its question. */
  onQuestionCancelled?(id: RequestId): void;
}

/** Sends the response to a request of the server. */
export type RespondToServer = (outcome: RpcOutcome) => void;

/** Events of a server, with the data that listeners receive. */
export interface ServerEvents {
  readonly log: McpLogMessage;
  /** A notification other than of progress, logs, cancelled questions and acknowledged subscriptions, such as of a changed list. */
  readonly notification: { readonly method: string; readonly params: Members };
  /** The server has lost the session and a new one was initialized: log level and subscriptions have to be sent again. */
  readonly sessionRenewed: undefined;
}

/** What the program of a client calls to answer a question, by its method. */
const HANDLERS: Readonly<Record<string, string>> = {
  "sampling/createMessage": ": its program has to call transport.onSampling()",
  "roots/list": ": its program has to call transport.onRoots()",
};

/** Maximum number of responses to requests of the server that are made or sent at the same time. Further requests are not answered. */
const MAX_RESPONDING = 1_024;

/** Maximum number of aborted calls whose ids are kept. */
const MAX_ABANDONED = 1_024;

/** Client side: routes requests and notifications that an MCP server sends to the call, the listener or the handler they are for. */
export class IncomingRouter {
  /** Sends a response, and resolves when it was sent. `undefined` in the era without sessions: servers may not send requests there. */
  respond: ((message: OneWayMessage) => Promise<unknown>) | undefined = undefined;
  /** Whether messages of the server arrive with the request that they belong to, if they belong to one: as over HTTP. */
  isSorted = false;
  readonly #handlers: RequestHandlers;
  readonly #logger: Pick<Logger, "warn">;
  readonly #pending = new Map<RequestId, PendingRequest>();
  /** Number of responses that are made or sent. */
  #responding = 0;
  #hasDropped = false;
  /**
   * Aborted calls of this session that the server may still be running: a question may belong to one of them. Most servers do not answer
   * these, so that there is one more at most, without its id, when there are many.
   */
  readonly #abandoned = new Set<RequestId | undefined>();
  readonly #listeners: { readonly [Kind in keyof ServerEvents]: Listeners<ServerEvents[Kind]> } = {
    log: new Listeners(),
    notification: new Listeners(),
    sessionRenewed: new Listeners(),
  };

  constructor(handlers: RequestHandlers, logger: Pick<Logger, "warn">) {
    this.#handlers = handlers;
    this.#logger = logger;
  }

  /** Routes messages that belong to a request to `pending`, until the returned function is called with whether it was aborted. */
  track(id: RequestId, pending: PendingRequest): (isAborted: boolean) => void {
    this.#pending.set(id, pending);
    return (isAborted) => {
      this.#pending.delete(id);
      if (!isAborted || pending.onQuestion === undefined) return;
      this.#abandoned.add(this.#abandoned.size < MAX_ABANDONED ? id : undefined);
    };
  }

  /** Called with the id of a reply that no request waits for: the server has ended an aborted call. */
  settle(id: RequestId): void {
    this.#abandoned.delete(id);
  }

  /** Adds a listener, until the returned function is called. */
  on<Kind extends keyof ServerEvents>(kind: Kind, listener: (event: ServerEvents[Kind]) => void): () => void {
    return this.#listeners[kind].add((event) => {
      try {
        listener(event);
      } catch (thrown) {
        // Reported by the runtime as an uncaught exception: no request is responsible for it.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    });
  }

  /** Calls the listeners of an event. */
  emit<Kind extends keyof ServerEvents>(kind: Kind, event: ServerEvents[Kind]): void {
    if (kind === "sessionRenewed") this.#abandoned.clear();
    this.#listeners[kind].notify(event);
  }

  readonly receive: ReceiveMessage = (incoming, during) => {
    const { method, params } = incoming;
    if (incoming.kind === "request") this.#answer({ method, params }, incoming.id, during);
    else if (method === "notifications/progress") this.#progress(params);
    else if (method === PIECE_NOTIFICATION) {
      this.#pending.get(params["progressToken"] as RequestId)?.onPiece?.(params["piece"]);
    } else if (method === PROMISE_NOTIFICATION) this.#defer(params);
    else if (method === "notifications/message") this.emit("log", params as unknown as McpLogMessage);
    else if (method === "notifications/cancelled") this.#cancelQuestion(params);
    else if (method === "notifications/subscriptions/acknowledged") this.#acknowledge(params);
    else this.emit("notification", { method, params });
  };

  #defer({ progressToken, promise }: Members): void {
    const event = decodeEvent({ deferred: promise });
    if (event?.kind === "deferred") this.#pending.get(progressToken as RequestId)?.onPromise?.(event.promise);
  }

  #progress({ progressToken, progress, total, message }: Members): void {
    if (typeof progress !== "number") return;
    this.#pending.get(progressToken as RequestId)?.onProgress?.({
      done: progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  #acknowledge({ notifications, _meta }: Members): void {
    const id = asObject(_meta)[SUBSCRIPTION_ID];
    this.#pending.get(id as RequestId)?.onAcknowledged?.(asObject(notifications));
  }

  #cancelQuestion({ requestId }: Members): void {
    for (const pending of this.#pending.values()) pending.onQuestionCancelled?.(requestId as RequestId);
  }

  #answer(request: InputRequest, id: RequestId, during: RequestId | undefined): void {
    const { respond: send } = this;
    const { method } = request;
    if (send === undefined || this.#isOverrun(method)) return;
    const respond: RespondToServer = (outcome) => {
      this.#responding++;
      const end = () => void this.#responding--;
      send({ id, ...outcome }).then(end, end);
    };
    if (method === "ping") return respond({ result: {} });
    const answer = this.#handlers.answer(request);
    if (answer !== undefined) return this.#respondLater(method, answer, respond);
    const isPassedOn = this.#handlers.isPassedOn(request);
    const pending = isPassedOn ? this.#pendingFor(method, during ?? relatedRequestId(request)) : undefined;
    if (pending !== undefined) return pending.onQuestion?.(request, id, respond);
    const message = isPassedOn
      ? `The question ${method} names none of the pending calls, and several callers may share this connection`
      : `This client does not support ${method}${HANDLERS[method] ?? ""}`;
    if (this.#handlers.isRelay) this.#logger.warn(`A question of the server is refused: ${message}`, { method });
    // Without a handler the question is neither accepted nor declined. A caller of a relay was never asked: that is not its answer.
    if (method === "elicitation/create" && !this.#handlers.isRelay) respond({ result: { action: "cancel" } });
    else respond({ error: { code: mcpErrorCodes.method_not_found.number, message } });
  }

  /** Responds when a handler has answered. */
  #respondLater(method: string, answer: Promise<Members>, respond: RespondToServer): void {
    this.#responding++;
    answer.then((result) => respond({ result }), (error) => {
      this.#logger.warn(`The handler of ${method} has failed`, { error });
      respond({
        error: { code: mcpErrorCodes.internal.number, message: `The client could not answer ${method}` },
      });
    }).finally(() => void this.#responding--);
  }

  /** Whether too many responses are on their way: the server sends requests faster than it takes their responses. */
  #isOverrun(method: string): boolean {
    if (this.#responding < MAX_RESPONDING) return false;
    if (!this.#hasDropped) {
      this.#logger.warn(
        `Requests of the server, such as ${method}, are not answered while ${MAX_RESPONDING} responses are on their way`,
      );
    }
    this.#hasDropped = true;
    return true;
  }

  /**
   * The request that a question belongs to. If the server does not specify it, the oldest one that takes questions, as all are of one
   * user; the callers of a relay are not, so there the only one, and none for roots, which are of the whole session.
   */
  #pendingFor(method: string, during: RequestId | undefined): PendingRequest | undefined {
    const related = during === undefined ? undefined : this.#pending.get(during);
    if (related?.onQuestion !== undefined) return related;
    const [oldest, ...others] = [...this.#pending.values()].filter(({ onQuestion }) => onQuestion !== undefined);
    if (!this.#handlers.isRelay || this.#handlers.isOfOneUser) return oldest;
    const isSpecified = during !== undefined || this.isSorted || method === "roots/list";
    return isSpecified || others.length > 0 || this.#abandoned.size > 0 ? undefined : oldest;
  }
}

/** Pushes progress to a sink. While the sink is full, only the latest progress is kept. */
export class ProgressFeed {
  readonly #sink: Sink;
  #latest: Progress | undefined;
  #isFull = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  push(progress: Progress): void {
    if (this.#isFull) {
      this.#latest = progress;
      return;
    }
    const room = this.#sink.push({ kind: "progress", progress });
    if (room === undefined) return;
    this.#isFull = true;
    room.then(() => this.#resume());
  }

  #resume(): void {
    const latest = this.#latest;
    this.#isFull = false;
    this.#latest = undefined;
    if (latest !== undefined) this.push(latest);
  }
}
