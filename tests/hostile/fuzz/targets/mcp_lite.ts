/** MCP-lite over HTTP: JSON-RPC, and its answers as JSON or as Server-Sent Events. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { SseDecoder } from "../../../../src/http_client/sse.ts";
import { isReadAsUtf8 } from "../bytes.ts";
import type { RandomChoices } from "../random.ts";
import { CALLS, createFixtureServer, heavyCall, heavyMeta, METAS } from "../../fixture_server.ts";
import { isObject } from "../json.ts";
import { assertCallerCode, assertNoLeak, mayBreak } from "../expected_codes.ts";
import { describeRequest, idOf, jsonBody, oddHead, type Sent, toRequest } from "../requests.ts";
import type { Judge, Target } from "../target.ts";
import { MCP_LITE_CODES } from "../../../wires/descriptions/mcp_lite.ts";

const BASE = "/mcp-lite/v1";

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
  "/prompts",
] as const;

const RESPONSE_TYPES = ["answer", "promise", "elicitation", "request-for-more-resource", "failure"];

function rightBody(random: RandomChoices) {
  const method = random.pick([
    "tools/call",
    "tools/call",
    "tools/call",
    "tools/list",
    "ping",
    "prompts/get",
    "prompts/list",
  ]);
  const params = method === "prompts/get" ? { name: "review", arguments: { code: "x" } } : random.pick(CALLS);
  return {
    jsonrpc: "2.0",
    id: random.pick<unknown>([1, "abc", 0, "", -5, 9_007_199_254_740_991]),
    method,
    params: { ...params, ...(random.oneIn(3) && { _meta: random.pick(METAS) }) },
  };
}

/** A message, right or damaged. */
export function liteMessage(random: RandomChoices): Uint8Array<ArrayBuffer> {
  const right = rightBody(random);
  return jsonBody(random, right, rightBody(random), (part) =>
    random.pick<() => unknown>([
      () => part,
      () => ({ ...right, method: "tools/call", params: heavyCall(random, part) }),
      () => ({ ...right, method: "tools/call", params: heavyCall(random, part) }),
      () => ({ ...right, method: "tools/call", params: heavyCall(random, part) }),
      () => ({ ...right, params: { ...right.params, _meta: random.pick([part, heavyMeta(random, part)]) } }),
      () => ({ ...right, params: { ...right.params, name: part } }),
      () => ({ ...right, method: part }),
      () => ({ ...right, id: part }),
    ])());
}

/** See above. */
export const mcpLiteTarget: Target = {
  name: "mcp-lite",
  open() {
    const logged: string[] = [];
    const server = createFixtureServer(logged);
    return Promise.resolve({
      make(random) {
        const body = liteMessage(random);
        const headers = new Headers({
          "content-type": random.pick(["application/json", "application/json; charset=utf-8"]),
        });
        const sent = oddHead(random, { method: "POST", path: BASE + random.pick(PATHS), headers, body });
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
        deepStrictEqual(logged.splice(0), []);
        const body =
          '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[2]}}}';
        const headers = { "content-type": "application/json" };
        const response = await server.fetch(
          new Request(`http://localhost${BASE}/calltools`, { method: "POST", headers, body }),
        );
        strictEqual((await response.json() as { result: { content: number } }).result.content, 3);
      },
      close: () => server.close(0),
    });
  },
};

function judge({ method, body }: Sent, { status, headers }: Response, text: string): ReturnType<Judge> {
  assertNoLeak(text);
  const sentText = new TextDecoder().decode(body);
  const breaks = mayBreak(sentText);
  if (headers.get("content-type") === "text/event-stream") {
    strictEqual(status, 200);
    return `stream, ${judgeStream(text, breaks)}`;
  }
  if (text === "" && method === "OPTIONS") return "options";
  strictEqual(headers.get("content-type"), "application/json", `${status} ${text.slice(0, 200)}`);
  if (method === "HEAD" && text === "") return "head";
  const answer: unknown = JSON.parse(text);
  if (status === 200) ok(isReadAsUtf8(body), "It took what is not UTF-8");
  const isList = Array.isArray(answer) || (isObject(answer) && answer["jsonrpc"] === undefined);
  if (status === 200 && isList) return "list";
  ok(isObject(answer));
  strictEqual(answer["jsonrpc"], "2.0");
  const id = idOf(body);
  if (status === 200) {
    deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "result"]);
    deepStrictEqual(answer["id"], Object.is(id, -0) ? 0 : id);
    return judgeResult(answer["result"]);
  }
  deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "error"]);
  ok(answer["id"] === null || answer["id"] == id, `Its id is ${JSON.stringify(answer["id"])}`);
  return judgeError(answer["error"], breaks, status);
}

/** Judges the result of a response. */
export function judgeResult(result: unknown): string {
  ok(isObject(result));
  const meta = result["_meta"];
  ok(isObject(meta) && typeof meta["timestamp"] === "string", JSON.stringify(result).slice(0, 300));
  const type = String(meta["response_type"]);
  ok(RESPONSE_TYPES.includes(type), type);
  return type;
}

/** Judges the error of a response, or of a message without status. */
export function judgeError(error: unknown, breaks: boolean, status?: number): string {
  ok(isObject(error));
  const { code: number, message, data } = error;
  ok(Number.isInteger(number) && typeof message === "string" && message.length > 0, JSON.stringify(error));
  const code = isObject(data) ? data["code"] : undefined;
  const [wanted, ...statuses] = MCP_LITE_CODES[assertCallerCode(code, breaks)];
  strictEqual(number, wanted, String(code));
  if (status !== undefined) ok(statuses.includes(status), `${status} for ${code}`);
  return String(code);
}

function judgeStream(text: string, breaks: boolean): string {
  const events = new SseDecoder().decode(text);
  const ends = events.filter(({ event }) => event === "done" || event === "error");
  strictEqual(ends.length, 1, text.slice(0, 300));
  const last = events.at(-1);
  ok(last !== undefined && last === ends[0]);
  return last.event === "done" ? judgeResult(JSON.parse(last.data)) : judgeError(JSON.parse(last.data), breaks);
}
