/**
 * Protobuf's wire format: numbers, texts and lengths, in bytes. Knows no message.
 *
 * Tags are written in octal by whoever reads or writes fields: the last digit says how the field is written (0 a varint, 1
 * eight bytes, 2 a length and as many bytes, 5 four bytes), the digits before it are its number.
 * Source: {@link https://protobuf.dev/programming-guides/encoding/ | Protobuf encoding}.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";

/** Why bytes are refused; thrown inside the codec only. */
export class DecodeError extends Error {
  readonly error: ErrorResult;

  constructor(refusal: ErrorResult) {
    super(refusal.message);
    this.error = refusal;
  }
}

/** Longest text that goes character by character: measured, it is about where decoders and encoders become faster. */
const MAX_SHORT = 32;
const ASCII_END = 0x80;
/** A tag has 32 bits, and so five bytes. */
const MAX_TAG = 2 ** 32 - 1;
const MAX_TAG_BYTES = 5;

/**
 * Short keys that were read, by their hash: to make the same ones again costs as much as all the rest (measured on Bun with 2 kB
 * of arguments: half of the time). Bounded: a key takes the place of another.
 */
const KNOWN_SLOTS = 256;
const MAX_KNOWN = 24;
const KNOWN: string[] = Array.from({ length: KNOWN_SLOTS }, () => "");

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Reads from the start. Every method reads one thing, up to an `end` that nothing in it may pass. */
export class BinaryReader {
  /** Where the next thing begins. */
  offset = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #typeName: string;

  /** @param typeName What the bytes should be. */
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

  /** A length; told is where what has it ends. */
  end(outerEnd: number): number {
    const length = this.varint(outerEnd);
    if (length > outerEnd - this.offset) throw this.#malformed("a length goes beyond the end");
    return this.offset + length;
  }

  /** A whole number. Beyond 2^53 it is about right, which is enough for lengths and booleans. */
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

  /** An integer of 64 bits with a sign. */
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
    this.#pass(8, end);
    return this.#view.getFloat64(start, true);
  }

  text(outerEnd: number): string {
    const end = this.end(outerEnd);
    const start = this.offset;
    this.offset = end;
    return this.#textBetween(start, end);
  }

  /** A text that is likely to have come before, as names of members are. */
  key(outerEnd: number): string {
    const end = this.end(outerEnd);
    const start = this.offset;
    this.offset = end;
    if (end - start > MAX_KNOWN) return this.#textBetween(start, end);
    let hash = 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + (this.#bytes[at] as number);
    const slot = hash & KNOWN_SLOTS - 1;
    const known = KNOWN[slot] as string;
    return this.#isBetween(known, start, end) ? known : KNOWN[slot] = this.#textBetween(start, end);
  }

  /** What has a tag that nobody knows. */
  skip(tag: number, end: number): void {
    const form = tag & 7;
    if (form === 0) this.varint(end);
    else if (form === 1) this.#pass(8, end);
    else if (form === 2) this.offset = this.end(end);
    else if (form === 5) this.#pass(4, end);
    else throw this.#malformed(`field ${tag >>> 3} is a group, or in no form at all`);
  }

  /** Whether a text is what stands there; of one that is not ASCII that cannot be told. */
  #isBetween(text: string, start: number, end: number): boolean {
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

  #pass(count: number, end: number): void {
    if (count > end - this.offset) throw this.#malformed("it ends too early");
    this.offset += count;
  }

  #malformed(reason: string): DecodeError {
    return new DecodeError(errorResult("parse_error", `Not a ${this.#typeName}: ${reason}`));
  }
}

/** Every message is written here, and copied out; what has no room gets its own. */
const SCRATCH = new Uint8Array(8192);
const SCRATCH_VIEW = new DataView(SCRATCH.buffer);

/**
 * Writes from the end to the start, so that what has a length stands there before its length is asked for: fields in falling
 * order. Only one at a time may be in use.
 */
export class BinaryWriter {
  #bytes = SCRATCH;
  #view = SCRATCH_VIEW;
  /** Where what is written begins. */
  #at: number = SCRATCH.length;

  /** How many bytes are written. */
  get size(): number {
    return this.#bytes.length - this.#at;
  }

  /** What was written, after its flags and its length. */
  toEnvelope(): Uint8Array<ArrayBuffer> {
    const length = this.size;
    const start = this.#claim(5);
    this.#bytes[start] = 0;
    this.#view.setUint32(start + 1, length);
    return this.#bytes.slice(start);
  }

  /** Tag and length of what was written since there were `sizeBefore` bytes. */
  head(tag: number, sizeBefore: number): void {
    this.varint(tag, this.size - sizeBefore);
  }

  /** A whole number up to 2^53. */
  varint(tag: number, value: number): void {
    let size = 2;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    let at = this.#claim(size);
    this.#bytes[at++] = tag;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[at++] = rest % 128 + 128;
    this.#bytes[at] = rest;
  }

  /** An integer of 64 bits, or of 32, which is written as one of 64. */
  integer(tag: number, value: bigint | number): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return this.varint(tag, Number(value));
    const bytes = [tag];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128);
    bytes.push(Number(rest));
    this.#put(bytes);
  }

  double(tag: number, value: number): void {
    const start = this.#claim(9);
    this.#bytes[start] = tag;
    this.#view.setFloat64(start + 1, value, true);
  }

  /** A text; lone surrogates become U+FFFD. */
  text(tag: number, text: string): void {
    const before = this.size;
    if (text.length > MAX_SHORT || !this.#ascii(text)) this.#encode(text);
    this.head(tag, before);
  }

  /** Writes a text if it is ASCII. */
  #ascii(text: string): boolean {
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
    // In as many bytes as it has characters there is room for all of it only if it is ASCII, as most texts are.
    if (encoder.encodeInto(text, this.#bytes.subarray(start, start + text.length)).read === text.length) return;
    this.#at += text.length;
    this.#put(encoder.encode(text));
  }

  #put(bytes: ArrayLike<number>): void {
    const start = this.#claim(bytes.length);
    this.#bytes.set(bytes, start);
  }

  /** Makes room for so many bytes before what is written, and says where it begins. */
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
