/**
 * What a hostile caller may do to connections of HTTP/2. Each breaks its own connections, and must break nothing else.
 */
import { Buffer } from "node:buffer";
import { delay } from "../../serve/client.ts";
import {
  Flag,
  grpcHeaders,
  headerBlock,
  http2Frame,
  openStream,
  PREFACE,
  RawConnection,
  settings,
  Type,
  uint32,
} from "./http2_frames.ts";

const CALL = "/mcplite.MCPLite/CallTool";

const STREAM = "/mcplite.MCPLite/CallToolStream";
const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const WATCH = "/grpc.health.v1.Health/Watch";
/** The code of a reset by a caller that wants no answer any more. */
export const CANCEL = 8;

const LIST_SERVICES = Buffer.from([0, 0, 0, 0, 2, 0x3a, 0]);

/** A message in its envelope: a tool's name, nothing else. */
function request(tool: string): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 0, tool.length + 2, 0x0a, tool.length]), Buffer.from(tool)]);
}

/** A whole call. */
export function callFrames(stream: number, path: string = CALL, body: Uint8Array = request("echo")): Buffer {
  return Buffer.concat([openStream(stream, grpcHeaders(path)), http2Frame(Type.data, Flag.endStream, stream, body)]);
}

/** Resets a stream. */
export function reset(stream: number, code: number = CANCEL): Buffer {
  return http2Frame(Type.reset, 0, stream, uint32(code));
}

/** Says that no more streams come. */
export function goaway(last: number, code: number): Buffer {
  return http2Frame(Type.goaway, 0, 0, Buffer.concat([uint32(last), uint32(code)]));
}

/** A whole call of a tool, streamed or by another path. */
export function streamFrames(stream: number, tool: string, path: string = STREAM): Buffer {
  return callFrames(stream, path, request(tool));
}

/** Streams of the first so many numbers that callers may use. */
function streams(count: number): number[] {
  return Array.from({ length: count }, (_, at) => 1 + 2 * at);
}

/** A connection on which calls were served. */
async function served(url: string, count = 5): Promise<RawConnection> {
  const connection = new RawConnection(url).begin();
  connection.send(...streams(count).map((stream) => callFrames(stream)));
  await connection.ended(2 * count - 1);
  return connection;
}

/** Whether a server answers. */
export async function answers(url: string): Promise<boolean> {
  using connection = new RawConnection(url).begin().send(callFrames(1));
  const last = await connection.ended(1, 5_000);
  return last !== undefined && last.type !== Type.reset;
}

/** Sends, gives the server a moment, and cuts the connection. */
async function sendAndCut(connection: RawConnection, pieces: readonly Uint8Array[], momentMs = 8): Promise<void> {
  connection.send(...pieces);
  await delay(momentMs);
  connection.socket.destroy();
}

type Attack = (url: string) => Promise<void>;

/** On a connection that has sent no more than its preface. */
const fresh = (pieces: readonly Uint8Array[], momentMs?: number): Attack => (url) =>
  sendAndCut(new RawConnection(url).begin(), pieces, momentMs);

/** On a connection that has served calls. */
const late = (pieces: readonly Uint8Array[], momentMs?: number): Attack => async (url) =>
  sendAndCut(await served(url), pieces, momentMs);

/** On a connection that says what it likes from its first byte. */
const raw = (...pieces: readonly Uint8Array[]): Attack => (url) => sendAndCut(new RawConnection(url), pieces);

const all = (...attacks: readonly Attack[]): Attack => async (url) => {
  for (const attack of attacks) await attack(url);
};

const together = async (count: number, attack: () => Promise<void>): Promise<void> => {
  await Promise.all(Array.from({ length: count }, attack));
};

const repeat = (count: number, piece: Uint8Array): Buffer => Buffer.concat(Array(count).fill(piece));

const open = openStream(1, grpcHeaders(CALL));
const garbage = Buffer.alloc(500, 0xff);
const BASE = [[":method", "POST"], [":scheme", "http"], [":path", CALL], [":authority", "localhost"]] as const;

