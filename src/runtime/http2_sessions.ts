/**
 * HTTP/2 connections, and how to close them without losing calls.
 *
 * @module
 */
import type { Http2Session, Http2Stream } from "node:http2";

/** State of a connection. */
interface Use {
  /** Number of open streams. */
  open: number;
  /** Whether there were any streams. */
  hasServed: boolean;
  /** Whether to close it after its last stream. */
  isClosing: boolean;
}

/** The connections of a server. */
export class Http2Sessions {
  readonly #uses = new Map<Http2Session, Use>();

  /** Adds a connection. */
  add(session: Http2Session): void {
    const use: Use = { open: 0, hasServed: false, isClosing: false };
    this.#uses.set(session, use);
    session.once("close", () => this.#uses.delete(session));
    if (isDeno) ignoreGoaway(session);
    // The event also occurs for a GOAWAY of the client.
    else if (isBun) session.close = () => endAfterStreams(session, use);
  }

  /** Counts a stream while it is open. */
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

  /** Waits for streams to end, then closes their connections. */
  close(): void {
    for (const [session, use] of this.#uses) {
      // Node does this itself.
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
  // Bun would drop unsent data of a reply whose stream has closed. An answered ping means that all data was sent.
  if (isBun && use.hasServed) session.ping(() => session.destroy());
  else session.destroy();
}

/**
 * Deno's HTTP/2 aborts the process if a session that has served streams sends GOAWAY, which `close` does, also in reply
 * to that of the client (an assertion in nghttp2, seen with Deno 2.9.6). Without it the connection ends when the client
 * closes it, or by `destroy`, which must be called or the session stays open.
 */
function ignoreGoaway(session: Http2Session): void {
  session.close = () => {};
  session.socket.once("close", () => session.destroy());
}
