/**
 * JSON-RPC between a view and its host, by `postMessage`.
 *
 * Source: SEP-1865, 2026-01-26, "Communication Protocol".
 */
import { ToolError } from "../../../core/errors/tool_error.ts";
import { toToolError } from "../../../core/call/outcome.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import { decodeError } from "../../../wires/framing/json_rpc/decode_error.ts";
import type { PageWindow, WindowMessage } from "./page_window.ts";

/** Handles the notifications and requests that a view receives from its host; responses go to the pending requests of {@link Bridge}. */
export interface BridgeHandlers {
  /** Handles a notification. Unknown ones are ignored. */
  notify(method: string, params: Members): void;
  /** Answers a request. `undefined` for an unknown method. */
  answer(method: string, params: Members): Promise<Members> | undefined;
}

/** A request to the host that is not answered yet. */
interface Pending {
  resolve(result: Members): void;
  reject(error: unknown): void;
}

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
/** Number with which hosts refuse a request. */
const REFUSED = -32000;

/** JSON-RPC of a view with its host, the parent window: sends by `postMessage`, and ignores the messages of other windows. */
export class Bridge {
  readonly #window: PageWindow;
  readonly #handlers: BridgeHandlers;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(window: PageWindow, handlers: BridgeHandlers) {
    this.#window = window;
    this.#handlers = handlers;
    window.addEventListener("message", this.#receive);
  }

  /**
   * Sends a request.
   *
   * @throws {ToolError} If the host answers with an error, or refuses. Rejects with the reason of the signal if it aborts.
   */
  async request(method: string, params: Members, signal?: AbortSignal): Promise<Members> {
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Members>();
    this.#pending.set(id, { resolve, reject });
    const abort = () => {
      this.notify("notifications/cancelled", { requestId: id });
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort);
    try {
      this.#send({ id, method, params });
      return await promise;
    } finally {
      this.#pending.delete(id);
      signal?.removeEventListener("abort", abort);
    }
  }

  notify(method: string, params: Members): void {
    this.#send({ method, params });
  }

  /** Ends the requests that are pending, and takes no more messages. */
  close(): void {
    this.#window.removeEventListener("message", this.#receive);
    for (const { reject } of this.#pending.values()) reject(new ToolError("cancelled", "The view is closed"));
  }

  /** The origin of the host is unknown to a view, so that messages go to any. */
  #send(message: Members): void {
    this.#window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  readonly #receive = ({ source, data }: WindowMessage): void => {
    // Any window may post a message: only the parent is the host.
    if (source !== this.#window.parent || !isJsonObject(data) || data["jsonrpc"] !== "2.0") return;
    const { id, method, params } = data;
    if (typeof method !== "string") this.#settle(data);
    else if (id === undefined) this.#handlers.notify(method, isJsonObject(params) ? params : {});
    // An id may be 0.
    else void this.#reply(id, method, isJsonObject(params) ? params : {});
  };

  async #reply(id: unknown, method: string, params: Members): Promise<void> {
    const answer = this.#handlers.answer(method, params);
    if (answer === undefined) {
      return this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `The view has no method ${method}` } });
    }
    try {
      this.#send({ id, result: await answer });
    } catch (thrown) {
      this.#send({ id, error: { code: INTERNAL_ERROR, message: "The view has failed; its console has the error" } });
      throw thrown;
    }
  }

  #settle({ id, result, error }: Members): void {
    const pending = this.#pending.get(id as number);
    if (pending === undefined) return;
    if (isJsonObject(result)) return pending.resolve(result);
    const failed = asObject(error);
    pending.reject(toToolError(decodeError(failed, failed["code"] === REFUSED ? 403 : undefined)));
  }
}
