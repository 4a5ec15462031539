/**
 * Malformed requests, from a fixed seed: each is answered by one well-formed JSON-RPC error with the status of its code, or,
 * where the damage happened to do none, by a well-formed result. Never by a 5xx, never by an exception.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { createServer, defineTool, type ToolErrorCode } from "../../mod.ts";
import { SseDecoder } from "../../src/codec/sse/decode.ts";
import { httpErrorCodes } from "../../src/wires/http/codes.ts";

const SEED = 20261121;
const BASE = "/mcp-lite/v1";
const encoder = new TextEncoder();

/** How many requests are made: `TOOLWIRE_FUZZ`, where reading it is allowed. */
function countOf(): number {
  try {
    const { process } = globalThis as {
      readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
    };
    return Number(process?.env?.["TOOLWIRE_FUZZ"] ?? 20_000);
  } catch {
    return 20_000;
  }
}

/** Numbers that look random, the same ones at every run (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

const server = createServer({
  tools: [
    defineTool("echo").describe("Echo").handle((args) => args),
    defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.optional(v.array(v.number()), []) })).handle(
      ({ a, b }) => b.reduce((sum, n) => sum + n, a),
    ),
    defineTool("later").describe("Later").handle(async (args) => await Promise.resolve(args)),
    defineTool("pieces").describe("Pieces").handle(async function* (args) {
      yield "a\r\n";
      yield* Object.keys(args);
    }),
  ],
});

type Value = unknown;

/** A value that has no business where it is put. */
function oddValue(dice: Dice): Value {
  return dice.pick<() => Value>([
    () => null,
    () => true,
    () => -0,
    () => 1.5,
    () => 2 ** 53,
    () => -(2 ** 53),
    () => 1e308,
    () => "",
    () => "constructor",
    () => "__proto__",
    () => "\ud800",
    () => "\0",
    () => "x".repeat(dice.below(5_000)),
    () => "9".repeat(400),
    () => [],
    () => [[[]]],
    () => ({}),
    () => ({ then: 1, toJSON: 1, constructor: null }),
    () => nest(dice.pick([2, 100, 511, 512, 513, 600, 5_000])),
  ])();
}

class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }

  toJSON(): string {
    return `\u0001${this.json}\u0001`;
  }
}

/** Arrays in arrays, written as text: some runtimes cannot stringify them. */
function nest(depth: number): Raw {
  return new Raw("[".repeat(depth) + "]".repeat(depth));
}

function stringify(value: Value): string {
  return (JSON.stringify(value) ?? "null").replace(/"\\u0001([^"]*)\\u0001"/g, "$1");
}

/** A request that is right, as an object that can be damaged. */
function rightBody(dice: Dice): Record<string, Value> {
  const params = dice.pick<Record<string, Value>>([
    { name: "echo", arguments: { text: "hey", list: [1, 2] } },
    { name: "add", arguments: { a: 1, b: [2, 3] } },
    { name: "later", arguments: {} },
    { name: "pieces", arguments: { x: 1, y: 2 } },
    { name: "add", arguments: { a: 1 }, _meta: { deadline_ms: 5_000 } },
  ]);
  return {
    jsonrpc: "2.0",
    id: dice.pick<Value>([1, "abc", 0, "", -5, 9_007_199_254_740_991]),
    method: dice.pick(["tools/call", "tools/call", "tools/list", "ping"]),
    params: { ...params },
  };
}

/** Puts something odd in one place of a value, or takes something away. */
function damage(dice: Dice, value: Record<string, Value>): Value {
  const keys = Object.keys(value);
  const key = keys[dice.below(keys.length)];
  if (key === undefined || dice.oneIn(20)) return oddValue(dice);
  const member = value[key];
  if (
    typeof member === "object" && member !== null && !Array.isArray(member) && !(member instanceof Raw) &&
    !dice.oneIn(4)
  ) {
    return { ...value, [key]: damage(dice, member as Record<string, Value>) };
  }
  switch (dice.below(4)) {
    case 0: {
      const { [key]: _, ...rest } = value;
      return rest;
    }
    case 1:
      return { ...value, [dice.pick(["extra", "__proto__x", "constructor", "toString", ""])]: oddValue(dice) };
    default:
      return { ...value, [key]: oddValue(dice) };
  }
}

