/**
 * Writes zip archives. Equal files make equal bytes: the times are fixed, and the order is that of the names.
 *
 * Not by a library: `./packaging` is an entry, so that its package would be installed with the SDK, and the smallest that fits, `fflate`,
 * would take the installation over 10 MB. The platform compresses, and what remains are the headers.
 */
import { deflateRawSync } from "node:zlib";

/** A file to store in an archive: its path and its bytes, not yet compressed. */
export interface ZipFile {
  /** Path with slashes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const VERSION = 20;
const UTF8_NAMES = 1 << 11;
const DEFLATED = 8;
/** 1980-01-01, the first day of the format. */
const DATE = (1 << 5) | 1;
/** A regular file, `rw-r--r--`, of a Unix system. */
const MADE_BY = (3 << 8) | VERSION;
const ATTRIBUTES = 0o100644 * 2 ** 16;

/** Returns a zip archive of the files, each compressed. */
export function writeZip(files: readonly ZipFile[]): Uint8Array<ArrayBuffer> {
  const sorted = [...files].sort((one, other) => (one.name < other.name ? -1 : 1));
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of sorted) {
    const data = deflateRawSync(bytes, { level: 9 });
    const encoded = new TextEncoder().encode(name);
    const common = [VERSION, UTF8_NAMES, DEFLATED, 0, DATE];
    const sizes = [crc32(bytes), data.byteLength, bytes.byteLength];
    const local = record([[LOCAL_HEADER], common, sizes, [encoded.byteLength, 0]], [4, 2, 4, 2]);
    directory.push(
      record([[CENTRAL_HEADER], [MADE_BY, ...common], sizes, [encoded.byteLength, 0, 0, 0, 0], [ATTRIBUTES, offset]], [
        4,
        2,
        4,
        2,
        4,
      ]),
      encoded,
    );
    parts.push(local, encoded, data);
    offset += local.byteLength + encoded.byteLength + data.byteLength;
  }
  const length = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const end = record([[END_RECORD], [0, 0, sorted.length, sorted.length], [length, offset], [0]], [4, 2, 4, 2]);
  return join([...parts, ...directory, end]);
}

/** Little-endian numbers, in groups of one size in bytes. */
function record(groups: readonly (readonly number[])[], sizes: readonly number[]): Uint8Array {
  const length = groups.reduce((sum, group, at) => sum + group.length * (sizes[at] ?? 0), 0);
  const view = new DataView(new ArrayBuffer(length));
  let at = 0;
  for (const [index, group] of groups.entries()) {
    for (const value of group) {
      if (sizes[index] === 2) view.setUint16(at, value, true);
      else view.setUint32(at, value, true);
      at += sizes[index] ?? 0;
    }
  }
  return new Uint8Array(view.buffer);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** `crc32` of `node:zlib` is not in every Node 22. Without a table: bundles are small. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
