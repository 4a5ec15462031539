/** MCP-lite over gRPC, by what `fetch` carries: Connect in JSON and in bytes, gRPC-Web plain and as text. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import {
  PromptsListSchema,
  ToolResponseSchema,
  ToolsListSchema,
} from "../../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { framesOf, textOf } from "../../../wires/grpc/frames.ts";
import { concat } from "../bytes.ts";
import type { RandomChoices } from "../random.ts";
import { createFixtureServer } from "../../fixture_server.ts";
import { isObject } from "../json.ts";
import { assertCallerCode, assertNoLeak, mayBreak } from "../expected_codes.ts";
import { describeRequest, oddHead, type Sent, setHeader, toRequest } from "../requests.ts";
import { binaryMessage, envelope, jsonMessage, makeZips, oddRpcHeader, reasonOf, type Zips } from "../rpc_messages.ts";
import type { OpenTarget, Target } from "../target.ts";
import { GRPC_CODES } from "../../../wires/descriptions/grpc.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const SERVICE = "/mcplite.MCPLite";
const METHODS = ["CallTool", "CallTool", "CallToolStream", "CallToolStream", "GetTools", "GetPrompts"] as const;

/** What is sent, and whether it may have called the tool that breaks. */
interface RpcSent extends Sent {
  readonly breaks: boolean;
}

function connectRequest(random: RandomChoices, zips: Zips): RpcSent {
  const method = random.pick(METHODS);
  const isJson = random.oneIn(2);
  const message = isJson ? jsonMessage(random) : binaryMessage(random);
  const isStream = method === "CallToolStream";
  const type = `application/${isStream ? "connect+" : ""}${isJson ? "json" : "proto"}`;
  return finish(random, method, type, message, isStream ? envelope(random, message, zips) : message);
}

function grpcWebRequest(random: RandomChoices, zips: Zips): RpcSent {
  const message = binaryMessage(random);
  const framed = envelope(random, message, zips);
  const isText = random.oneIn(3);
  const suffix = random.pick(["", "+proto"]);
  const type = `application/grpc-web${isText ? "-text" : ""}${suffix}`;
  return finish(random, random.pick(METHODS), type, message, isText ? base64(random, framed) : framed);
}

function finish(random: RandomChoices, method: string, type: string, message: Bytes, body: Bytes): RpcSent {
  const headers = new Headers({ "content-type": type });
  if (random.oneIn(8)) setHeader(headers, ...oddRpcHeader(random));
  const sent = oddHead(random, { method: "POST", path: `${SERVICE}/${method}`, headers, body });
  return { ...sent, breaks: mayBreak(textOf(message)) };
}

function base64(random: RandomChoices, bytes: Bytes): Bytes {
  // A spread of a megabyte is more than a call takes.
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const text = btoa(binary);
  return new TextEncoder().encode(
    random.oneIn(8) ? `${text.slice(0, -random.below(5))}${random.pick(["=", "*", "A", " "])}` : text,
  );
}

async function target(requestOf: (random: RandomChoices, zips: Zips) => RpcSent): Promise<OpenTarget> {
  const zips = await makeZips();
  const logged: string[] = [];
  const server = createFixtureServer(logged);
  return {
    make(random) {
      const sent = requestOf(random, zips);
      return {
        describe: () => describeRequest(sent),
        async send() {
          const response = await server.fetch(toRequest(sent));
          const bytes = new Uint8Array(await response.arrayBuffer());
          return () => judge(sent, response, bytes);
        },
      };
    },
    async isAlive() {
      deepStrictEqual(logged.splice(0), []);
      const headers = { "content-type": "application/json" };
      const body = '{"name":"add","arguments":{"a":1,"b":[2]}}';
      const response = await server.fetch(
        new Request(`http://localhost${SERVICE}/CallTool`, { method: "POST", headers, body }),
      );
      strictEqual((await response.json() as { result: { content: number } }).result.content, 3);
    },
    close: () => server.close(0),
  };
}

/** Names of Connect's codes, their numbers, and their HTTP statuses. */
const CONNECT_CODES: Readonly<Record<string, readonly [number: number, status: number]>> = {
  canceled: [1, 499],
  invalid_argument: [3, 400],
  deadline_exceeded: [4, 504],
  not_found: [5, 404],
  already_exists: [6, 409],
  permission_denied: [7, 403],
  resource_exhausted: [8, 429],
  unimplemented: [12, 501],
  internal: [13, 500],
  unauthenticated: [16, 401],
};

/** What the protocols themselves refuse, without a code of ours. */
const PLAIN: readonly number[] = [3, 12];

