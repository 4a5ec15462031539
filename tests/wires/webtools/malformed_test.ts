/**
 * 2,500 malformed requests, from a fixed seed: each gets the envelope, with the code and the status that are right for just its
 * damage. What is right is told by a second reading of the specification, below, not by the wire.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../src/testing/random.ts";
import { createWeather, URL_BASE } from "./weather.ts";

const SEED = 20250630;
const COUNT = 2_500;
const MAX_DEPTH = 512;
const BODY_BYTES = 100_000;

const random = new Random(SEED);
const encoder = new TextEncoder();

function pick<Item>(items: readonly Item[]): Item {
  return items[random.below(items.length)] as Item;
}

/** An expected answer: an error's status and code, or 200 and `ok`. */
type Expected = readonly [status: number, code: string];

interface Case {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly expected: Expected;
}

const OK: Expected = [200, "ok"];
const SCHEMA: Expected = [400, "SCHEMA_ERROR"];
const CONFIG: Expected = [400, "CONFIG_ERROR"];
const NOT_FOUND: Expected = [404, "WEBTOOL_NOT_FOUND"];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a body that can be read has to be answered with. */
function judge(body: unknown): Expected {
  if (!isObject(body)) return SCHEMA;
  const { sessionId, version, action, config, request, _meta: meta } = body;
  for (const text of [sessionId, version, action]) if (text !== undefined && typeof text !== "string") return SCHEMA;
  if (request === undefined) return SCHEMA;
  if (config !== undefined && !isObject(config)) return CONFIG;
  if (meta !== undefined && !isRightMeta(meta)) return SCHEMA;
  if (version !== undefined && version !== "1.0.0" && version !== "2.1.0") return NOT_FOUND;
  const isOnly = version === "1.0.0";
  if (action === undefined && !isOnly) return SCHEMA;
  if ((action ?? "get_current") !== "get_current") return NOT_FOUND;
  if (!isObject(request)) return SCHEMA;
  if (isObject(meta) && typeof meta["continuation"] === "string") return SCHEMA;
  if (isObject(meta) && meta["promise"] === true) return SCHEMA;
  const { units = "metric", apiKey } = config ?? {};
  if ((units !== "metric" && units !== "imperial") || (apiKey !== undefined && typeof apiKey !== "string")) {
    return CONFIG;
  }
  return typeof request["location"] === "string" ? OK : SCHEMA;
}

function isRightMeta(meta: unknown): boolean {
  if (!isObject(meta)) return false;
  const { deadline_ms: deadlineMs, continuation, responses, promise } = meta;
  return (deadlineMs === undefined || (typeof deadlineMs === "number" && deadlineMs > 0)) &&
    (continuation === undefined || typeof continuation === "string") &&
    (responses === undefined || isObject(responses)) &&
    (promise === undefined || typeof promise === "boolean");
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of text.replaceAll(/"(?:\\.|[^"\\])*"?/g, "")) {
    if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
  }
  return deepest;
}

/** What bytes have to be answered with. */
function judgeBytes(bytes: Uint8Array): Expected {
  if (bytes.length > BODY_BYTES) return [413, "SCHEMA_ERROR"];
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (depthOf(text) > MAX_DEPTH) return SCHEMA;
    return judge(JSON.parse(text));
  } catch {
    return SCHEMA;
  }
}

/** A value that has no business where it is put. */
function oddValue(): unknown {
  return pick<() => unknown>([
    () => null,
    () => true,
    () => 1.5,
    () => 1e308,
    () => "",
    () => "constructor",
    () => "__proto__",
    () => "\0",
    () => "9.9.9",
    () => "x".repeat(random.below(3_000)),
    () => [],
    () => [[[]]],
    () => ({}),
    () => ({ then: 1, toJSON: 1, constructor: null }),
    () => ({ location: ["Paris"], units: 3 }),
  ])();
}

function rightBody(): Record<string, unknown> {
  return {
    ...(random.below(2) === 0 && { sessionId: "s" }),
    ...(random.below(2) === 0 && { version: pick(["1.0.0", "2.1.0"]) }),
    action: "get_current",
    ...(random.below(2) === 0 && { config: { units: pick(["metric", "imperial"]), apiKey: "k" } }),
    request: { location: "Paris" },
    ...(random.below(4) === 0 && { _meta: { deadline_ms: 5_000 } }),
  };
}

/** Puts something odd in one place, or takes something away. */
function damage(value: Record<string, unknown>): Record<string, unknown> {
  const key = pick([...Object.keys(value), "config", "_meta", "version", "action", "request"]);
  const member = value[key];
  if (isObject(member) && random.below(2) === 0) return { ...value, [key]: damage(member) };
  if (random.below(3) > 0) return { ...value, [key]: oddValue() };
  const { [key]: _, ...rest } = value;
  return rest;
}

function damageBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = random.below(bytes.length + 1);
  const inserted = pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x22], [0x7b], [0x5d], [0x2c], [0], [0x5c]]);
  switch (random.below(5)) {
    case 0:
      return bytes.slice(0, at);
    case 1:
      return bytes.slice(at);
    case 2:
      return new Uint8Array([...bytes.slice(0, at), ...inserted, ...bytes.slice(at)]);
    case 3:
      return new Uint8Array([...bytes, ...bytes]);
    default: {
      const copy = bytes.slice();
      copy[random.below(copy.length)] = random.below(256);
      return copy;
    }
  }
}

function nested(): string {
  const depth = pick([2, 500, 509, 510, 511, 512, 513, 3_000]);
  const inner = "[".repeat(depth) + "]".repeat(depth);
  return pick([inner, `{"action":"get_current","request":{"location":"P","x":${inner}}}`, "[".repeat(depth)]);
}

function makeBody(): Uint8Array<ArrayBuffer> {
  const right = rightBody();
  switch (random.below(8)) {
    case 0:
      return Uint8Array.from({ length: random.below(200) }, () => random.below(256));
    case 1:
      return encoder.encode(JSON.stringify(pick([[right], oddValue(), "text", null])));
    case 2:
      return encoder.encode(nested());
    case 3:
    case 4:
      return damageBytes(encoder.encode(JSON.stringify(right)));
    case 5:
      return encoder.encode(JSON.stringify({ ...right, pad: "x".repeat(pick([10, BODY_BYTES])) }));
    default:
      return encoder.encode(JSON.stringify(damage(damage(right))));
  }
}

function makeCase(): Case {
  const json = { "content-type": "application/json" };
  const body = makeBody();
  const post = { method: "POST", path: pick(["", "/", "?x=1"]), headers: json, body, expected: judgeBytes(body) };
  switch (random.below(12)) {
    case 0: {
      const path = pick([
        "/9.9.9",
        "/x",
        "/1.0.0/x",
        "/%",
        "/constructor",
        "/1.0.0%2f",
        "/%20",
        "//",
        `/${"a".repeat(2_000)}`,
      ]);
      const method = pick(["GET", "POST", "PUT", "DELETE"]);
      return { ...post, path, method, body: method === "GET" ? undefined : body, expected: NOT_FOUND };
    }
    case 1: {
      const path = pick(["", "/"]);
      return { ...post, path, method: pick(["PUT", "DELETE", "PATCH"]), expected: [405, "SCHEMA_ERROR"] };
    }
    case 2:
      return { ...post, path: pick(["/1.0.0", "/2.1.0/"]), expected: [405, "SCHEMA_ERROR"] };
    case 3: {
      const type = pick([
        "text/plain",
        "application/xml",
        "application/json; charset=utf-16",
        "application/jsonx",
        ";",
      ]);
      return { ...post, headers: { "content-type": type }, expected: [415, "SCHEMA_ERROR"] };
    }
    case 4:
      return { ...post, headers: { ...json, "content-encoding": "gzip" }, expected: [415, "SCHEMA_ERROR"] };
    case 5:
      return { ...post, headers: { ...json, origin: "https://evil.example" }, expected: [403, "PERMISSION_DENIED"] };
    default:
      return post;
  }
}

test(`${COUNT} malformed requests get the right envelope, code and status`, async () => {
  const { server } = createWeather({}, { limits: { depth: MAX_DEPTH, bodyBytes: BODY_BYTES } });
  const seen = new Map<string, number>();
  for (let count = 0; count < COUNT; count++) {
    const { method, path, headers, body, expected } = makeCase();
    const request = new Request(URL_BASE + path, { method, headers, ...(body && { body }) });
    const response = await server.fetch(request);
    const text = await response.text();
    const label = `${method} ${path.slice(0, 40)} ${JSON.stringify(headers)} ${
      JSON.stringify(new TextDecoder().decode(body?.slice(0, 300)))
    } ${text.slice(0, 300)}`;
    strictEqual(response.headers.get("content-type"), "application/json", label);
    const { status, data, error } = JSON.parse(text);
    deepStrictEqual([response.status, status === "ok" ? "ok" : error?.code], expected, label);
    if (status === "ok") strictEqual(typeof data.temperature, "number", label);
    else ok(status === "error" && typeof error.message === "string" && error.message !== "", label);
    seen.set(expected.join(" "), (seen.get(expected.join(" ")) ?? 0) + 1);
  }
  // The damage is of every kind, and most of it does harm.
  deepStrictEqual([...seen.keys()].sort(), [
    "200 ok",
    "400 CONFIG_ERROR",
    "400 SCHEMA_ERROR",
    "403 PERMISSION_DENIED",
    "404 WEBTOOL_NOT_FOUND",
    "405 SCHEMA_ERROR",
    "413 SCHEMA_ERROR",
    "415 SCHEMA_ERROR",
  ]);
  ok(
    (seen.get("200 ok") ?? 0) < COUNT / 5 && [...seen.values()].every((times) => times > 20),
    JSON.stringify([...seen]),
  );
  await server.close(0);
});
