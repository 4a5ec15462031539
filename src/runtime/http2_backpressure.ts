/**
 * Connections of HTTP/2 that are not read, although their streams may be written to: what is written to these waits in the
 * process, without an end, and a caller who allows much and reads nothing brings it to its end. On Deno it waits in the socket.
 * On Bun streams wait by themselves, but learn what the socket takes between turns of the event loop only: a tool that always
 * has more would write all that the window allows, a gigabyte, in one turn, in which nobody else is served either.
 *
 * @module
 */
import type { Http2Session, Http2Stream } from "node:http2";

/** What waits for a connection until it takes more, told what was written; `undefined` where streams do so themselves. */
export function waitForConnection(
  { session }: Http2Stream,
): ((bytes: number) => Promise<void> | undefined) | undefined {
  if (isBun) return turnByTurn();
  return isDeno && session !== undefined ? () => drained(session) : undefined;
}

const isBun = "Bun" in globalThis;
const isDeno = "Deno" in globalThis;
const BYTES_A_TURN = 65_536;

function turnByTurn(): (bytes: number) => Promise<void> | undefined {
  let written = 0;
  return (bytes) => {
    written += bytes;
    if (written < BYTES_A_TURN) return undefined;
    written = 0;
    return new Promise((resolve) => setImmediate(resolve));
  };
}

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