function judge(sent: RpcSent, response: Response, bytes: Bytes): string {
  assertNoLeak(textOf(bytes) + JSON.stringify([...response.headers]));
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (bytes.length === 0 && status !== 200) {
    ok([204, 405, 415].includes(status), `${status}`);
    return `${status}`;
  }
  if (/^application\/grpc-web/.test(type)) return `grpc-web, ${judgeWeb(sent, bytes, headers)}`;
  if (/^application\/connect\+/.test(type)) return `stream, ${judgeStream(sent, bytes, type)}`;
  if (status === 200) return judgeMessage(sent, bytes, type);
  const error: unknown = JSON.parse(textOf(bytes));
  ok(isObject(error), textOf(bytes));
  // Of no path of the wire, or before any wire.
  if (error["jsonrpc"] === "2.0") return `${status} of the gate`;
  // Input that is not a request of the protocol is rejected by its HTTP status.
  const isForeign = status === (sent.method === "POST" ? 415 : 405);
  return judgeError(error, sent.breaks, isForeign ? undefined : status);
}

function judgeMessage({ path }: Sent, bytes: Bytes, type: string): string {
  if (type === "application/json") {
    const answer: unknown = JSON.parse(textOf(bytes));
    ok(isObject(answer), textOf(bytes).slice(0, 200));
    return "answer";
  }
  strictEqual(type, "application/proto");
  fromBinary(schemaOf(path), bytes, { recursionLimit: 4_096 });
  return "answer";
}

function schemaOf(path: string): DescMessage {
  if (path.includes("GetTools")) return ToolsListSchema;
  return path.includes("GetPrompts") ? PromptsListSchema : ToolResponseSchema;
}

function judgeError(error: unknown, breaks: boolean, status?: number): string {
  ok(isObject(error));
  const { code, message = "", details = [] } = error;
  ok(typeof message === "string" && Array.isArray(details));
  const [number, wanted] = CONNECT_CODES[String(code)] ?? [];
  ok(number !== undefined, JSON.stringify(error).slice(0, 300));
  if (status !== undefined) strictEqual(status, wanted);
  const info = details.find((detail) => isObject(detail) && detail["type"] === "google.rpc.ErrorInfo") as unknown;
  const reason = isObject(info) && isObject(info["debug"]) ? info["debug"]["reason"] : undefined;
  return judgeReason(number, reason, breaks, String(message));
}

function judgeReason(number: number, reason: unknown, breaks: boolean, message: string): string {
  if (reason === undefined) {
    ok(PLAIN.includes(number), `${number}: ${message}`);
    return `plain ${number}`;
  }
  strictEqual(number, GRPC_CODES[assertCallerCode(reason, breaks)], String(reason));
  return String(reason);
}

function judgeStream(sent: RpcSent, bytes: Bytes, type: string): string {
  const frames = framesOf(bytes);
  const last = frames.at(-1);
  ok(last !== undefined && last.flags === 2, "It does not end");
  deepStrictEqual(frames.slice(0, -1).filter(({ flags }) => flags !== 0), []);
  for (const { data } of frames.slice(0, -1)) judgeMessage(sent, concat(data), type.replace("connect+", ""));
  const end: unknown = JSON.parse(textOf(last.data));
  ok(isObject(end));
  return end["error"] === undefined ? "answer" : judgeError(end["error"], sent.breaks);
}

function judgeWeb(sent: RpcSent, bytes: Bytes, headers: Headers): string {
  const isText = headers.get("content-type")?.includes("-text") ?? false;
  const plain = isText ? decodeText(bytes) : bytes;
  if (plain.length === 0) return judgeStatus(headers, sent.breaks);
  const frames = framesOf(plain);
  const last = frames.at(-1);
  ok(last !== undefined && last.flags === 0x80, "It has no trailers");
  for (const { flags, data } of frames.slice(0, -1)) {
    strictEqual(flags, 0);
    fromBinary(schemaOf(sent.path), data, { recursionLimit: 4_096 });
  }
  const lines = textOf(last.data).split("\r\n").filter((line) => line !== "");
  return judgeStatus(
    new Headers(lines.map((line): [string, string] => [line.split(":")[0] ?? "", line.replace(/^[^:]*:/, "")])),
    sent.breaks,
  );
}

function judgeStatus(trailers: Headers, breaks: boolean): string {
  const number = Number(trailers.get("grpc-status") ?? NaN);
  ok(Number.isInteger(number), JSON.stringify([...trailers]));
  if (number === 0) return "answer";
  const reason = reasonOf(trailers.get("grpc-status-details-bin") ?? undefined);
  return judgeReason(number, reason, breaks, trailers.get("grpc-message") ?? "");
}

/** Base64 in pieces, each padded for itself. */
function decodeText(bytes: Bytes): Bytes {
  const pieces = textOf(bytes).match(/[^=]+=*/g) ?? [];
  return concat(...pieces.map((piece) => Uint8Array.from(atob(piece), (char) => char.charCodeAt(0))));
}

/** Connect. */
export const connectTarget: Target = { name: "connect", open: () => target(connectRequest) };

/** gRPC-Web. */
export const grpcWebTarget: Target = { name: "grpc-web", open: () => target(grpcWebRequest) };
