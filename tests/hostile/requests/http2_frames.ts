/**
 * HTTP/2, frame by frame: for what no client library would send.
 *
 * Source: {@link https://www.rfc-editor.org/rfc/rfc9113 | RFC 9113}, and RFC 7541 for headers, of which only the plainest form is used.
 */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

/** How every connection begins. */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Types of frames. */
export const Type = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

/** Flags of frames. */
export const Flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** One frame. */
export interface Http2Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Writes a frame. */
export function http2Frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Settings, by their numbers. */
export function settings(values: Readonly<Record<number, number>> = {}): Buffer {
  const payload = Object.entries(values).map(([id, value]) => {
    const setting = Buffer.alloc(6);
    setting.writeUInt16BE(Number(id), 0);
    setting.writeUInt32BE(value, 2);
    return setting;
  });
  return http2Frame(Type.settings, 0, 0, Buffer.concat(payload));
}

/** Four bytes. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** Headers, each spelled out. */
export function headerBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length, 127), bytes]);
}

/** A number behind a prefix of bits that are all zero. */
function integer(value: number, max: number): Buffer {
  if (value < max) return Buffer.from([value]);
  const bytes = [max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** The headers of a gRPC call. */
export function grpcHeaders(path: string, extra: readonly (readonly [string, string])[] = []): Buffer {
  return headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "localhost"],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
    ...extra,
  ]);
}

/** Opens a stream. */
export function openStream(stream: number, block: Uint8Array, flags = 0): Buffer {
  return http2Frame(Type.headers, Flag.endHeaders | flags, stream, block);
}

/** A connection, and what came over it. */
export class RawConnection implements Disposable {
  /** What came, in order. */
  readonly frames: Http2Frame[] = [];
  /** Resolves when the connection is closed. */
  readonly gone: Promise<void>;
  readonly socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  readonly #watchers = new Set<() => void>();
  #isGone = false;

  /** Connects to where a URL points. */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.setNoDelay(true);
    this.socket.on("error", () => {});
    this.socket.on("data", (piece: Buffer) => this.#take(piece));
    this.gone = new Promise((resolve) =>
      this.socket.once("close", () => {
        this.#isGone = true;
        this.#watchers.forEach((look) => look());
        resolve();
      })
    );
  }

  /** Sends the preface of HTTP/2. */
  begin(values: Readonly<Record<number, number>> = {}): this {
    return this.send(PREFACE, settings(values), http2Frame(Type.settings, Flag.ack, 0));
  }

  /** Sends pieces, in one write. */
  send(...pieces: readonly Uint8Array[]): this {
    this.socket.write(Buffer.concat(pieces));
    return this;
  }

  /** Resolves when a frame came that is looked for, or with `undefined` when none can come, or none did in time. */
  async came(isIt: (frame: Http2Frame) => boolean, withinMs = 3_000): Promise<Http2Frame | undefined> {
    return await new Promise((resolve) => {
      const stop = (frame: Http2Frame | undefined) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(frame);
      };
      const timer = setTimeout(() => stop(undefined), withinMs);
      const look = () => {
        const found = this.frames.find(isIt);
        if (found !== undefined || this.#isGone) stop(found);
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Resolves when a stream has ended, well or not. */
  async ended(stream: number, withinMs?: number): Promise<Http2Frame | undefined> {
    return await this.came((frame) => frame.stream === stream && isLast(frame), withinMs);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #take(piece: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) break;
      const [type, flags] = [this.#rest.readUInt8(3), this.#rest.readUInt8(4)];
      const stream = this.#rest.readUInt32BE(5) & 0x7fff_ffff;
      const payload = this.#rest.subarray(9, end);
      this.frames.push({ type, flags, stream, payload });
      if (type === Type.ping && (flags & Flag.ack) === 0) this.send(http2Frame(Type.ping, Flag.ack, 0, payload));
      this.#rest = this.#rest.subarray(end);
    }
    this.#watchers.forEach((look) => look());
  }
}

function isLast({ type, flags }: Http2Frame): boolean {
  return type === Type.reset || ((type === Type.data || type === Type.headers) && (flags & Flag.endStream) !== 0);
}
