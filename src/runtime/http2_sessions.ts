/**
 * Connections of HTTP/2, and how they end without losing what is under way.
 *
 * @module
 */
import type { Http2Session, Http2Stream } from "node:http2";

/** The connections of a server. */
export class Http2Sessions {
  readonly #streams = new Map<Http2Session, number>();
  #isClosing = false;

  /** Takes note of one. */
  add(session: Http2Session): void {
    this.#streams.set(session, 0);
    session.once("close", () => this.#streams.delete(session));
    if (isDeno) ignoreGoaway(session);
  }

  /** Counts a stream, while it is open. */
  hold(stream: Http2Stream): void {
    const { session } = stream;
    if (session === undefined) return;
    this.#count(session, 1);
    stream.once("close", () => {
      this.#count(session, -1);
      if (this.#isClosing && isDeno) this.#closeIdle(session);
    });
  }

  /** Lets streams end, and then their connections. By themselves these do so after GOAWAY. */
  close(): void {
    this.#isClosing = true;
    for (const session of this.#streams.keys()) {
      if (isDeno) this.#closeIdle(session);
      else session.close();
    }
  }

  #count(session: Http2Session, change: number): void {
    const streams = this.#streams.get(session);
    // Streams may close after their session has.
    if (streams !== undefined) this.#streams.set(session, streams + change);
  }

  #closeIdle(session: Http2Session): void {
    if (this.#streams.get(session) === 0) session.destroy();
  }
}

const isDeno = "Deno" in globalThis;

/**
 * Deno's HTTP/2 aborts the whole process when a session that has served streams says GOAWAY, which it does by `close`, and so in
 * answer to the caller's (an assertion in its nghttp2, seen with Deno 2.9.6). Without it the connection ends when its caller
 * closes it, or by `destroy`; which has to come, or the session is held for ever.
 */
function ignoreGoaway(session: Http2Session): void {
  session.close = () => {};
  session.socket.once("close", () => session.destroy());
}
