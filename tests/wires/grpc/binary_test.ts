/**
 * The binary codec, compared with protobuf-es: the same bytes, the same members, and the same errors.
 *
 * The codec differs where it is stricter, or nearer to protobuf's rules. Each difference has a test below: groups are rejected; a
 * known field with another wire type is an unknown field; nested items must end within their parent; a varint has at most ten
 * bytes; numbers that are not JSON are rejected even if a later field replaces them.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type JsonObject, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import {
  decodeToolRequestBytes,
  encodeResponseEnvelope,
  type ToolRequestMembers,
} from "../../../src/wires/grpc/messages/binary.ts";
import { joinChunks } from "../../../src/internal/chunks.ts";
import { ToolRequestSchema, ToolResponseSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { anyMeta, anyOptional, anyText, DEPTH, present } from "./any_message.ts";
import { frame } from "./frames.ts";

const anyRequest = fc.record({ name: anyText, arguments: anyOptional, meta: anyOptional })
  .map((sent) => toBinary(ToolRequestSchema, create(ToolRequestSchema, present(sent))));

/** Decodes with protobuf-es, and checks depth and numbers of the structs. */
function referenceOf(bytes: Uint8Array): ToolRequestMembers | "refused" {
  try {
    const { name, arguments: args, meta } = fromBinary(ToolRequestSchema, bytes, { recursionLimit: 100_000 });
    const isValid = isWithin(args ?? null, DEPTH) && isWithin(meta ?? null, DEPTH);
    return isValid ? { name, arguments: args, meta } : "refused";
  } catch {
    return "refused";
  }
}

/** Whether a value is JSON and not nested deeper than `maxDepth`. */
function isWithin(value: JsonValue, maxDepth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return maxDepth > 0 && Object.values(value).every((member) => isWithin(member, maxDepth - 1));
}

function outcomeOf(bytes: Uint8Array): ToolRequestMembers | "refused" {
  const decoded = decodeToolRequestBytes(bytes, DEPTH);
  if (!("kind" in decoded)) return decoded;
  ok(["parse_error", "invalid_request"].includes(decoded.code), decoded.code);
  return "refused";
}

function refusalOf(bytes: Uint8Array, depth = DEPTH): string {
  const decoded = decodeToolRequestBytes(bytes, depth);
  return "kind" in decoded ? `${decoded.code}: ${decoded.message}` : "read";
}

