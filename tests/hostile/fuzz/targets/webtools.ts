/**
 * Webtools. The expected code and status come from a second implementation of the specification, below, for just the damage that
 * was done.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createWeather, URL_BASE } from "../../../wires/webtools/weather.ts";
import type { RandomChoices } from "../random.ts";
import { isObject, type Members } from "../json.ts";
import { assertNoLeak } from "../expected_codes.ts";
import { jsonBody } from "../requests.ts";
import type { Target } from "../target.ts";

const MAX_DEPTH = 512;
const BODY_BYTES = 1_048_576;

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

function rightBody(random: RandomChoices): Record<string, unknown> {
  return {
    ...(random.oneIn(2) && { sessionId: "s" }),
    ...(random.oneIn(2) && { version: random.pick(["1.0.0", "2.1.0"]) }),
    action: "get_current",
    ...(random.oneIn(2) && { config: { units: random.pick(["metric", "imperial"]), apiKey: "k" } }),
    request: { location: "Paris" },
    ...(random.oneIn(4) && { _meta: { deadline_ms: 5_000 } }),
  };
}

function makeBody(random: RandomChoices): Uint8Array<ArrayBuffer> {
  const right: Members = rightBody(random);
  return jsonBody(random, right, rightBody(random), (part) =>
    random.pick<unknown>([
      part,
      { ...right, request: part },
      { ...right, request: { location: part } },
      { ...right, request: { location: "Paris", x: part } },
      { ...right, config: part },
      { ...right, config: { units: part } },
      { ...right, version: part },
      { ...right, action: part },
      { ...right, sessionId: part },
      { ...right, _meta: part },
    ]));
}

function makeCase(random: RandomChoices): Case {
  const json = { "content-type": "application/json" };
  const body = makeBody(random);
  const post = {
    method: "POST",
    path: random.pick(["", "/", "?x=1"]),
    headers: json,
    body,
    expected: judgeBytes(body),
  };
  switch (random.below(12)) {
    case 0: {
      const path = random.pick([
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
      const method = random.pick(["GET", "POST", "PUT", "DELETE"]);
      return { ...post, path, method, body: method === "GET" ? undefined : body, expected: NOT_FOUND };
    }
    case 1: {
      const path = random.pick(["", "/"]);
      return { ...post, path, method: random.pick(["PUT", "DELETE", "PATCH"]), expected: [405, "SCHEMA_ERROR"] };
    }
    case 2:
      return { ...post, path: random.pick(["/1.0.0", "/2.1.0/"]), expected: [405, "SCHEMA_ERROR"] };
    case 3: {
      const type = random.pick([
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

/** See above. */
export const webtoolsTarget: Target = {
  name: "webtools",
  open() {
    const { server, sessions } = createWeather({}, { limits: { depth: MAX_DEPTH, bodyBytes: BODY_BYTES } });
    return Promise.resolve({
      make(random) {
        const { method, path, headers, body, expected } = makeCase(random);
        const start = new TextDecoder().decode(body?.slice(0, 600));
        return {
          describe: () =>
            `${method} ${path.slice(0, 40)} ${JSON.stringify(headers)} ${JSON.stringify(start)} ${expected}`,
          async send() {
            const request = new Request(URL_BASE + path, { method, headers, ...(body && { body }) });
            const response = await server.fetch(request);
            const text = await response.text();
            return () => judgeAnswer(response, text, expected);
          },
        };
      },
      async isAlive() {
        sessions.length = 0;
        const response = await server.fetch(new Request(URL_BASE));
        strictEqual(response.status, 200);
        await response.text();
      },
      close: () => server.close(0),
    });
  },
};

function judgeAnswer(response: Response, text: string, expected: Expected): string {
  assertNoLeak(text);
  strictEqual(response.headers.get("content-type"), "application/json", text.slice(0, 300));
  const { status, data, error } = JSON.parse(text);
  deepStrictEqual([response.status, status === "ok" ? "ok" : error?.code], expected, text.slice(0, 300));
  if (status === "ok") strictEqual(typeof data.temperature, "number", text.slice(0, 300));
  else ok(status === "error" && typeof error.message === "string" && error.message !== "", text.slice(0, 300));
  return expected.join(" ");
}
