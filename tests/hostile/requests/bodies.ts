/** Bodies that no client of ours would send: names, bytes and ids. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { textOf } from "../../wires/grpc/frames.ts";
import { DIALECTS, type NamedDialect, without } from "../../wires/descriptions/all.ts";
import type { Line } from "../../wires/descriptions/pipe.ts";
import { jsonOf, type Raw, RawObject } from "../../wires/descriptions/raw_messages.ts";
import { everywhere, inProcess, overPipes, overSockets } from "../senders.ts";
import { create, HELLO, hello, runsOf } from "./echo_server.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";

const PROTOTYPE_NAMES = ["constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "valueOf", "then"];

const SLY: Cases<RawObject> = {
  "a member __proto__": new RawObject([["__proto__", new RawObject([["polluted", "yes"]])]]),
  "constructor.prototype": new RawObject([[
    "constructor",
    new RawObject([["prototype", new RawObject([["polluted", "yes"]])]]),
  ]]),
  "members of all objects": new RawObject(PROTOTYPE_NAMES.map((name) => [name, "mine"])),
  "__proto__ below": new RawObject([["a", new RawObject([["__proto__", new RawObject([["polluted", "yes"]])]])]]),
  "__proto__ as text": new RawObject([["__proto__", "x"]]),
};

async function assertUnpolluted(args: RawObject, value: unknown): Promise<void> {
  strictEqual(JSON.stringify(value), textOf(jsonOf(args)));
  strictEqual(({} as Record<string, unknown>)["polluted"], undefined);
  await Promise.resolve();
}

const prototypeKeys = everywhere(create).flatMap((place) => [
  overCases(place, SLY, async ({ dialect, send }, args) => {
    const reply = dialect.read(await send(dialect.call("echo", args)));
    ok(reply.kind === "answer", JSON.stringify(reply));
    await assertUnpolluted(args, reply.value);
  }),
  overCases(
    place,
    Object.fromEntries(PROTOTYPE_NAMES.map((name) => [`a tool called ${name}`, name])),
    async ({ dialect, send }, name) => {
      const reply = dialect.read(await send(dialect.call(name, HELLO)));
      strictEqual(reply.kind === "error" && reply.code, "tool_not_found", JSON.stringify(reply));
    },
  ),
]);

/** A tool, its arguments, and the result: a value, or a code. */
const TWICE: Cases<readonly [tool: string, args: RawObject, value: unknown, code?: string]> = {
  "the last counts": ["echo", new RawObject([["a", 1], ["b", 2], ["a", 3]]), { a: 3, b: 2 }],
  "what is checked is what runs": ["double", new RawObject([["a", "x"], ["a", 4]]), 8],
  "what runs is what is checked": ["double", new RawObject([["a", 4], ["a", "x"]]), undefined, "invalid_input"],
  "below": ["echo", new RawObject([["in", new RawObject([["a", 1], ["a", 2]])]]), { in: { a: 2 } }],
  "objects do not merge": [
    "echo",
    new RawObject([["in", new RawObject([["a", 1]])], ["in", new RawObject([["b", 2]])]]),
    { in: { b: 2 } },
  ],
  "__proto__ twice": [
    "echo",
    new RawObject([["__proto__", new RawObject([["a", 1]])], ["__proto__", "last"]]),
    JSON.parse('{"__proto__":"last"}'),
  ],
};

/** Whether a request is JSON that names the tool. */
function namesToolInBody({ dialect }: NamedDialect): boolean {
  return dialect.post !== undefined && textOf(dialect.call("echo", new RawObject([])).body).includes('"echo"');
}

const duplicateKeys = [
  ...everywhere(create).map((place) =>
    overCases(place, TWICE, async ({ dialect, send }, [tool, args, value, code]) => {
      const reply = dialect.read(await send(dialect.call(tool, args)));
      if (code !== undefined) strictEqual(reply.kind === "error" && reply.code, code, JSON.stringify(reply));
      else strictEqual(JSON.stringify(reply), JSON.stringify({ kind: "answer", value }));
    })
  ),
  ...inProcess(create, DIALECTS.filter(namesToolInBody)).map((place) =>
    overCases(place, { "the tool's name": "danger" }, async (sending, danger) => {
      const request = hello(sending);
      const text = textOf(request.body);
      const body = text.replace(/"(\w+)":"echo"/, `"$1":"${danger}","$1":"echo"`);
      notStrictEqual(body, text);
      const before = runsOf(sending);
      const reply = sending.dialect.read(await sending.send({ ...request, body: new TextEncoder().encode(body) }));
      deepStrictEqual(reply, { kind: "answer", value: { text: "hello" } });
      strictEqual(runsOf(sending), before + 1);
    })
  ),
];

