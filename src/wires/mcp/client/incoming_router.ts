/**
 * Where what a server says on its own goes: to the call that it belongs to, to whoever listens, to who can answer it.
 *
 * @module
 */
import type { Progress, Sink } from "../../../core/call/outcome.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { relatedRequestId } from "./questions.ts";
import type { ReceiveMessage } from "./message_transport.ts";
import type { RequestHandlers } from "./request_handlers.ts";
import type { OneWayMessage, RpcError } from "../protocol/messages.ts";
import type { McpLogMessage } from "./types.ts";
import { SUBSCRIPTION_ID } from "../protocol/constants.ts";
import { mcpErrorCodes } from "../protocol/codes.ts";

/** Somebody who waits for the answer to a request. */
export interface PendingRequest {
  /** Told how far it has come. */
  onProgress?(progress: Progress): void;
  /** Asked what the server wants to know meanwhile; says so when it knows. */
  onQuestion?(request: InputRequest, id: RequestId, respond: RespondToServer): void;
  /** Told which notifications it will get. */
  onAcknowledged?(notifications: Members): void;
  /** The server does not want to know any more. */
  onQuestionCancelled?(id: RequestId): void;
}

/** Answers what the server asked. */
export type RespondToServer = (answer: { readonly result: Members } | { readonly error: RpcError }) => void;

/** What a server tells whoever listens. */
export interface ServerEvents {
  /** A log line. */
  readonly log: McpLogMessage;
  /** A list has changed, or a resource: the method, and what belongs to it. */
  readonly notification: { readonly method: string; readonly params: Members };
  /** The server has forgotten what it was asked to keep in mind, and was greeted anew. */
  readonly sessionRenewed: undefined;
}

type Listener<Kind extends keyof ServerEvents> = (told: ServerEvents[Kind]) => void;

/** Takes everything that is no answer. */
export class IncomingRouter {
  /** Sends an answer. Nothing that a server asks is answered where it has no right to ask: in the era without sessions. */
  respond: ((message: OneWayMessage) => void) | undefined = undefined;
  readonly #handlers: RequestHandlers;
  readonly #warn: (message: string) => void;
  readonly #watches = new Map<RequestId, PendingRequest>();
  readonly #listeners: { readonly [Kind in keyof ServerEvents]: Set<Listener<Kind>> } = {
    log: new Set(),
    notification: new Set(),
    sessionRenewed: new Set(),
  };

  /** @param warn Told what goes wrong that nobody waits for. */
  constructor(handlers: RequestHandlers, warn: (message: string) => void) {
    this.#handlers = handlers;
    this.#warn = warn;
  }

  /** Has `watch` told what belongs to a request, until what this returns is called. */
  track(id: RequestId, watch: PendingRequest): () => void {
    this.#watches.set(id, watch);
    return () => void this.#watches.delete(id);
  }

  /** Has `listener` told, until what this returns is called. */
  on<Kind extends keyof ServerEvents>(kind: Kind, listener: Listener<Kind>): () => void {
    // One of its own, so that whoever listens twice is told twice.
    const own: Listener<Kind> = (told) => listener(told);
    this.#listeners[kind].add(own);
    return () => void this.#listeners[kind].delete(own);
  }

  readonly receive: ReceiveMessage = (incoming, during) => {
    const { method, params } = incoming;
    if (incoming.kind === "request") this.#answer({ method, params }, incoming.id, during);
    else if (method === "notifications/progress") this.#progress(params);
    else if (method === "notifications/message") this.emit("log", params as unknown as McpLogMessage);
    else if (method === "notifications/cancelled") this.#withdraw(params);
    else if (method === "notifications/subscriptions/acknowledged") this.#acknowledge(params);
    else this.emit("notification", { method, params });
  };

  #progress({ progressToken, progress, total, message }: Members): void {
    if (typeof progress !== "number") return;
    this.#watches.get(progressToken as RequestId)?.onProgress?.({
      done: progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  #acknowledge({ notifications, _meta }: Members): void {
    const id = asObject(_meta)[SUBSCRIPTION_ID];
    this.#watches.get(id as RequestId)?.onAcknowledged?.(asObject(notifications));
  }

  #withdraw({ requestId }: Members): void {
    for (const watch of this.#watches.values()) watch.onQuestionCancelled?.(requestId as RequestId);
  }

  /** Tells whoever listens. */
  emit<Kind extends keyof ServerEvents>(kind: Kind, told: ServerEvents[Kind]): void {
    for (const listener of this.#listeners[kind]) {
      try {
        listener(told);
      } catch (thrown) {
        // What a listener throws is nobody's answer: it is shown as any other exception that nobody caught.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }

  #answer(request: InputRequest, id: RequestId, during: RequestId | undefined): void {
    const { respond: send } = this;
    if (send === undefined) return;
    const respond: RespondToServer = (answer) => send({ id, ...answer });
    if (request.method === "ping") return respond({ result: {} });
    const known = this.#handlers.answer(request);
    if (known !== undefined) {
      known.then((result) => respond({ result }), (thrown) => {
        this.#warn(`What answers ${request.method} failed: ${thrown}`);
        respond({
          error: { code: mcpErrorCodes.internal.number, message: `The client could not answer ${request.method}` },
        });
      });
      return;
    }
    if (request.method !== "elicitation/create") {
      return respond({
        error: { code: mcpErrorCodes.method_not_found.number, message: `This client does not know ${request.method}` },
      });
    }
    const watch = this.#asked(during ?? relatedRequestId(request));
    // With nobody there to answer, it is left open.
    if (watch === undefined) respond({ result: { action: "cancel" } });
    else watch.onQuestion?.(request, id, respond);
  }

  /** The call that a question belongs to; where the server does not tell, the one that waits longest. */
  #asked(during: RequestId | undefined): PendingRequest | undefined {
    const related = during === undefined ? undefined : this.#watches.get(during);
    return related?.onQuestion === undefined
      ? [...this.#watches.values()].find(({ onQuestion: ask }) => ask !== undefined)
      : related;
  }
}

/** Gives progress to a sink, and while that is full keeps the latest alone: what is overtaken is news to nobody. */
export class ProgressFeed {
  readonly #sink: Sink;
  #latest: Progress | undefined = undefined;
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
    room.then(() => this.#goOn());
  }

  #goOn(): void {
    const latest = this.#latest;
    this.#isFull = false;
    this.#latest = undefined;
    if (latest !== undefined) this.push(latest);
  }
}
