/** REST: arguments as bodies and as queries, envelopes, headers of metadata, paths of promises; answers as JSON and as streams. */
import { ok, strictEqual } from "node:assert/strict";
import { SseDecoder } from "../../../../src/http_client/sse.ts";
import { REST_STATUSES } from "../../../wires/descriptions/rest.ts";
import { CALLS, createFixtureServer, heavyMeta, METAS } from "../../fixture_server.ts";
import { isReadAsUtf8 } from "../bytes.ts";
import { assertCallerCode, assertNoLeak, mayBreak } from "../expected_codes.ts";
import { isObject, oddValue, write } from "../json.ts";
import type { RandomChoices } from "../random.ts";
import { describeRequest, jsonBody, oddHead, type Sent, setHeader, toRequest } from "../requests.ts";
import type { Target } from "../target.ts";

const BASE = "/rest/tools";
const NO_BODY = new Uint8Array();

const ODD_TEXTS = [
  "",
  "1",
  "-0",
  "1e999",
  "true",
  "null",
  "[1]",
  "{",
  '{"a":1}',
  "%",
  "%ff",
  "%00",
  "é",
  "a+b",
  "&",
  "=",
  "#",
];
const NAMES = ["text", "list", "orders", "mail", "either", "unit", "__proto__", "constructor", "x", "", "%", "%80"];
const HEADERS = [
  ["prefer", "respond-async"],
  ["prefer", "wait=0"],
  ["prefer", "wait=99999999999, respond-async"],
  ["prefer", ",;=wait"],
  ["idempotency-key", '"k"'],
  ["idempotency-key", '"'],
  ["idempotency-key", "x".repeat(300)],
  ["toolwire-deadline-ms", "5000"],
  ["toolwire-deadline-ms", "-1"],
  ["toolwire-deadline-ms", "NaN"],
  ["accept", "application/vnd.toolwire+json"],
] as const;

function query(random: RandomChoices): Sent {
  const pairs = Array.from({ length: random.below(6) }, () => {
    const value = random.oneIn(3) ? encodeURIComponent(write(oddValue(random)).toWellFormed()) : random.pick(ODD_TEXTS);
    return random.oneIn(8) ? value : `${random.pick(NAMES)}=${value}`;
  });
  const path = `${BASE}/${random.pick(["echo", "typed", "add", "nope"])}?${pairs.join("&")}`;
  return { method: random.pick(["GET", "GET", "GET", "HEAD"]), path, headers: new Headers(), body: NO_BODY };
}

function promise(random: RandomChoices): Sent {
  const token = random.pick(["x", "prom_", `prom_${"A".repeat(200)}`, "%", "%2f", "prom_%00", "__proto__", ""]);
  const path = `${BASE}/${random.pick(["slow", "echo", "nope", "__proto__"])}/promises/${token}`;
  return { method: random.pick(["GET", "DELETE", "HEAD", "POST"]), path, headers: new Headers(), body: NO_BODY };
}

function call(random: RandomChoices): Sent {
  const { name, arguments: args } = random.pick(CALLS);
  const donor = random.pick(CALLS).arguments;
  const path = `${BASE}/${random.oneIn(20) ? random.pick(["nope", "%", "a%2fb", "redeem"]) : name}`;
  if (random.oneIn(3)) {
    const right = { arguments: args, _meta: random.pick(METAS) };
    const body = jsonBody(
      random,
      right,
      { arguments: donor, _meta: random.pick(METAS) },
      (part) =>
        random.pick<() => unknown>([
          () => ({ ...right, arguments: part }),
          () => ({ ...right, _meta: heavyMeta(random, part) }),
          () => part,
        ])(),
    );
    return { method: "POST", path, headers: new Headers({ "content-type": "application/vnd.toolwire+json" }), body };
  }
  const body = jsonBody(
    random,
    args,
    donor,
    (part) => random.pick([part, { ...args, x: part }, { ...args, orders: part }]),
  );
  return { method: "POST", path, headers: new Headers({ "content-type": "application/json" }), body };
}

function makeRequest(random: RandomChoices): Sent {
  const sent = random.pick([query, promise, call, call, call])(random);
  // The digest of a large call with a key is computed at once, on every wire.
  if (random.oneIn(5) && sent.body.length < 60_000) {
    setHeader(sent.headers, ...random.pick<readonly [string, string]>(HEADERS));
  }
  return oddHead(random, sent);
}

/** See above. */
export const restTarget: Target = {
  name: "rest",
  open() {
    const logged: string[] = [];
    const server = createFixtureServer(logged);
    return Promise.resolve({
      make(random) {
        const sent = makeRequest(random);
        return {
          describe: () => describeRequest(sent),
          async send() {
            const response = await server.fetch(toRequest(sent));
            const text = await response.text();
            return () => judge(sent, response, text);
          },
        };
      },
      async isAlive() {
        strictEqual(logged.splice(0).join(), "");
        const headers = { "content-type": "application/json" };
        const init = { method: "POST", headers, body: '{"a":1,"b":[2]}' };
        strictEqual(await (await server.fetch(new Request(`http://localhost${BASE}/add`, init))).json(), 3);
      },
      close: () => server.close(0),
    });
  },
};

function judge({ method, path, body }: Sent, { status, headers }: Response, text: string): string {
  assertNoLeak(text);
  const breaks = mayBreak(path) || mayBreak(new TextDecoder().decode(body));
  if (status < 300 && method === "POST") ok(isReadAsUtf8(body), "It took what is not UTF-8");
  if (method === "HEAD") {
    strictEqual(text, "");
    return `head ${status}`;
  }
  if (status === 204) {
    strictEqual(text, "");
    return "nothing";
  }
  if (headers.get("content-type") === "text/event-stream") return `stream, ${judgeStream(text, breaks)}`;
  const json: unknown = JSON.parse(text);
  // The server itself refuses paths without a wire, and preflights.
  if (isObject(json) && json["jsonrpc"] === "2.0") return `refused ${status}`;
  if (status === 200) return "answer";
  if (status === 202) return judgePromise(json, headers);
  strictEqual(headers.get("content-type"), "application/problem+json", text.slice(0, 300));
  return judgeProblem(json, breaks, status);
}

function judgePromise(json: unknown, headers: Headers): string {
  ok(isObject(json) && typeof json["promise_token"] === "string");
  ok(headers.get("location")?.endsWith(`/promises/${json["promise_token"]}`));
  ok(/^\d+$/.test(headers.get("retry-after") ?? ""));
  return "promise";
}

function judgeProblem(json: unknown, breaks: boolean, status?: number): string {
  ok(isObject(json) && typeof json["detail"] === "string" && json["detail"] !== "", JSON.stringify(json));
  const { type, title, code, status: stated } = json;
  ok(typeof title === "string" && typeof code === "string");
  const kind = String(type).split(":")[2];
  if (kind !== "error") {
    strictEqual(stated, 422);
    return String(kind);
  }
  const statuses = REST_STATUSES[assertCallerCode(code, breaks)];
  // A refused host or origin is 403 on every wire.
  ok(statuses.includes(Number(stated)) || stated === 403, `${stated} for ${code}`);
  if (status !== undefined) strictEqual(stated, status);
  return code;
}

function judgeStream(text: string, breaks: boolean): string {
  const events = new SseDecoder().decode(text);
  const ends = events.filter(({ event }) => event === "done" || event === "error");
  const last = events.at(-1);
  ok(ends.length === 1 && last !== undefined && last === ends[0], text.slice(0, 300));
  return last.event === "done" ? "done" : judgeProblem(JSON.parse(last.data), breaks);
}
