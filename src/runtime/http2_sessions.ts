/**
 * Connections of HTTP/2, and how they end without losing what is under way.
 *
 * @module
 */
import type { Http2Session, Http2Stream } from "node:http2";

/** What is known of a connection. */
interface Use {
  /** How many streams are open. */
  open: number;
  /** Whether there were any. */
  hasServed: boolean;
}

/** The connections of a server. */
export class Http2Sessions {
  readonly #uses = new Map<Http2Session, Use>();
  #isClosing = false;

  /** Takes note of one. */
  add(session: Http2Session): void {
    this.#uses.set(session, { open: 0, hasServed: false });
    session.once("close", () => this.#uses.delete(session));
    if (isDeno) ignoreGoaway(session);
  }

  /** Counts a stream, while it is open. */
  hold(stream: Http2Stream): void {
    const { session } = stream;
    const use = session && this.#uses.get(session);
    if (session === undefined || use === undefined) return;
    use.open++;
    use.hasServed = true;
    stream.once("close", () => {
      use.open--;
      if (this.#isClosing && !endsByItself && use.open === 0) end(session, use);
    });
  }

  /** Lets streams end, and then their connections: before the server is closed, which would close these. */
  close(): void {
    this.#isClosing = true;
    for (const [session, use] of this.#uses) {
      if (isBun && use.hasServed) session.close = () => {};
      if (endsByItself) session.close();
      else if (use.open === 0) end(session, use);
    }
  }
}

const isDeno = "Deno" in globalThis;
const isBun = "Bun" in globalThis;

/** Whether a session that is closed ends well after its last stream: on Node. */
const endsByItself = !isDeno && !isBun;

/** Ends a connection on which nothing is under way. */
function end(session: Http2Session, { hasServed }: Use): void {
  if (session.destroyed) return;
  if (isDeno) session.destroy();
  // Bun drops what it has not sent yet, of an answer whose stream has closed; behind an answered ping nothing is left of it.
  else if (hasServed) session.ping(() => session.destroy());
  else session.close();
}

/**
 * Deno's HTTP/2 aborts the whole process when a session that has served streams says GOAWAY, which it does by `close`, and so in
 * answer to the caller's (an assertion in its nghttp2, seen with Deno 2.9.6). Without it the connection ends when its caller
 * closes it, or by `destroy`; which has to come, or the session is held for ever.
 */
function ignoreGoaway(session: Http2Session): void {
  session.close = () => {};
  session.socket.once("close", () => session.destroy());
}
