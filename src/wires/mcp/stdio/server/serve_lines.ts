/**
 * Serves a duplex wire over two pipes, with one message a line. Independent of the process that has the pipes.
 *
 * @module
 */
import type { Principal, RequestHost } from "../../../../core/call/call.ts";
import { CleanUp } from "../../../../internal/clean_up.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { DuplexWire, MessageConnection, WireHost } from "../../../wire.ts";
import { LineSplitter, type RefusedLine } from "./lines.ts";

/** Two pipes with one client. */
interface Pipes {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes a line. A returned promise resolves when the pipe has room for the next one. */
  write(line: string): MaybePromise<void>;
  /** Time that running calls have to finish after the input has ended, in milliseconds. */
  readonly graceMs: number;
  /** The caller at the other end. Default: an anonymous one. */
  readonly principal?: Principal | undefined;
}

/** The host of calls over pipes: the caller is at the input and output of this process. */
const OWN_PROCESS: RequestHost = { isOfProcess: true, env: undefined, waitUntil() {} };

/**
 * Serves a duplex wire over two pipes, with one message a line, until the input has ended and every request was answered. Calls that
 * still run after `graceMs` are aborted.
 *
 * @throws {TypeError} If a tool violates the rules of the wire.
 */
export async function serveLines(wire: DuplexWire, host: WireHost, pipes: Pipes): Promise<void> {
  const { input, write, graceMs, principal } = pipes;
  const mounted = wire.mount(host);
  const ended = new AbortController();
  let receive: Parameters<MessageConnection["onMessage"]>[0] = () => {};
  let close: () => void = () => {};
  let full: Promise<void> | undefined;
  const served = mounted.connect({
    principal,
    host: OWN_PROCESS,
    signal: ended.signal,
    send(line) {
      const written = write(line);
      if (written !== undefined) full = written;
      return written;
    },
    onMessage(listener) {
      receive = listener;
    },
    onClose(listener) {
      close = listener;
    },
  });
  const deliver = (line: string | RefusedLine): void => {
    if (typeof line === "string") return receive(line);
    const { start, ...error } = line;
    receive(error, start);
  };
  const lines = new LineSplitter(host.limits.bodyBytes);
  const reading = new CleanUp();
  await reading.wait(async () => {
    for await (const bytes of input) {
      for (const line of lines.push(bytes)) {
        // A host that does not read causes no further answers, and its input waits in the pipe.
        for (let wait = full; wait !== undefined; wait = full) {
          full = undefined;
          await wait;
        }
        deliver(line);
      }
    }
    const last = lines.end();
    if (last !== undefined) deliver(last);
  });
  // Also after the pipe broke: calls under way end.
  const cancel = host.clock.after(graceMs, () => ended.abort());
  reading.try(close);
  await reading.wait(() => served);
  cancel();
  reading.finish("Cannot serve the pipes to their end");
}
