/**
 * Connections of HTTP/2 that are not read, although their streams may be written to: on Deno what is written to these waits in
 * the socket, without an end, and a caller who allows much and reads nothing brings the process to its end.
 *
 * @module
 */
import type { Http2Session, Http2Stream } from "node:http2";

/** What waits for a connection until it takes more; `undefined` where streams do so themselves. */
export function waitForConnection({ session }: Http2Stream): (() => Promise<void> | undefined) | undefined {
  return isDeno && session !== undefined ? () => drained(session) : undefined;
}

const isDeno = "Deno" in globalThis;

/** All streams of a connection share one promise. */
const waits = new WeakMap<Http2Session, Promise<void>>();

function drained(session: Http2Session): Promise<void> | undefined {
  // Its socket may not be looked at once it has ended.
  if (session.destroyed || !session.socket.writableNeedDrain) return undefined;
  const waiting = waits.get(session);
  if (waiting !== undefined) return waiting;
  const wait = new Promise<void>((resolve) => {
    const go = () => {
      session.off("close", go);
      waits.delete(session);
      resolve();
    };
    session.socket.once("drain", go);
    session.once("close", go);
  });
  waits.set(session, wait);
  return wait;
}