const NO_TEXT: Cases<readonly number[]> = {
  "a lone continuation byte": [0x80],
  "a byte that is never used": [0xff],
  "an overlong slash": [0xc0, 0xaf],
  "an overlong NUL": [0xc0, 0x80],
  "half of a surrogate pair": [0xed, 0xa0, 0x80],
  "two bytes of three": [0xe2, 0x82],
  "a character beyond the last": [0xf4, 0x90, 0x80, 0x80],
  "latin-1": [0xe9],
};

/** As long as the U+FFFD that a decoder writes instead: wires that get text from the runtime cannot see that it was replaced. */
const CUT_CHARACTERS: Cases<readonly [bytes: readonly number[], text: string]> = {
  "three bytes of four": [[0xf0, 0x9f, 0x98], "\ufffd"],
  "three bytes of four, twice": [[0xf0, 0x9f, 0x98, 0xf0, 0x9f, 0x98], "\ufffd\ufffd"],
};

const cutCharacters = everywhere(create).map((place) =>
  overCases(place, CUT_CHARACTERS, async ({ dialect, send }, [bytes, text]) => {
    const reply = dialect.read(await send(dialect.call("echo", new RawObject([["text", Uint8Array.from(bytes)]]))));
    if (reply.kind === "error") strictEqual(reply.code, "parse_error");
    else deepStrictEqual(reply, { kind: "answer", value: { text } });
  })
);

const invalidUtf8 = everywhere(create).map((place) =>
  overCases(place, NO_TEXT, async (sending, bytes) => {
    const { dialect, send } = sending;
    const before = runsOf(sending);
    for (const [name, value] of [["text", Uint8Array.from(bytes)], [Uint8Array.from(bytes), 1]] as [string, Raw][]) {
      const reply = dialect.read(await send(dialect.call("echo", new RawObject([[name, value]]))));
      strictEqual(reply.kind === "error" && reply.code, "parse_error", JSON.stringify(reply));
    }
    strictEqual(runsOf(sending), before);
    const odd = new RawObject([["text", "\ufffd \u0000 \u{1f600} \u2028"]]);
    deepStrictEqual(dialect.read(await send(dialect.call("echo", odd))), {
      kind: "answer",
      value: { text: "\ufffd \u0000 \u{1f600} \u2028" },
    });
  })
);

/** An id as JSON text, and the id that comes back: the same, unless it says otherwise; `null` if it is refused. */
const IDS: Cases<readonly [id: string, back?: string]> = {
  "0": ["0"],
  "-0": ["-0", "0"],
  "an empty string": ['""'],
  "a string of digits": ['"1"'],
  "2^53-1": ["9007199254740991"],
  "-(2^53-1)": ["-9007199254740991"],
  "1.0": ["1.0", "1"],
  "1e3": ["1e3", "1000"],
  "breaks and quotes": ['"\\r\\n\\"\\u0000"', '"\\r\\n\\"\\u0000"'],
  "10,000 characters": [`"${"x".repeat(10_000)}"`],
  "2^53": ["9007199254740992", "null"],
  "2^53+1": ["9007199254740993", "null"],
  "a fraction": ["1.5", "null"],
  "beyond all numbers": ["1e400", "null"],
  null: ["null", "null"],
  true: ["true", "null"],
  "an array": ["[1]", "null"],
  "an object": ['{"a":1}', "null"],
};

function assertId(line: Line, [id, back = id]: readonly [string, string?]): void {
  strictEqual(JSON.stringify(line.id), back);
  if (back === "null") strictEqual(line.error?.code, -32600);
  else deepStrictEqual(line.error, undefined);
}

const RPC = DIALECTS.filter(({ dialect }) => dialect.hasIds);

const ids = [...inProcess(create, RPC), ...overSockets(create, RPC), ...overPipes(create)].map((place) =>
  overCases(place, IDS, async (sending, one) => {
    const request = hello(sending);
    const body = new TextEncoder().encode(textOf(request.body).replace('"id":1', () => `"id":${one[0]}`));
    assertId(JSON.parse(textOf((await sending.send({ ...request, body })).body)) as Line, one);
  })
);

export const guarantees: readonly Guarantee[] = [
  {
    name: "prototype-keys",
    statement: "`__proto__`, `constructor` and similar are ordinary names, and change no prototype.",
    tests: prototypeKeys,
    none: without("requests"),
  },
  {
    name: "duplicate-keys",
    statement: "Of a member sent twice, the last is validated and used.",
    tests: duplicateKeys,
    none: without("requests"),
  },
  {
    name: "invalid-utf8",
    statement: "Bytes that are not UTF-8 are a `parse_error`; a U+FFFD is kept. " +
      "Over HTTP a character of four bytes that is cut after its third is read as U+FFFD.",
    tests: [...invalidUtf8, ...cutCharacters],
    none: without("requests"),
  },
  {
    name: "ids",
    statement: "An id comes back as sent; one that is not a string or safe integer is rejected with `null`.",
    tests: ids,
    none: without("ids"),
    also: ["tests/wires/framing/jsonrpc_test.ts"],
  },
];
