/** Messages of MCP that are right, and what its answers may be, over any transport. */
import { ok, strictEqual } from "node:assert/strict";
import { CAPABILITIES, modernBody, VERSION } from "../../wires/mcp/server/client.ts";
import type { RandomChoices } from "./random.ts";
import { CALLS, heavyCall, METAS } from "../fixture_server.ts";
import { isObject, type Members, type Raw } from "./json.ts";
import { assertCallerCode } from "./expected_codes.ts";
import { MCP_CODES } from "../../wires/descriptions/mcp.ts";

const IDS = [1, "abc", 0, "", -5, 9_007_199_254_740_991] as const;

const METHODS = [
  "tools/call",
  "tools/call",
  "tools/call",
  "tools/call",
  "tools/list",
  "prompts/get",
  "prompts/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "completion/complete",
  "ping",
  "logging/setLevel",
  "tasks/get",
  "tasks/cancel",
] as const;

function paramsOf(random: RandomChoices, method: string): Members {
  switch (method) {
    case "tools/call":
      return { ...random.pick(CALLS), ...(random.oneIn(6) && { _meta: random.pick(METAS) }) };
    case "prompts/get":
      return { name: "review", arguments: { code: "x" } };
    case "resources/read":
      return { uri: random.pick(["docs://readme", "books://1", "books://2"]) };
    case "completion/complete":
      return { ref: { type: "ref/resource", uri: "books://{id}" }, argument: { name: "id", value: "1" } };
    case "logging/setLevel":
      return { level: "debug" };
    case "tasks/get":
    case "tasks/cancel":
      return { taskId: "prom_x" };
    default:
      return random.oneIn(3) ? { cursor: "x" } : {};
  }
}

/** A request of 2026-07-28. */
export function modernMessage(random: RandomChoices): Members {
  const method = random.pick([...METHODS, "server/discover"]);
  const { _meta, ...params } = paramsOf(random, method);
  return { ...modernBody(method, params, {}, isObject(_meta) ? _meta : {}), id: random.pick(IDS) };
}

/** A message of an older revision. */
export function legacyMessage(random: RandomChoices): Members {
  if (random.oneIn(20)) {
    return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: random.pick(IDS) } };
  }
  if (random.oneIn(20)) return { jsonrpc: "2.0", id: random.pick(IDS), result: { action: "accept", content: {} } };
  const method = random.pick([...METHODS, "resources/subscribe", "tasks/list", "tasks/result"]);
  const params = method === "resources/subscribe" ? { uri: "docs://readme" } : paramsOf(random, method);
  return { jsonrpc: "2.0", id: random.pick(IDS), method, params };
}

/** A message that is as much work as what is put into it. */
export function heavyMessage(random: RandomChoices, right: Members, part: Raw): unknown {
  const params = isObject(right["params"]) ? right["params"] : {};
  const meta = isObject(params["_meta"]) ? params["_meta"] : undefined;
  const call = { ...right, method: "tools/call", params: { ...heavyCall(random, part), ...(meta && { _meta: meta }) } };
  return random.pick([
    part,
    call,
    call,
    call,
    { ...right, params: { ...params, _meta: { ...meta, progressToken: part } } },
    { ...right, params: { ...params, _meta: { ...meta, [CAPABILITIES]: part } } },
    { ...right, params: { ...params, _meta: { ...meta, [VERSION]: part } } },
    { ...right, params: part },
    { ...right, method: part },
    { ...right, id: part },
    { ...right, params: { ...params, requestState: part, inputResponses: part } },
  ]);
}

/** Numbers that the protocol has beside our codes: those say nothing of a fault of ours. */
const NUMBERS = [-32700, -32600, -32601, -32602, -32000, -32001, -32002, -32020, -32021, -32022] as const;

/** Judges one message of a server; gives its kind in a word. */
export function judgeMessage(message: unknown, breaks: boolean, status?: number): string {
  ok(isObject(message), "It is no object");
  strictEqual(message["jsonrpc"], "2.0");
  if (typeof message["method"] === "string") return message["id"] === undefined ? "notification" : "question";
  const { id, result, error } = message;
  ok(id === null || typeof id === "string" || Number.isSafeInteger(id), `Its id is ${JSON.stringify(id)}`);
  ok((result === undefined) !== (error === undefined), "It has a result or an error");
  return error === undefined ? judgeResult(result, breaks) : judgeError(error, breaks, status);
}

function judgeResult(result: unknown, breaks: boolean): string {
  ok(isObject(result));
  if (result["isError"] !== true) return String(result["resultType"] ?? "result");
  const code = codeIn(result);
  // What a tool says against a call it says in its own words.
  if (JSON.stringify(result["_meta"]).includes('"toolwire/response-type":"failure"')) return `failure, ${code}`;
  const expected = MCP_CODES[assertCallerCode(code, breaks)];
  // A refusal that names no scopes is one of the tool.
  ok(expected === "isError" || code === "invalid_input" || code === "permission_denied", `${code} is a result`);
  return `isError, ${code}`;
}

/** Our code, wherever a result's `_meta` has it. */
function codeIn({ _meta: meta }: Members): string {
  ok(isObject(meta));
  const [, code = ""] = /"toolwire\/code":"(\w+)"/.exec(JSON.stringify(meta)) ?? [];
  return code;
}

function judgeError(error: unknown, breaks: boolean, status: number | undefined): string {
  ok(isObject(error));
  const { code: number, message, data } = error;
  ok(Number.isInteger(number) && typeof message === "string" && message.length > 0, JSON.stringify(error));
  const code = isObject(data) ? data["code"] : undefined;
  if (code === undefined) {
    ok(NUMBERS.includes(number as -32700), JSON.stringify(error));
    return String(number);
  }
  const expected = MCP_CODES[assertCallerCode(code, breaks)];
  // What is refused before it is read is refused by the transport: an origin, a host, a media type.
  const isGate = number === -32000 && (code === "permission_denied" || (code === "invalid_request" && status === 415));
  // An error that no tool returned, as of a method that throws.
  const [wanted, usual] = expected === "isError" ? [-32603, 200] : expected;
  ok(isGate || number === wanted || (number === -32002 && code === "resource_not_found"), JSON.stringify(error));
  // Older revisions say 200 where the request was read; the protocol's own refusals are 400 or what HTTP has for them.
  const fits = status === undefined || status === usual || status === 200 ||
    (code === "invalid_request" && status >= 400);
  ok(fits, `${status} for ${code}`);
  return String(code);
}