/** Cuts, overwrites, doubles and inserts bytes. */
function damageBytes(dice: Dice, bytes: Uint8Array): Uint8Array {
  const at = dice.below(bytes.length + 1);
  switch (dice.below(6)) {
    case 0:
      return bytes.slice(0, at);
    case 1:
      return bytes.slice(at);
    case 2: {
      const copy = bytes.slice();
      for (let hits = dice.below(4); hits >= 0; hits--) copy[dice.below(copy.length)] = dice.below(256);
      return copy;
    }
    case 3:
      return concat(
        bytes.slice(0, at),
        encoder.encode(dice.pick(["{", "}", "[", "]", '"', "\\", ",", ":", "\0", "\ufeff", "null", "//", "\u2028"])),
        bytes.slice(at),
      );
    case 4:
      return concat(
        bytes.slice(0, at),
        Uint8Array.from(
          dice.pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0x80], [0xf5, 0x80, 0x80, 0x80]]),
        ),
        bytes.slice(at),
      );
    default:
      return concat(bytes, bytes);
  }
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function body(dice: Dice): Uint8Array {
  const right = rightBody(dice);
  switch (dice.below(8)) {
    case 0:
      return Uint8Array.from({ length: dice.below(200) }, () => dice.below(256));
    case 1:
      return encoder.encode(stringify(dice.oneIn(2) ? [right, right] : oddValue(dice)));
    case 2:
      return encoder.encode(dice.pick(["[", "{", '{"a":', '{"a":[']).repeat(dice.pick([1, 500, 512, 513, 20_000])));
    case 3:
    case 4:
      return damageBytes(dice, encoder.encode(stringify(right)));
    case 5: {
      const damaged = damage(dice, right);
      return encoder.encode(stringify(isObject(damaged) ? damage(dice, damaged) : damaged));
    }
    default:
      return encoder.encode(stringify(damage(dice, right)));
  }
}

const PATHS = [
  "/calltools",
  "/calltools",
  "/calltools",
  "/calltools",
  "/calltools",
  "/calltools",
  "/rpc",
  "/call",
  "/calltools/",
  "/tools",
  "/listtools",
] as const;
const ODD_PATHS = [
  "",
  "/",
  "//",
  "/calltools//",
  "/CALLTOOLS",
  "/calltools%2f",
  "/calltools/..",
  "/call tools",
  "/%",
  "/%zz",
  "/calltools;x",
  "/é",
  "/constructor",
  "/__proto__",
  `/${"a".repeat(3_000)}`,
] as const;
const ODD_METHODS = ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "patch", "M-SEARCH"].filter(
  canRequest,
);
const ODD_TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "application/xml",
  "application/jsonx",
  "multipart/form-data",
  "application/json, application/json",
  ";",
  "x".repeat(5_000),
] as const;
const ACCEPTS = [
  "text/event-stream",
  "application/json, text/event-stream;q=0.5",
  "text/event-stream;q=0",
  "*/*",
  "",
  ",,,;;;",
  "é",
  "x".repeat(5_000),
] as const;
const ODD_HEADERS = [
  ["content-encoding", "gzip"],
  ["content-encoding", ""],
  ["content-length", "0"],
  ["content-length", "-1"],
  ["content-length", "abc"],
  ["content-length", "99999999999"],
  ["content-length", "1e3"],
  ["origin", "https://evil.example"],
  ["origin", "null"],
  ["origin", ""],
  ["origin", "http://localhost"],
  ["host", "evil.example"],
  ["host", ""],
  ["transfer-encoding", "chunked"],
  ["x-odd", "\u00ff\u0080"],
  ["expect", "100-continue"],
] as const;

interface Sent {
  readonly request: Request;
  readonly bytes: Uint8Array;
  readonly name: string;
}

function send(dice: Dice): Sent {
  const path = dice.oneIn(15) ? dice.pick(ODD_PATHS) : dice.pick(PATHS);
  const query = dice.oneIn(20) ? dice.pick(["?x=1", "?", "#y", "?a=/calltools"]) : "";
  const method = dice.oneIn(20) ? dice.pick(ODD_METHODS) : "POST";
  const bytes = body(dice);
  const headers = new Headers({
    "content-type": dice.oneIn(15)
      ? dice.pick(ODD_TYPES)
      : dice.pick(["application/json", "application/json; charset=utf-8"]),
  });
  if (dice.oneIn(30)) headers.delete("content-type");
  if (dice.oneIn(3)) setHeader(headers, "accept", dice.pick(ACCEPTS));
  const hasBody = method !== "GET" && method !== "HEAD";
  // As over a network; left out, the body is chunked.
  if (hasBody && dice.oneIn(2)) headers.set("content-length", String(bytes.length));
  if (dice.oneIn(12)) setHeader(headers, ...dice.pick<readonly [string, string]>(ODD_HEADERS));
  const request = new Request(`http://localhost${BASE}${path}${query}`, {
    method,
    headers,
    ...(hasBody && { body: bytes.slice() }),
  });
  const start = new TextDecoder().decode(bytes.slice(0, 300));
  return {
    request,
    bytes,
    name: `${method} ${path.slice(0, 50)}${query} ${JSON.stringify([...headers]).slice(0, 300)} ${
      JSON.stringify(start)
    }`,
  };
}

