/** Sends the reply of a wire. A wire that throws, or gives no reply that can be sent, costs its own request only. */
import type { Dispatch } from "../core/dispatch/dispatcher.ts";
import type { Receiver } from "../internal/future.ts";
import { errorReply } from "../wires/framing/json_rpc/reply.ts";
import type { Head, Reply } from "../wires/wire.ts";

/** The reply to a request whose wire broke, with status 500; the log has the error. Never throws. */
export function brokenReply(dispatch: Pick<Dispatch, "mask">, thrown: unknown, path: string): Reply {
  return errorReply(null, dispatch.mask(thrown, { during: "reply", path }));
}

/** Receives the reply to one request, and sends it. Neither method throws: an exception would end the process on some runtimes. */
export abstract class ReplySender implements Receiver<Reply> {
  readonly #dispatch: Dispatch;
  readonly #head: Head;

  /** @param head The request. */
  constructor(dispatch: Dispatch, head: Head) {
    this.#dispatch = dispatch;
    this.#head = head;
  }

  receive(reply: Reply): void {
    try {
      this.#dispatch.observer?.reply(this.#head, reply.status);
      this.send(reply);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  fail(thrown: unknown): void {
    const reply = brokenReply(this.#dispatch, thrown, this.#head.path);
    try {
      this.send(reply);
    } catch {
      // A part of the broken reply may have been sent.
      this.abandon();
    }
  }

  /** Sends a reply. May throw. */
  protected abstract send(reply: Reply): void;

  /** Ends a request that cannot be answered. */
  protected abstract abandon(): void;
}
