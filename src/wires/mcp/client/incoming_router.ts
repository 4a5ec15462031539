/**
 * Where what a server says on its own goes: to the call that it belongs to, to whoever listens, to who can answer it.
 *
 * @module
 */
import type { Progress } from "../../../core/call/outcome.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { requestOf } from "./questions.ts";
import type { Receive } from "./message_transport.ts";
import type { Handlers } from "./handlers.ts";
import type { OneWayMessage, RpcError } from "../protocol/messages.ts";
import type { McpLogMessage } from "./types.ts";
import { SUBSCRIPTION_ID } from "../protocol/constants.ts";
import { mcpErrorCodes } from "../protocol/codes.ts";

/** Somebody who waits for the answer to a request. */
export interface Watch {
  /** Told how far it has come. */
  progress?(progress: Progress): void;
  /** Asked what the server wants to know meanwhile; says so when it knows. */
  ask?(request: InputRequest, id: RequestId, respond: Respond): void;
  /** Told which notifications it will get. */
  acknowledged?(notifications: Members): void;
  /** The server does not want to know any more. */
  withdraw?(id: RequestId): void;
}

/** Answers what the server asked. */
export type Respond = (answer: { readonly result: Members } | { readonly error: RpcError }) => void;

/** What a server tells whoever listens. */
export interface Told {
  /** A log line. */
  readonly log: McpLogMessage;
  /** A list has changed, or a resource: the method, and what belongs to it. */
  readonly notification: { readonly method: string; readonly params: Members };
  /** The server has forgotten what it was asked to keep in mind, and was greeted anew. */
  readonly renewed: undefined;
}

type Listener<Kind extends keyof Told> = (told: Told[Kind]) => void;

/** Takes everything that is no answer. */
export class Inbox {
  /** Sends an answer. Nothing that a server asks is answered where it has no right to ask: in the era without sessions. */
  respond: ((message: OneWayMessage) => void) | undefined = undefined;
  readonly #handlers: Handlers;
  readonly #warn: (message: string) => void;
  readonly #watches = new Map<RequestId, Watch>();
  readonly #listeners: { readonly [Kind in keyof Told]: Set<Listener<Kind>> } = {
    log: new Set(),
    notification: new Set(),
    renewed: new Set(),
  };

  /** @param warn Told what goes wrong that nobody waits for. */
  constructor(handlers: Handlers, warn: (message: string) => void) {
    this.#handlers = handlers;
    this.#warn = warn;
  }

  /** Has `watch` told what belongs to a request, until what this returns is called. */
  watch(id: RequestId, watch: Watch): () => void {
    this.#watches.set(id, watch);
    return () => void this.#watches.delete(id);
  }

  /** Has `listener` told, until what this returns is called. */
  on<Kind extends keyof Told>(kind: Kind, listener: Listener<Kind>): () => void {
    // One of its own, so that whoever listens twice is told twice.
    const own: Listener<Kind> = (told) => listener(told);
    this.#listeners[kind].add(own);
    return () => void this.#listeners[kind].delete(own);
  }

  readonly receive: Receive = (incoming, during) => {
    const { method, params } = incoming;
    if (incoming.kind === "request") this.#answer({ method, params }, incoming.id, during);
    else if (method === "notifications/progress") this.#progress(params);
    else if (method === "notifications/message") this.tell("log", params as unknown as McpLogMessage);
    else if (method === "notifications/cancelled") this.#withdraw(params);
    else if (method === "notifications/subscriptions/acknowledged") this.#acknowledge(params);
    else this.tell("notification", { method, params });
  };

  #progress({ progressToken, progress, total, message }: Members): void {
    if (typeof progress !== "number") return;
    this.#watches.get(progressToken as RequestId)?.progress?.({
      done: progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  #acknowledge({ notifications, _meta }: Members): void {
    const id = asObject(_meta)[SUBSCRIPTION_ID];
    this.#watches.get(id as RequestId)?.acknowledged?.(asObject(notifications));
  }

  #withdraw({ requestId }: Members): void {
    for (const watch of this.#watches.values()) watch.withdraw?.(requestId as RequestId);
  }

  /** Tells whoever listens. */
  tell<Kind extends keyof Told>(kind: Kind, told: Told[Kind]): void {
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
    const respond: Respond = (answer) => send({ id, ...answer });
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
    const watch = this.#asked(during ?? requestOf(request));
    // With nobody there to answer, it is left open.
    if (watch === undefined) respond({ result: { action: "cancel" } });
    else watch.ask?.(request, id, respond);
  }

  /** The call that a question belongs to; where the server does not tell, the one that waits longest. */
  #asked(during: RequestId | undefined): Watch | undefined {
    const related = during === undefined ? undefined : this.#watches.get(during);
    return related?.ask === undefined ? [...this.#watches.values()].find(({ ask }) => ask !== undefined) : related;
  }
}