/** Some runtimes refuse a value that others take; then there is nothing to test. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // Refused.
  }
}

function isObject(value: Value): value is Record<string, Value> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The id that the sender could expect back; `null` if there is none that can be read. */
function idOf(bytes: Uint8Array): Value {
  try {
    const { id } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as { id?: Value };
    return typeof id === "string" || Number.isSafeInteger(id) ? id : null;
  } catch {
    return null;
  }
}

/** Codes that HTTP has a status of its own for, beside the table's. */
const OTHER_STATUSES: Readonly<Partial<Record<ToolErrorCode, readonly number[]>>> = {
  invalid_request: [405, 413, 415],
};

function assertError(error: Value, status: number | undefined, name: string): void {
  ok(isObject(error), name);
  ok(Number.isInteger(error["code"]) && typeof error["message"] === "string" && error["message"].length > 0, name);
  const code = isObject(error["data"]) ? error["data"]["code"] : undefined;
  ok(typeof code === "string" && Object.hasOwn(httpErrorCodes, code), `${name}: ${JSON.stringify(error)}`);
  const want = httpErrorCodes[code as ToolErrorCode];
  strictEqual(error["code"], want.number, name);
  ok(!/internal|unavailable|result_too_large/.test(code), `${name}: ${JSON.stringify(error)}`);
  if (status !== undefined) {
    ok(
      [want.status, ...OTHER_STATUSES[code as ToolErrorCode] ?? []].includes(status),
      `${name}: ${status} for ${code}`,
    );
  }
}

function assertResult(result: Value, name: string): void {
  ok(isObject(result), name);
  const meta = result["_meta"];
  ok(
    isObject(meta) && meta["response_type"] === "answer" && typeof meta["timestamp"] === "string",
    `${name}: ${JSON.stringify(result).slice(0, 200)}`,
  );
}

function assertStream(text: string, name: string): void {
  const events = new SseDecoder().decode(text);
  const ends = events.filter(({ event }) => event === "done" || event === "error");
  strictEqual(ends.length, 1, `${name}: ${text.slice(0, 300)}`);
  const last = events.at(-1);
  ok(last !== undefined && last === ends[0], name);
  if (last.event === "done") assertResult(JSON.parse(last.data), name);
  else assertError(JSON.parse(last.data), undefined, name);
}

async function assertAnswered({ request, bytes, name }: Sent): Promise<"error" | "result"> {
  const response = await server.fetch(request);
  const { status } = response;
  const text = await response.text();
  ok(status === 200 || (status >= 400 && status < 500), `${name}: ${status} ${text.slice(0, 300)}`);
  if (response.headers.get("content-type") === "text/event-stream") {
    strictEqual(status, 200);
    assertStream(text, name);
    return "result";
  }
  strictEqual(response.headers.get("content-type"), "application/json", name);
  const answer: Value = JSON.parse(text);
  if (status === 200) ok(isUtf8(bytes), `${name}: took what is not UTF-8`);
  if (status === 200 && (Array.isArray(answer) || (isObject(answer) && Array.isArray(answer["tools"])))) {
    return "result";
  }
  ok(isObject(answer), name);
  strictEqual(answer["jsonrpc"], "2.0", name);
  const id = idOf(bytes);
  if (status === 200) {
    deepStrictEqual(answer["id"], Object.is(id, -0) ? 0 : id, name);
    assertResult(answer["result"], name);
    deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "result"], name);
    return "result";
  }
  ok(answer["id"] === null || answer["id"] == id, `${name}: id ${JSON.stringify(answer["id"])}`);
  assertError(answer["error"], status, name);
  deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "error"], name);
  return "error";
}

