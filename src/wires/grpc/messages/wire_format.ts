/**
 * Protobuf's wire format: varints, doubles, strings and lengths. Independent of any message.
 *
 * Callers write tags in octal: the last digit is the wire type (0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes), the
 * digits before it are the field number.
 * Source: {@link https://protobuf.dev/programming-guides/encoding/ | Protobuf encoding}.
 */
import { errorResult, toToolError } from "../../../core/call/outcome.ts";
import type { ToolError } from "../../../core/errors/tool_error.ts";

/** Maximum length of a string that is read and written by character. Measured: above it, `TextDecoder` and `TextEncoder` are faster. */
const MAX_SHORT = 32;
const ASCII_END = 0x80;
/** A tag has at most 32 bits, which take five bytes. */
const MAX_TAG = 2 ** 32 - 1;
const MAX_TAG_BYTES = 5;

/**
 * Cache of short keys by their hash, one key a slot. Creating the strings again takes half of the time of a read (measured on
 * Bun with 2 kB of arguments).
 */
const CACHE_SLOTS = 256;
const MAX_CACHED = 24;
const KEY_CACHE: string[] = Array.from({ length: CACHE_SLOTS }, () => "");

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Reads wire format forward. Each method reads one item, which must not extend beyond `end`; otherwise it throws a {@link ToolError}. */
export class BinaryReader {
  /** Start of the next item. */
  offset = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #typeName: string;

  /** @param typeName Type of the message, for error messages. */
  constructor(bytes: Uint8Array, typeName: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#typeName = typeName;
  }

  tag(end: number): number {
    const start = this.offset;
    const tag = this.varint(end);
    if (tag < 0o10 || tag > MAX_TAG || this.offset - start > MAX_TAG_BYTES) {
      throw this.#malformed("a tag names no field");
    }
    return tag;
  }

  /** Reads the length of an item, and returns the offset at which the item ends. */
  end(outerEnd: number): number {
    const length = this.varint(outerEnd);
    if (length > outerEnd - this.offset) throw this.#malformed("a length goes beyond the end");
    return this.offset + length;
  }

  /** Reads a varint. Values above 2^53 are approximate, which is enough for lengths and booleans. */
  varint(end: number): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      if (this.offset >= end) throw this.#malformed("it ends too early");
      const byte = this.#bytes[this.offset++] as number;
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
    throw this.#malformed("a number is longer than ten bytes");
  }

  /** Reads a signed integer of 64 bits. */
  integer(end: number): bigint {
    const start = this.offset;
    const value = this.varint(end);
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
    let exact = 0n;
    for (let at = this.offset - 1; at >= start; at--) exact = exact << 7n | BigInt((this.#bytes[at] as number) & 127);
    return BigInt.asIntN(64, exact);
  }

  double(end: number): number {
    const start = this.offset;
    this.#advance(8, end);
    return this.#view.getFloat64(start, true);
  }

  text(outerEnd: number): string {
    const end = this.end(outerEnd);
    const start = this.offset;
    this.offset = end;
    return this.#textBetween(start, end);
  }

  /** Reads a string through the cache of keys: names of members are likely to be repeated. */
  key(outerEnd: number): string {
    const end = this.end(outerEnd);
    const start = this.offset;
    this.offset = end;
    if (end - start > MAX_CACHED) return this.#textBetween(start, end);
    let hash = 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + (this.#bytes[at] as number);
    const slot = hash & CACHE_SLOTS - 1;
    const cached = KEY_CACHE[slot] as string;
    return this.#equals(cached, start, end) ? cached : KEY_CACHE[slot] = this.#textBetween(start, end);
  }

  /** Skips the value of an unknown field. Groups are malformed. */
  skip(tag: number, end: number): void {
    const wireType = tag & 7;
    if (wireType === 0) this.varint(end);
    else if (wireType === 1) this.#advance(8, end);
    else if (wireType === 2) this.offset = this.end(end);
    else if (wireType === 5) this.#advance(4, end);
    else throw this.#malformed(`field ${tag >>> 3} is a group, or has an unknown wire type`);
  }

  /** Whether the bytes are this text. Always `false` for text that is not ASCII. */
  #equals(text: string, start: number, end: number): boolean {
    if (text.length !== end - start) return false;
    for (let at = start; at < end; at++) {
      const byte = this.#bytes[at] as number;
      if (byte >= ASCII_END || byte !== text.charCodeAt(at - start)) return false;
    }
    return true;
  }

  #textBetween(start: number, end: number): string {
    if (end - start > MAX_SHORT) return this.#decode(start, end);
    const codes = new Array<number>(end - start);
    for (let at = start; at < end; at++) {
      const code = this.#bytes[at] as number;
      if (code >= ASCII_END) return this.#decode(start, end);
      codes[at - start] = code;
    }
    return String.fromCharCode.apply(undefined, codes);
  }

  #decode(start: number, end: number): string {
    try {
      return decoder.decode(this.#bytes.subarray(start, end));
    } catch {
      throw this.#malformed("a text is not valid UTF-8");
    }
  }

  #advance(count: number, end: number): void {
    if (count > end - this.offset) throw this.#malformed("it ends too early");
    this.offset += count;
  }

  #malformed(reason: string): ToolError {
    return toToolError(errorResult("parse_error", `Not a ${this.#typeName}: ${reason}`));
  }
}