test("decodeToolRequestBytes() reads what the library writes, as the library does", () => {
  fc.assert(
    fc.property(anyRequest, fc.nat(9), (bytes, offset) => {
      const within = joinChunks([new Uint8Array(offset).fill(0xff), bytes, new Uint8Array(9).fill(0xff)])
        .subarray(offset, offset + bytes.length);
      const read = outcomeOf(within);
      ok(read !== "refused");
      deepStrictEqual(read, referenceOf(bytes));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("encodeResponseEnvelope() writes the library's bytes", () => {
  const anyResponse = fc.record({ result: anyOptional, meta: fc.option(anyMeta, { nil: undefined }) });
  fc.assert(
    fc.property(anyResponse, (sent) => {
      const response = create(ToolResponseSchema, present(sent));
      deepStrictEqual(encodeResponseEnvelope(response), frame(toBinary(ToolResponseSchema, response)));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("encodeResponseEnvelope() writes texts and answers of every size", () => {
  for (const length of [0, 1, 31, 32, 33, 127, 128, 8_180, 8_192, 16_383, 16_384, 100_000]) {
    for (const end of ["", "é", "\ud800", "😀"]) {
      const texts = Array.from({ length: 3 }, () => "a".repeat(length) + end);
      const response = create(ToolResponseSchema, { result: { content: texts }, meta: { continuation: end } });
      deepStrictEqual(encodeResponseEnvelope(response), frame(toBinary(ToolResponseSchema, response)));
    }
  }
});

test("encodeResponseEnvelope() gives bytes that no later answer touches", () => {
  const response = create(ToolResponseSchema, { result: { content: "one" } });
  const first = encodeResponseEnvelope(response);
  const copy = first.slice();
  encodeResponseEnvelope(create(ToolResponseSchema, { result: { content: "another and longer" } }));
  deepStrictEqual(first, copy);
  strictEqual(first.buffer.byteLength, first.length);
});

test("encodeResponseEnvelope() writes the next answer after one that it could not write", () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  const response = create(ToolResponseSchema, { result: { content: "fine" } });
  const before = encodeResponseEnvelope(response);
  try {
    // The stack of some runtimes is deep enough.
    encodeResponseEnvelope({ ...response, result: deep });
  } catch (thrown) {
    ok(thrown instanceof RangeError);
  }
  deepStrictEqual(encodeResponseEnvelope(response), before);
});

/** A varint with a minimum number of bytes. */
function varint(value: number, minBytes = 1): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length < minBytes; rest = Math.floor(rest / 128)) {
    bytes.push(rest % 128 + 128);
  }
  bytes.push((bytes.pop() as number) - 128);
  return Uint8Array.from(bytes);
}

/** A length-delimited field. */
function field(number: number, ...content: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = joinChunks(content.map((one) => typeof one === "string" ? new TextEncoder().encode(one) : one));
  return joinChunks([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function double(number: number, value: number): Uint8Array {
  const bytes = new Uint8Array(9);
  bytes[0] = number * 8 + 1;
  new DataView(bytes.buffer).setFloat64(1, value, true);
  return bytes;
}

const raw = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);
const entry = (key: string, ...values: readonly Uint8Array[]): Uint8Array =>
  field(1, field(1, key), ...values.map((value) => field(2, value)));
const args = (...entries: readonly Uint8Array[]): Uint8Array => field(2, ...entries);
const TRUE = raw(0x20, 1);
const own = (key: string, value: unknown): object => Object.fromEntries([[key, value]]);

const UNKNOWN = joinChunks([
  raw(0x78, 0x80, 0x01),
  double(15, 1),
  field(15, "skipped"),
  raw(0x7d, 1, 2, 3, 4),
  joinChunks([varint((2 ** 29 - 1) * 8), varint(1, 10)]),
]);

const READ: readonly (readonly [name: string, bytes: Uint8Array, want: object])[] = [
  ["nothing", raw(), {}],
  ["the last name", joinChunks([field(1, "one"), field(1, "two")]), { name: "two" }],
  ["arguments that are empty", args(), { arguments: {} }],
  ["arguments in two parts", joinChunks([args(entry("a", TRUE), entry("b", TRUE)), args(entry("a", double(2, 1)))]), {
    arguments: { a: 1, b: true },
  }],
  ["meta beside arguments", joinChunks([field(3, entry("m", TRUE)), args()]), { arguments: {}, meta: { m: true } }],
  [
    "unknown fields at every level",
    joinChunks([
      UNKNOWN,
      args(
        UNKNOWN,
        field(1, UNKNOWN, field(1, "a"), UNKNOWN, field(2, UNKNOWN, field(6, UNKNOWN, field(1, TRUE)), UNKNOWN)),
      ),
    ]),
    { arguments: { a: [true] } },
  ],
  ["a value before its key", args(field(1, field(2, TRUE), field(1, "a"))), { arguments: { a: true } }],
  ["an entry without a key", args(field(1, field(2, TRUE))), { arguments: { "": true } }],
  ["an entry without a value", args(entry("a")), { arguments: { a: null } }],
  ["a value without a kind", args(entry("a", raw())), { arguments: { a: null } }],
  ["null by any number", args(entry("a", raw(0x08, 7))), { arguments: { a: null } }],
  ["true by any number", args(entry("a", raw(0x20, 0x80, 0x01))), { arguments: { a: true } }],
  ["false in many bytes", args(entry("a", joinChunks([raw(0x20), varint(0, 10)]))), { arguments: { a: false } }],
  ["the last value of a key", args(entry("a", TRUE), entry("a", double(2, 2))), { arguments: { a: 2 } }],
  ["the last kind of a value", args(entry("a", joinChunks([field(3, "x"), TRUE]))), { arguments: { a: true } }],
  ["null as the last kind", args(entry("a", joinChunks([field(3, "x"), raw(0x08, 0)]))), { arguments: { a: null } }],
  ["structs of one value", args(entry("a", field(5, entry("b", TRUE)), field(5, entry("c", TRUE)))), {
    arguments: { a: { b: true, c: true } },
  }],
  ["lists of one value", args(entry("a", joinChunks([field(6, field(1, TRUE)), field(6, field(1))]))), {
    arguments: { a: [true, null] },
  }],
  ["a value that adds no kind", args(entry("a", field(5, entry("b", TRUE)), raw())), { arguments: { a: { b: true } } }],
  ["a struct after a list", args(entry("a", joinChunks([field(6, field(1, TRUE)), field(5)]))), {
    arguments: { a: {} },
  }],
  ["a key that is __proto__", args(entry("__proto__", field(5, entry("polluted", TRUE)))), {
    arguments: own("__proto__", { polluted: true }),
  }],
  ["a mark that looks like a byte order's", field(1, "\ufeffname"), { name: "\ufeffname" }],
  ["a tag and a length in more bytes than they need", joinChunks([varint(0x0a, 5), varint(1, 10), raw(0x61)]), {
    name: "a",
  }],
  ["-0", args(entry("a", double(2, -0))), { arguments: { a: -0 } }],
];

for (const [name, bytes, want] of READ) {
  test(`decodeToolRequestBytes() reads ${name}`, () => {
    const whole = { name: "", arguments: undefined, meta: undefined, ...want };
    deepStrictEqual(outcomeOf(bytes), whole);
    deepStrictEqual(referenceOf(bytes), whole);
  });
}

test("decodeToolRequestBytes() makes a key that is __proto__ a member like any other", () => {
  const read = outcomeOf(args(entry("__proto__", field(5, entry("polluted", TRUE))))) as { arguments: JsonObject };
  deepStrictEqual(Object.keys(read.arguments), ["__proto__"]);
  strictEqual(Object.getPrototypeOf(read.arguments), Object.prototype);
});

const EARLY = "parse_error: Not a mcplite.ToolRequest: it ends too early";
const BEYOND = "parse_error: Not a mcplite.ToolRequest: a length goes beyond the end";
const UTF8 = "parse_error: Not a mcplite.ToolRequest: a text is not valid UTF-8";
const NO_FIELD = "parse_error: Not a mcplite.ToolRequest: a tag names no field";
const TOO_LONG = "parse_error: Not a mcplite.ToolRequest: a number is longer than ten bytes";

const REFUSED: readonly (readonly [name: string, bytes: Uint8Array, want: string])[] = [
  ["a tag without its field", raw(0x0a), EARLY],
  ["a number that is cut off", raw(0x78, 0x80), EARLY],
  ["eight bytes that are seven", double(15, 1).subarray(0, 8), EARLY],
  ["four bytes that are three", raw(0x7d, 1, 2, 3), EARLY],
  ["a length beyond the end", raw(0x0a, 2, 0x61), BEYOND],
  ["a length beyond the end, of what nobody knows", raw(0x7a, 2, 0x61), BEYOND],
  ["a double that is cut off", args(raw(0x0a, 4, 0x12, 2, 0x11, 0)), EARLY],
  ["field 0", raw(0x02, 0), NO_FIELD],
  ["a tag of more than 32 bits", joinChunks([varint(2 ** 32 * 8 + 2), raw(0)]), NO_FIELD],
  ["a tag of more than five bytes", joinChunks([varint(0x0a, 6), raw(0)]), NO_FIELD],
  [
    "a form that there is not",
    raw(0x7f, 0),
    "parse_error: Not a mcplite.ToolRequest: field 15 is a group, or has an unknown wire type",
  ],
  [
    "the end of a group",
    raw(0x7c),
    "parse_error: Not a mcplite.ToolRequest: field 15 is a group, or has an unknown wire type",
  ],
  ["a name that is not UTF-8", field(1, raw(0xff)), UTF8],
  ["half a surrogate", field(1, raw(0xed, 0xa0, 0x80)), UTF8],
  ["a long text that is not UTF-8", field(1, "a".repeat(100), raw(0xc3)), UTF8],
  ["a key that is not UTF-8", args(field(1, field(1, raw(0xc0, 0x80)))), UTF8],
  ["a text that is not UTF-8", args(entry("a", field(3, raw(0x80)))), UTF8],
  ["NaN", args(entry("a", double(2, NaN))), "parse_error: A number is NaN, which is not JSON"],
  [
    "infinity in meta",
    field(3, entry("a", double(2, Infinity))),
    "parse_error: A number is Infinity, which is not JSON",
  ],
  ["a length of eleven bytes", joinChunks([raw(0x0a), varint(0, 11)]), TOO_LONG],
];

for (const [name, bytes, want] of REFUSED) {
  test(`decodeToolRequestBytes() refuses ${name}`, () => {
    strictEqual(refusalOf(bytes), want);
    strictEqual(referenceOf(bytes), "refused");
  });
}

/** Rejected here, but accepted by protobuf-es. */
const STRICTER: readonly (readonly [name: string, bytes: Uint8Array, want: string])[] = [
  // No field of the messages was ever a group, and groups nest without a limit.
  [
    "a group",
    raw(0x7b, 0x7c),
    "parse_error: Not a mcplite.ToolRequest: field 15 is a group, or has an unknown wire type",
  ],
  // Two readers of a message must agree on the ends of its parts.
  ["a name that is longer than its message", args(raw(0x0a, 3, 0x0a, 2, 0x61), raw(0x62)), BEYOND],
  ["a length of 2^32 and more", joinChunks([raw(0x0a), varint(2 ** 32 + 1), raw(0x61)]), BEYOND],
  ["an unknown number of eleven bytes", joinChunks([raw(0x78), varint(0, 11)]), TOO_LONG],
  // Accepting it would require keeping it until the end of the message.
  [
    "NaN that is replaced",
    args(entry("a", double(2, NaN)), entry("a", TRUE)),
    "parse_error: A number is NaN, which is not JSON",
  ],
];

for (const [name, bytes, want] of STRICTER) {
  test(`decodeToolRequestBytes() refuses ${name}, which the library does not`, () => {
    strictEqual(refusalOf(bytes), want);
    ok(referenceOf(bytes) !== "refused");
  });
}

test("decodeToolRequestBytes() takes a known field in another form for an unknown one, as other languages do", () => {
  const bytes = joinChunks([field(1, "add"), raw(0x08, 1), args(entry("a", TRUE, raw(0x10, 1)), raw(0x08, 0))]);
  deepStrictEqual(outcomeOf(bytes), { name: "add", arguments: { a: true }, meta: undefined });
  strictEqual(referenceOf(bytes), "refused");
});

/** Field numbers of one level of nesting, innermost first: in structs, of the struct, its value and its entry. */
const NESTS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  structs: [[5, 2, 1]],
  lists: [[6, 2, 1], [5, 1]],
};

/** Content of arguments with the given number of levels, which alternate between `kinds`. */
function nested(levels: number, kinds: readonly (readonly number[])[]): Uint8Array {
  const reversed: number[] = [];
  for (let level = levels - 2; level >= 0; level--) {
    for (const number of kinds[level % kinds.length] as readonly number[]) {
      reversed.push(...varint(reversed.length).reverse(), number * 8 + 2);
    }
  }
  return Uint8Array.from(reversed.reverse());
}

for (const [name, kinds] of Object.entries(NESTS)) {
  test(`decodeToolRequestBytes() reads ${name} as deep as it should, and refuses deeper ones`, () => {
    const tooDeep = "invalid_request: The arguments are nested deeper than this server reads";
    const hostile = nested(100_000, kinds);
    for (const number of [2, 3]) {
      const deep = (levels: number) => field(number, nested(levels, kinds));
      strictEqual(refusalOf(deep(DEPTH)), "read");
      ok(referenceOf(deep(DEPTH)) !== "refused");
      strictEqual(refusalOf(deep(DEPTH + 1)), tooDeep);
      strictEqual(referenceOf(deep(DEPTH + 1)), "refused");
      strictEqual(refusalOf(deep(511), 511), "read");
      strictEqual(refusalOf(deep(512), 511), tooDeep);
      strictEqual(refusalOf(field(number, hostile), 511), tooDeep);
      // Rejected by the limit or by the size of the stack.
      strictEqual(refusalOf(field(number, hostile), 99_999), tooDeep);
    }
  });
}

test("decodeToolRequestBytes() reads many parts of one struct and of one list", () => {
  const parts = 5_000;
  const structs = Array.from({ length: parts }, (_, index) => args(entry(`k${index}`, TRUE)));
  const lists = args(entry("list", ...Array.from({ length: parts }, () => field(6, field(1, TRUE)))));
  const { arguments: read } = outcomeOf(joinChunks([...structs, lists])) as { arguments: JsonObject };
  strictEqual(Object.keys(read).length, parts + 1);
  strictEqual((read["list"] as readonly unknown[]).length, parts);
});

test("decodeToolRequestBytes() keeps keys apart that have one hash, or one length, or come again", () => {
  // "Aa" and "BB" have the same hash, and so do "Ò¢Ã¡" and "Ңá": the bytes of the latter are the characters of the former.
  const keys = ["Aa", "BB", "AaAa", "BBBB", "AaBB", "", "Ò¢Ã¡", "Ңá", "\0", "\0\0", "a".repeat(24), "a".repeat(25)];
  const bytes = args(...keys.map((key) => entry(key, field(3, key))));
  for (let time = 0; time < 3; time++) {
    const { arguments: read } = outcomeOf(bytes) as { arguments: JsonObject };
    deepStrictEqual(Object.entries(read), keys.map((key) => [key, key]));
  }
  strictEqual(refusalOf(args(field(1, field(1, raw(0xc3))))), UTF8);
  strictEqual(refusalOf(args(field(1, field(1, raw(0xe9))))), UTF8);
});

/** Fields by tag; a non-empty value is the type of a message. */
const FIELDS: Readonly<Record<string, Readonly<Record<number, string | undefined>>>> = {
  request: { 0o12: "", 0o22: "struct", 0o32: "struct" },
  struct: { 0o12: "entry" },
  entry: { 0o12: "", 0o22: "value" },
  value: { 0o10: "", 0o21: "", 0o32: "", 0o40: "", 0o52: "struct", 0o62: "list" },
  list: { 0o12: "value" },
};

/** Removes everything but known fields with their own wire types. Throws for input that only this codec rejects. */
function cleaned(type: string, bytes: Uint8Array): Uint8Array {
  const reader = new BinaryReader(bytes);
  const kept: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, form] = reader.tag();
    const data = reader.skip(form, number, 0);
    if (form === 0 && data.length > 10) throw new RangeError("long varint");
    const tag = number * 8 + form;
    const inner = FIELDS[type]?.[tag];
    if (inner === "") kept.push(varint(tag), data);
    else if (inner !== undefined) kept.push(field(number, cleaned(inner, new BinaryReader(data).bytes())));
  }
  return joinChunks(kept);
}

function cleanReferenceOf(bytes: Uint8Array): ToolRequestMembers | "refused" {
  try {
    return referenceOf(cleaned("request", bytes));
  } catch {
    return "refused";
  }
}

/** Fields in any order and number, some of them in the wrong message. */
const { fields } = fc.letrec<{ fields: Uint8Array }>((tie) => ({
  fields: fc.array(
    fc.oneof(
      { depthSize: "small", maxDepth: 12 },
      fc.tuple(fc.integer({ min: 1, max: 4 }), anyText).map(([number, text]) => field(number, text)),
      fc.tuple(fc.constantFrom(2, 2, 2, 1, 4), fc.double()).map(([number, value]) => double(number, value)),
      fc.tuple(fc.constantFrom(1, 4, 4, 2), fc.nat(300)).map(([number, value]) =>
        joinChunks([varint(number * 8), varint(value)])
      ),
      fc.tuple(fc.integer({ min: 1, max: 7 }), tie("fields")).map(([number, content]) => field(number, content)),
      fc.tuple(fc.constantFrom("a", "b"), tie("fields"), fc.boolean()).map(([key, value, isMeta]) =>
        field(isMeta ? 3 : 2, entry(key, value))
      ),
    ),
    { maxLength: 4 },
  ).map(joinChunks),
}));

/** Changes of bytes: truncate, replace, insert, remove, repeat. */
const anyChange = fc.tuple(fc.constantFrom("cut", "set", "insert", "drop", "repeat"), fc.nat(), fc.nat(255));

function change(bytes: Uint8Array, [kind, where, byte]: readonly [string, number, number]): Uint8Array {
  const at = where % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (kind) {
    case "cut":
      return before;
    case "set":
      return joinChunks([before, raw(byte), after.subarray(1)]);
    case "insert":
      return joinChunks([before, raw(byte), after]);
    case "drop":
      return joinChunks([before, after.subarray(1 + byte % 4)]);
    default:
      return joinChunks([before, after, after]);
  }
}

test("decodeToolRequestBytes() never throws, and agrees with the library but for what is listed", () => {
  const anyBytes = fc.tuple(fc.oneof(anyRequest, fields), fc.array(anyChange, { maxLength: 3 }))
    .map(([bytes, changes]) => changes.reduce<Uint8Array>(change, bytes));
  const counts = { read: 0, refused: 0 };
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const read = outcomeOf(bytes);
      deepStrictEqual(read, cleanReferenceOf(bytes));
      counts[read === "refused" ? "refused" : "read"]++;
    }),
    { seed: 1, numRuns: 3_000 },
  );
  ok(Math.min(counts.read, counts.refused) > 500, JSON.stringify(counts));
});
