/** gRPC-Web in binary: the messages of proto/mcplite.proto that a call needs, their frames, and bytes as text. */
import type { Json } from "./json_schema.ts";

/** Whole frames of a part of a body. */
export interface GrpcWebBody {
  /** Responses, with names in JSON form. */
  readonly messages: readonly Members[];
  /** Status and message of the last frame; absent before it has come. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** The bytes after them. */
  readonly rest: Uint8Array<ArrayBuffer>;
}

type Members = Readonly<Record<string, unknown>>;

const utf8 = new TextEncoder();
const text = new TextDecoder();

export function joinBytes(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

function member(number: number, bytes: Uint8Array): Uint8Array {
  return joinBytes([number * 8 + 2], varint(bytes.length), bytes);
}

/** `google.protobuf.Value`. */
function encodeValue(value: Json): Uint8Array {
  if (value === null) return joinBytes([8, 0]);
  if (typeof value === "boolean") return joinBytes([32, Number(value)]);
  if (typeof value === "string") return member(3, utf8.encode(value));
  if (Array.isArray(value)) return member(6, joinBytes(...value.map((item) => member(1, encodeValue(item)))));
  if (typeof value === "object") return member(5, encodeStruct(value as Record<string, Json>));
  const double = new DataView(new ArrayBuffer(8));
  double.setFloat64(0, value, true);
  return joinBytes([17], new Uint8Array(double.buffer));
}

function encodeStruct(members: Readonly<Record<string, Json>>): Uint8Array {
  const entries = Object.entries(members).map(([name, value]) =>
    member(1, joinBytes(member(1, utf8.encode(name)), member(2, encodeValue(value))))
  );
  return joinBytes(...entries);
}

/** The frame of a `ToolRequest`. */
export function encodeToolRequest(name: string, args: Json, meta?: Json): Uint8Array<ArrayBuffer> {
  const message = joinBytes(
    member(1, utf8.encode(name)),
    member(2, encodeStruct(args as Record<string, Json>)),
    meta === undefined ? [] : member(3, encodeStruct(meta as Record<string, Json>)),
  );
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, message.length);
  return joinBytes([0], new Uint8Array(length.buffer), message);
}

/** Reads the value of a field from the bytes of a message. */
type Read = (bytes: Uint8Array, number: number) => unknown;

/** Fields of a message in order: number, and number, bytes or double. */
function fieldsOf(bytes: Uint8Array): readonly (readonly [number: number, value: Uint8Array | number])[] {
  const fields: [number, Uint8Array | number][] = [];
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const kind = tag & 7;
    const length = kind === 0 ? 0 : kind === 1 ? 8 : kind === 5 ? 4 : readVarint();
    const value = kind === 0 ? readVarint() : bytes.subarray(at, at += length);
    fields.push([Math.floor(tag / 8), value]);
  }
  return fields;
}

const string: Read = (bytes) => text.decode(bytes);
const number: Read = (_, value) => value;

function decodeStruct(bytes: Uint8Array): unknown {
  return Object.fromEntries(
    fieldsOf(bytes).map(([, entry]) => {
      const { key = "", value } = decode({ 1: ["key", string], 2: ["value", decodeValue] }, entry as Uint8Array);
      return [key, value];
    }),
  );
}

function decodeValue(bytes: Uint8Array): unknown {
  const [[kind, value] = [1, 0]] = fieldsOf(bytes);
  if (typeof value === "number") return kind === 4 ? value === 1 : null;
  if (kind === 2) return new DataView(value.buffer, value.byteOffset).getFloat64(0, true);
  if (kind === 3) return text.decode(value);
  return kind === 5 ? decodeStruct(value) : fieldsOf(value).map(([, item]) => decodeValue(item as Uint8Array));
}

function decode(table: Readonly<Record<number, readonly [string, Read]>>, bytes: Uint8Array): Members {
  return Object.fromEntries(
    fieldsOf(bytes).flatMap(([at, value]) => {
      const [name, read] = table[at] ?? [];
      if (name === undefined || read === undefined) return [];
      return [[name, typeof value === "number" ? read(bytes, value) : read(value, 0)]];
    }),
  );
}

/** `ResponseType`. */
const TYPES = ["answer", "promise", "elicitation", "failure", "request-for-more-resource"];

const META = {
  1: ["responseType", (_: Uint8Array, type: number) => TYPES[type]],
  2: ["promiseToken", string],
  7: ["retryAfterMs", number],
  8: ["progress", decodeStruct],
  9: ["continuation", string],
  10: ["requests", decodeStruct],
  11: ["context", string],
  13: ["extra", decodeStruct],
} as const;

const RESPONSE = { 1: ["result", decodeStruct], 2: ["meta", (bytes: Uint8Array) => decode(META, bytes)] } as const;

/** Decodes the whole frames of a part of a body. */
export function decodeGrpcWeb(bytes: Uint8Array<ArrayBuffer>): GrpcWebBody {
  const messages: Members[] = [];
  let at = 0;
  while (at + 5 <= bytes.length) {
    const end = at + 5 + new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(1);
    if (end > bytes.length) break;
    const frame = bytes.subarray(at + 5, end);
    if ((bytes[at] ?? 0) >= 128) {
      return { messages, trailers: parseTrailers(text.decode(frame)), rest: bytes.subarray(end) };
    }
    messages.push(decode(RESPONSE, frame));
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

function parseTrailers(lines: string): Readonly<Record<string, string>> {
  const pairs = lines.split("\r\n").filter((line) => line !== "").map((line) => /^([^:]*):\s*(.*)$/.exec(line) ?? []);
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name.toLowerCase(), decodeText(value)]));
}

/** Messages are percent-encoded. */
export function decodeText(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Rows of 8 bytes: offset, hexadecimal, and the printable characters. @param length Bytes in all. */
export function hexDump(bytes: Uint8Array, length: number = bytes.length): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 8) {
    const row = [...bytes.subarray(at, at + 8)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const shown = row.map((byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
    rows.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(23)}  ${shown}`);
  }
  if (length > bytes.length) rows.push(`${length - bytes.length} more bytes`);
  return rows.join("\n");
}