async function assertAlive(): Promise<void> {
  const request = new Request(`http://localhost${BASE}/calltools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[2]}}}',
  });
  strictEqual((await (await server.fetch(request)).json() as { result: { content: number } }).result.content, 3);
}

const BATCHES = 20;
for (let batch = 0; batch < BATCHES; batch++) {
  const count = Math.ceil(countOf() / BATCHES);
  test(`server.fetch() answers ${count} malformed requests, each as it should (batch ${batch + 1} of ${BATCHES})`, async () => {
    const dice = new Dice(SEED + batch);
    const kinds = { error: 0, result: 0 };
    for (let made = 0; made < count; made++) kinds[await assertAnswered(send(dice))]++;
    await assertAlive();
    // Most of the damage must be damage, and some must not, or this would test one path alone.
    if (count >= 500) ok(kinds.error > kinds.result && kinds.result > count / 50, JSON.stringify(kinds));
  });
}

for (
  const [name, sequence] of [
    ["a lone continuation byte", [0x80]],
    ["a byte that is never used", [0xff]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["two bytes of three", [0xe2, 0x82]],
    ["two bytes of four", [0xf0, 0x9f]],
    // Decodes to one U+FFFD, which is three bytes as well: the length alone does not tell.
    ["three bytes of four", [0xf0, 0x9f, 0x98]],
    ["three bytes of four, twice", [0xf0, 0x9f, 0x98, 0xf0, 0x9f, 0x98]],
    ["a character beyond the last", [0xf4, 0x90, 0x80, 0x80]],
  ] as const
) {
  for (const isDeclared of [true, false]) {
    test(`a body with ${name} is a parse error (content-length ${isDeclared ? "given" : "left out"})`, async () => {
      const [start, end] = [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"',
        '"}}}',
      ].map((text) => encoder.encode(text));
      const bytes = concat(start ?? new Uint8Array(), Uint8Array.from(sequence), end ?? new Uint8Array());
      const headers = {
        "content-type": "application/json",
        ...(isDeclared && { "content-length": String(bytes.length) }),
      };
      const response = await server.fetch(
        new Request(`http://localhost${BASE}/calltools`, { method: "POST", headers, body: bytes.slice() }),
      );
      const answer = await response.json() as { error?: { code: number } };
      deepStrictEqual([response.status, answer.error?.code], [400, -32700]);
    });
  }
}

for (const isDeclared of [true, false]) {
  test(`a body with replacement characters of its own, or a byte order mark, is taken (content-length ${isDeclared ? "given" : "left out"})`, async () => {
    for (const [mark, text] of [["", "\ufffd"], ["", "a\ufffdé😀"], ["\ufeff", "é"], ["\ufeff", "\ufffd"]] as const) {
      const bytes = encoder.encode(
        `${mark}{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"${text}"}}}`,
      );
      const headers = {
        "content-type": "application/json",
        ...(isDeclared && { "content-length": String(bytes.length) }),
      };
      const response = await server.fetch(
        new Request(`http://localhost${BASE}/calltools`, { method: "POST", headers, body: bytes }),
      );
      const answer = await response.json() as { result?: { content: unknown } };
      deepStrictEqual(answer.result?.content, { a: text }, JSON.stringify([mark, text]));
    }
  });
}

const overLimit = `{"jsonrpc":"2.0","id":1,"method":"ping","params":"${"x".repeat(1_048_576)}"}`;
for (const declared of [undefined, "10", "0", "-1", "abc", "", "1e3", "1048577", "99999999999999999999"]) {
  for (const isStream of [false, true]) {
    test(`a body over the limit is refused with content-length ${declared ?? "left out"}${isStream ? ", as a stream" : ""}`, async () => {
      const headers = new Headers({
        "content-type": "application/json",
        ...(declared !== undefined && { "content-length": declared }),
      });
      const stream = () => new Blob([overLimit]).stream();
      const init: RequestInit & { duplex?: "half" } = {
        method: "POST",
        headers,
        body: isStream ? stream() : overLimit,
        ...(isStream && { duplex: "half" }),
      };
      const response = await server.fetch(new Request(`http://localhost${BASE}/calltools`, init));
      const answer = await response.json() as { error: { data: { code: string } }; id: null };
      deepStrictEqual([response.status, answer.error.data.code, answer.id], [413, "payload_too_large", null]);
    });
  }
}

test("a body that breaks off or was read before is refused, and no exception", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("reset")),
  });
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: broken,
    duplex: "half",
  };
  const used = new Request(`http://localhost${BASE}/calltools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  await used.text();
  for (const request of [new Request(`http://localhost${BASE}/calltools`, init), used]) {
    const response = await server.fetch(request);
    strictEqual(response.status, 400);
    strictEqual((await response.json() as { error: { data: { code: string } } }).error.data.code, "invalid_request");
  }
});

/** Whether this runtime makes requests with that method: workerd does not make all that others receive. */
function canRequest(method: string): boolean {
  try {
    return new Request("http://localhost/", { method }).method !== "";
  } catch {
    return false;
  }
}