/** Buffer in which every message is written before it is copied out. A message that does not fit gets its own buffer. */
const SCRATCH = new Uint8Array(8192);
const SCRATCH_VIEW = new DataView(SCRATCH.buffer);

/**
 * Writes wire format backward, so that an item is complete before its length is written. Fields are written in descending order.
 * Only one writer may be in use at a time, because the buffer is shared.
 */
export class BinaryWriter {
  #bytes = SCRATCH;
  #view = SCRATCH_VIEW;
  /** Start of the bytes that were written. */
  #at: number = SCRATCH.length;

  /** Number of bytes that were written so far. */
  get size(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns the bytes in an envelope: flags, length, message. */
  toEnvelope(): Uint8Array<ArrayBuffer> {
    const length = this.size;
    const start = this.#claim(5);
    this.#bytes[start] = 0;
    this.#view.setUint32(start + 1, length);
    return this.#bytes.slice(start);
  }

  /** Writes tag and length of everything that was written since `size` was `sizeBefore`. */
  head(tag: number, sizeBefore: number): void {
    this.varint(tag, this.size - sizeBefore);
  }

  /** Writes a varint field with a value of at most 2^53. */
  varint(tag: number, value: number): void {
    let size = 2;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    let at = this.#claim(size);
    this.#bytes[at++] = tag;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[at++] = rest % 128 + 128;
    this.#bytes[at] = rest;
  }

  /** Writes a signed integer field of 64 bits, or of 32, which has the same form. */
  integer(tag: number, value: bigint | number): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return this.varint(tag, Number(value));
    const bytes = [tag];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128);
    bytes.push(Number(rest));
    this.#put(bytes);
  }

  /** Writes bytes as they are. */
  bytes(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#put(bytes);
  }

  /** Writes a signed integer of 64 bits without a tag: an item of a packed list. */
  bareInteger(value: number): void {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128);
    bytes.push(Number(rest));
    this.#put(bytes);
  }

  /** Writes a double without a tag. */
  bareDouble(value: number): void {
    const start = this.#claim(8);
    this.#view.setFloat64(start, value, true);
  }

  double(tag: number, value: number): void {
    const start = this.#claim(9);
    this.#bytes[start] = tag;
    this.#view.setFloat64(start + 1, value, true);
  }

  /** Writes a string field. Lone surrogates become U+FFFD. */
  text(tag: number, text: string): void {
    const sizeBefore = this.size;
    if (text.length > MAX_SHORT || !this.#writeAscii(text)) this.#encode(text);
    this.head(tag, sizeBefore);
  }

  /** Writes a text if it is ASCII; otherwise writes nothing and returns `false`. */
  #writeAscii(text: string): boolean {
    const start = this.#claim(text.length);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= ASCII_END) {
        this.#at += text.length;
        return false;
      }
      this.#bytes[start + index] = code;
    }
    return true;
  }

  #encode(text: string): void {
    const start = this.#claim(text.length);
    // Most texts are ASCII, and need as many bytes as characters. Other texts do not fit, and are encoded a second time.
    if (encoder.encodeInto(text, this.#bytes.subarray(start, start + text.length)).read === text.length) return;
    this.#at += text.length;
    this.#put(encoder.encode(text));
  }

  #put(bytes: ArrayLike<number>): void {
    const start = this.#claim(bytes.length);
    this.#bytes.set(bytes, start);
  }

  /** Reserves `count` bytes before those that are written, and returns their start. */
  #claim(count: number): number {
    if (count > this.#at) this.#grow(count);
    return this.#at -= count;
  }

  #grow(count: number): void {
    const written = this.#bytes.subarray(this.#at);
    this.#bytes = new Uint8Array(2 * (written.length + count));
    this.#view = new DataView(this.#bytes.buffer);
    this.#at = this.#bytes.length - written.length;
    this.#bytes.set(written, this.#at);
  }
}
