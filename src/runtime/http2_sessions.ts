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
  /** Whether it ends after its last stream. */
  isClosing: boolean;
}

/** The connections of a server. */
export class Http2Sessions {
  readonly #uses = new Map<Http2Session, Use>();

  /** Takes note of one. */
  add(session: Http2Session): void {
    const use: Use = { open: 0, hasServed: false, isClosing: false };
    this.#uses.set(session, use);
    session.once("close", () => this.#uses.delete(session));
    if (isDeno) ignoreGoaway(session);
    // It is called for the caller's GOAWAY, too.
    else if (isBun) session.close = () => endAfterStreams(session, use);
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
      if (use.isClosing) endAfterStreams(session, use);
    });
  }

  /** Lets streams end, and then their connections. */
  close(): void {
    for (const [session, use] of this.#uses) {
      // On Node these do so by themselves.
      if (isDeno || isBun) endAfterStreams(session, use);
      else session.close();
    }
  }
}

const isDeno = "Deno" in globalThis;
const isBun = "Bun" in globalThis;

function endAfterStreams(session: Http2Session, use: Use): void {
  use.isClosing = true;
  if (use.open > 0 || session.destroyed) return;
  // Bun would drop what it has not sent yet of an answer whose stream has closed. Behind an answered ping nothing is left.
  if (isBun && use.hasServed) session.ping(() => session.destroy());
  else session.destroy();
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