/** Headers that are wrong. */
const WRONG_HEADERS: readonly (readonly (readonly [string, string])[])[] = [
  ...BASE.map((left) => BASE.filter((one) => one !== left)),
  ...BASE.map((twice) => [...BASE, twice]),
  [...BASE, [":unknown", "1"]],
  [...BASE, ["UPPER", "1"]],
  [...BASE, ["", "x"]],
  [...BASE, ["a b", "x"]],
  [...BASE, ["x", "a\r\nb: c"]],
  [...BASE, ["x", "a\0b"]],
  [...BASE, ["connection", "close"]],
  [...BASE, ["transfer-encoding", "chunked"]],
  [...BASE, ["te", "gzip"]],
  ...["-1", "abc", "99999999999999999999", "5"].map((length) => [...BASE, ["content-length", length] as const]),
  [...BASE, ["content-length", "5"], ["content-length", "6"]],
  [...BASE, ["host", "a"], ["host", "b"]],
  [...BASE, ["__proto__", "x"], ["constructor", "x"]],
  [...BASE, ["set-cookie", "a"], ["set-cookie", "b"], ["cookie", "a"], ["cookie", "b"]],
  [...BASE, ["expect", "100-continue"]],
  [[":method", "CONNECT"], [":authority", "x:1"]],
  [[":method", "CONNECT"], [":protocol", "websocket"], [":scheme", "http"], [":path", "/"], [":authority", "x"]],
  [[":method", ""], [":scheme", ""], [":path", ""], [":authority", ""]],
  [[":method", "HEAD"], ...BASE.slice(1)],
  [[":method", "OPTIONS"], ...BASE.slice(1), ["origin", "http://localhost"]],
];

/** An entry of 3,900 bytes in the table of headers; named by one byte, as often as one likes. */
const TABLE_ENTRY = Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0xbd, 0x1d]), Buffer.alloc(3_900, 0x62)]);
const TABLE_BOMB = Buffer.concat([grpcHeaders(CALL), Buffer.alloc(15_500, 0xbe)]);

const WRONG_BLOCKS = [
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x80],
  [0xfe],
  [0x3f, 0xff, 0xff, 0xff, 0x7f],
  [0, 0x85, 0xff, 0xff, 0xff, 0xff, 0xff, 0],
  [0x40, 0x7f, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [],
].map((bytes) => openStream(21, Buffer.from(bytes)));

const WRONG_SETTINGS: readonly Readonly<Record<number, number>>[] = [
  { 1: 0 },
  { 1: 0xffff_ffff },
  { 2: 7 },
  { 3: 0 },
  { 4: 0 },
  { 4: 0xffff_ffff },
  { 5: 1 },
  { 5: 0xffff_ffff },
  { 6: 0 },
  { 99: 5 },
];

/** A stream of events by MCP-lite, for the same streams carry it. */
const SSE = Buffer.concat([
  openStream(
    1,
    headerBlock([
      [":method", "POST"],
      [":scheme", "http"],
      [":path", "/mcp-lite/v1/calltools"],
      [":authority", "localhost"],
      ["content-type", "application/json"],
      ["accept", "text/event-stream"],
    ]),
  ),
  http2Frame(
    Type.data,
    Flag.endStream,
    1,
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drip"}}'),
  ),
]);

