/** Damage to bytes, whatever they are: cut, overwritten, doubled, exchanged, and out of others. */
import type { RandomChoices } from "./random.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** Sequences that are not UTF-8. */
const NO_UTF8: readonly (readonly number[])[] = [
  [0xff],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f, 0x98],
  [0x80],
  [0xf5, 0x80, 0x80, 0x80],
];

const MARKS = [
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ",",
  ":",
  "\0",
  "\ufeff",
  "null",
  "//",
  "\u2028",
  "\n",
  "\r\n\r\n",
] as const;

/** Joins pieces. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Damages bytes in one place. */
export function mutateBytes(random: RandomChoices, bytes: Uint8Array, donor: Uint8Array): Bytes {
  const at = random.below(bytes.length + 1);
  const end = at + random.below(bytes.length - at + 1);
  const [head, part, tail] = [bytes.slice(0, at), bytes.slice(at, end), bytes.slice(end)];
  switch (random.below(10)) {
    case 0:
      return concat(head);
    case 1:
      return concat(part, tail);
    case 2:
    case 3: {
      const copy = concat(bytes);
      for (let hits = random.below(4); hits >= 0 && copy.length > 0; hits--) {
        copy[random.below(copy.length)] = random.below(256);
      }
      return copy;
    }
    case 4:
      return concat(head, encoder.encode(random.pick(MARKS)), part, tail);
    case 5:
      return concat(head, Uint8Array.from(random.pick(NO_UTF8)), part, tail);
    case 6:
      return concat(bytes, bytes);
    case 7:
      return concat(head, tail, part);
    case 8:
      return concat(head, donor.slice(random.below(donor.length + 1)));
    default: {
      const copy = concat(bytes);
      if (copy.length > 0) copy[at % copy.length]! ^= 1 << random.below(8);
      return copy;
    }
  }
}

/** Cuts bytes into pieces anywhere. */
export function cut(random: RandomChoices, bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const largest = random.pick([1, 3, 20, 1_000, 100_000]);
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(Math.max(largest, Math.ceil(bytes.length / 500)));
    pieces.push(bytes.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Whether bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Whether bytes are UTF-8, or replaced by a decoder with as many: a character of four bytes that is cut after its third. */
export function isReadAsUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return isUtf8(bytes) || new TextEncoder().encode(text).length === bytes.length;
}