/** Attacks, by their names. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  "GOAWAY of any code after streams": all(
    ...[0, 1, 2, 7, 11, 13, 0xffff_ffff].map((code) => late([goaway(0, code)], 4)),
    late([goaway(9, 0)]),
    late([goaway(0x7fff_ffff, 0), callFrames(101)]),
  ),
  // An assertion fails in Deno's nghttp2, now and then, where its session is let say GOAWAY to these.
  "GOAWAY, and gone, on many connections at once": async (url) => {
    for (let times = 0; times < 25; times++) {
      await together(20, async () => {
        const connection = await served(url, 15);
        connection.send(goaway(0, 0));
        if (times % 2 === 0) connection.socket.resetAndDestroy();
        else connection.socket.destroy();
      });
    }
  },
  "GOAWAY with streams under way": fresh([
    ...streams(5).map((stream) => streamFrames(stream, "drip")),
    goaway(0, 0),
  ], 120),
  "a connection that ends after streams": async (url) => {
    const connection = await served(url);
    connection.socket.end();
    await delay(8);
    connection.socket.destroy();
  },
  "a connection that is reset after streams": async (url) => {
    (await served(url)).socket.resetAndDestroy();
  },
  "a connection cut with calls under way": all(
    ...[0, 1, 3].map((momentMs) => fresh(streams(50).map((stream) => callFrames(stream)), momentMs)),
  ),
  "a connection cut with streams under way": fresh(
    streams(10).map((stream) => streamFrames(stream, "drip")),
    120,
  ),
  "a connection cut in a flood of answers": fresh(
    streams(3).map((stream) => streamFrames(stream, "flood")),
    40,
  ),
  "streams that are reset at once": fresh(
    streams(300).map((stream) => Buffer.concat([openStream(stream, grpcHeaders(CALL)), reset(stream)])),
    20,
  ),
  "calls that are reset at once, by any code": fresh(
    streams(300).map((stream) => Buffer.concat([callFrames(stream), reset(stream, stream % 14)])),
    20,
  ),
  "streams that are reset under way": async (url) => {
    using connection = new RawConnection(url).begin();
    connection.send(
      ...streams(8).map((stream) => streamFrames(stream, stream % 4 === 1 ? "drip" : "flood")),
      ...streams(40).slice(8, 24).map((stream) => callFrames(stream, WATCH, Buffer.alloc(5))),
      ...streams(40).slice(24).map((stream) =>
        Buffer.concat([openStream(stream, grpcHeaders(REFLECT)), http2Frame(Type.data, 0, stream, LIST_SERVICES)])
      ),
    );
    await delay(60);
    connection.send(...streams(40).map((stream) => reset(stream)));
    await delay(20);
  },
  "events of MCP-lite, reset and cut": async (url) => {
    await fresh([SSE], 80)(url);
    using connection = new RawConnection(url).begin().send(SSE);
    await delay(80);
    connection.send(reset(1));
    await delay(20);
  },
  "garbage before the preface": all(raw(garbage), raw(Buffer.from("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"), garbage)),
  "garbage after the preface": all(raw(PREFACE, garbage), raw(PREFACE, settings(), garbage), late([garbage])),
  "HTTP/1.1": raw(Buffer.from("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")),
  "halves": all(
    raw(PREFACE.subarray(0, 10)),
    raw(PREFACE),
    fresh([http2Frame(Type.headers, 0, 1, grpcHeaders(CALL).subarray(0, 20))]),
    fresh([open]),
    fresh([open, http2Frame(Type.data, 0, 1, request("echo").subarray(0, 7))]),
    fresh([http2Frame(Type.headers, 0, 1, grpcHeaders(CALL).subarray(0, 20)), callFrames(3)]),
  ),
  "settings, thousands": fresh([repeat(5_000, settings({ 3: 100 }))], 30),
  "settings that are wrong": all(
    ...WRONG_SETTINGS.map((values) => fresh([settings(values), callFrames(1)])),
    ...[[0, 0, 5], [1, 0, 6], [0, 3, 6]].map(([flags = 0, stream = 0, length = 0]) =>
      fresh([http2Frame(Type.settings, flags, stream, Buffer.alloc(length))], 3)
    ),
  ),
  "pings, thousands, whose answers nobody reads": async (url) => {
    using connection = new RawConnection(url).begin();
    connection.socket.pause();
    connection.send(repeat(20_000, http2Frame(Type.ping, 0, 0, Buffer.alloc(8))));
    await delay(40);
  },
  "windows that overflow, or are of nothing": all(
    ...[0, 1].flatMap((stream) => [
      fresh([open, repeat(2, http2Frame(Type.window, 0, stream, uint32(0x7fff_ffff)))], 3),
      fresh([open, http2Frame(Type.window, 0, stream, uint32(0))], 3),
    ]),
    fresh([http2Frame(Type.window, 0, 99, uint32(9))], 3),
    fresh([openStream(1, grpcHeaders(WATCH)), repeat(100, http2Frame(Type.data, 0, 1, Buffer.alloc(16_384)))], 20),
  ),
  "streams of wrong numbers": all(
    ...[[callFrames(2)], [callFrames(0)], [callFrames(9), callFrames(3)], [callFrames(1), callFrames(1)], [open, open]]
      .map((pieces) => fresh(pieces)),
    late([callFrames(1)]),
    late([http2Frame(Type.data, Flag.endStream, 1, garbage)]),
  ),
  "headers that are wrong": all(
    ...WRONG_HEADERS.map((headers) =>
      fresh([openStream(1, headerBlock(headers)), http2Frame(Type.data, Flag.endStream, 1, request("echo"))], 3)
    ),
    fresh([open, openStream(1, headerBlock([[":path", "/"]]), Flag.endStream)]),
    ...WRONG_BLOCKS.flatMap((block) => [fresh([block], 3), late([block], 3)]),
  ),
  "headers without an end": all(
    fresh([http2Frame(Type.headers, 0, 1, grpcHeaders(CALL)), repeat(10_000, http2Frame(Type.continuation, 0, 1))], 20),
    fresh([
      http2Frame(Type.headers, 0, 1, grpcHeaders(CALL)),
      repeat(300, http2Frame(Type.continuation, 0, 1, headerBlock([["x", "v".repeat(8_000)]]))),
    ], 20),
  ),
  "headers that unpack to megabytes": async (url) => {
    using connection = new RawConnection(url).begin();
    connection.send(openStream(1, Buffer.concat([grpcHeaders(CALL), TABLE_ENTRY])));
    connection.send(...streams(20).slice(1).map((stream) => openStream(stream, TABLE_BOMB)));
    await delay(30);
  },
  "data of nothing, thousands": fresh([open, repeat(10_000, http2Frame(Type.data, 0, 1))], 20),
  "frames of wrong sizes": all(
    fresh([http2Frame(Type.headers, Flag.endHeaders | Flag.padded, 1, Buffer.concat([Buffer.from([255]), garbage]))]),
    fresh([open, http2Frame(Type.data, Flag.padded, 1, Buffer.from([200, 1, 2]))]),
    fresh([open, http2Frame(Type.data, Flag.padded, 1)]),
    fresh([open, http2Frame(Type.data, 0, 1, Buffer.alloc(20_000))]),
    fresh([open, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]), Buffer.alloc(50_000)]),
    ...[Type.priority, Type.reset, Type.ping, Type.goaway, Type.window].flatMap((type) => [
      fresh([open, http2Frame(type, 0, 1, Buffer.alloc(3))], 3),
      fresh([http2Frame(type, 0, 0, Buffer.alloc(4))], 3),
    ]),
  ),
  "frames that servers do not get": all(
    fresh([callFrames(1), http2Frame(Type.push, Flag.endHeaders, 1, Buffer.concat([uint32(2), grpcHeaders(CALL)]))]),
    fresh([...Array.from({ length: 30 }, (_, at) => http2Frame(10 + at, 255, at % 3, Buffer.alloc(at * 10)))]),
    fresh([
      ...streams(1_000).map((stream) => http2Frame(Type.priority, 0, stream, Buffer.from([0, 0, 0, 1, 255]))),
    ]),
  ),
  "answers that nobody reads": async (url) => {
    using connection = new RawConnection(url).begin({ 4: 0 });
    connection.send(...streams(50).map((stream) => callFrames(stream)));
    await delay(20);
    connection.send(settings({ 4: 10 }), ...streams(25).map((stream) => reset(stream)));
    await delay(20);
  },
  "more streams than are allowed": fresh(
    streams(1_500).map((stream) => openStream(stream, grpcHeaders(CALL))),
    60,
  ),
};
