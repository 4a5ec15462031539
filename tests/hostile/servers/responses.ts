/** Hostile servers against our clients: a call ends soon, in an error, and no request goes to another server. */
import { ok, strictEqual } from "node:assert/strict";
import { createClient, ToolError } from "../../../mod.ts";
import { jsonRpcErrorCodes } from "../../../src/wires/framing/json_rpc/reply.ts";
import { runtime } from "../../runtime/runtime.ts";
import { DESCRIPTIONS, without } from "../../wires/descriptions/all.ts";
import type { Fetch, Place, WireClient } from "../../wires/descriptions/description.ts";
import { type Cases, type Guarantee, overCases } from "../guarantee.ts";
import type { Transport } from "../../../src/entries/wire.ts";

/** What a server answers to whatever it is asked. */
export interface Hostile {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its type; default: that of the protocol. */
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** What comes after the body. Default: its end. */
  readonly then?: "the body again and again" | "nothing" | "a broken connection";
  /** Compresses the body. */
  readonly isBomb?: boolean;
  /** Codes that a call may end with. Default: any. */
  readonly codes?: readonly string[];
  /** Whether it is wrong by its id alone: only MCP goes by that, to the others a response is the answer to its request. */
  readonly isByIdAlone?: boolean;
}

const MAX_BYTES = 300_000;
const X = new Uint8Array(65_536).fill(0x78);
const ANY = Object.keys(jsonRpcErrorCodes);
const TOO_LONG = ["result_too_large"];
const BUSY = ["rate_limited", "unavailable", "invalid_request", "internal"];

const HTML = "<!doctype html><title>Hello</title><h1>It works!</h1>";

const ANSWERS: Cases<Hostile> = {
  "a page": { type: "text/html", body: HTML },
  "a page that says what it is not": { body: HTML },
  "the page of a broken proxy": { status: 502, type: "text/html", body: HTML, codes: ["unavailable"] },
  "a page to sign in at": { status: 401, type: "text/html", body: HTML, codes: ["unauthenticated"] },
  // Of a message of protobuf no bytes are an empty one.
  nothing: { codes: [...ANY, "answer"] },
  "a status without a body": { status: 204 },
  "a status that nobody knows": { status: 299, body: "{}" },
  "somebody else's answer": {
    isByIdAlone: true,
    body:
      '{"jsonrpc":"2.0","id":"of somebody else","result":{"content":[{"type":"text","text":"forged"}],"_meta":{"response_type":"answer"}}}',
  },
  "somebody else's event": {
    type: "text/event-stream",
    body:
      'event: message\ndata: {"jsonrpc":"2.0","id":"of somebody else","result":{"content":[{"type":"text","text":"forged"}]}}\n\n',
  },
  "half of an answer": { body: '{"jsonrpc":"2.0","id":1,"result":{"content":"o' },
  "half of an event": { type: "text/event-stream", body: 'event: done\ndata: {"content":1' },
  null: { body: "null" },
  "an empty array": { body: "[]" },
  "an empty object": { body: "{}", codes: ["internal", "invalid_request", "unavailable", "parse_error", "answer"] },
  "100,000 brackets": { body: "[".repeat(100_000) },
  "100,000 levels": { body: "[".repeat(100_000) + "]".repeat(100_000) },
  "bytes that are no text": { body: Uint8Array.from([0xff, 0xfe, 0x80, 0xc0]) },
  "a length of four gigabytes": { body: Uint8Array.from([0, 0xff, 0xff, 0xff, 0xff, 1]) },
  "an endless line": {
    body: X,
    then: "the body again and again",
    codes: [...TOO_LONG, "unavailable", "internal", "parse_error"],
  },
  "an endless line of a stream": {
    type: "text/event-stream",
    body: X,
    then: "the body again and again",
    codes: [...TOO_LONG, "unavailable", "internal", "parse_error", "invalid_request"],
  },
  "an endless page": { status: 500, type: "text/html", body: X, then: "the body again and again" },
  "a redirect": { status: 302, headers: { location: "https://evil.example/" }, codes: ["invalid_request"] },
  "a redirect that keeps the body": {
    status: 307,
    headers: { location: "https://evil.example/" },
    codes: ["invalid_request"],
  },
  "a redirect to a file": { status: 301, headers: { location: "file:///etc/passwd" }, codes: ["invalid_request"] },
  "a pause of years": { status: 429, headers: { "retry-after": "999999999" }, codes: BUSY },
  "a pause beyond numbers": { status: 503, headers: { "retry-after": "9".repeat(400) }, codes: BUSY },
  "a pause until some century": {
    status: 503,
    headers: { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" },
    codes: BUSY,
  },
  "silence after the head": { then: "nothing", codes: ["deadline_exceeded"] },
  // Read as an envelope it is too long, or invalid: that is reported at once.
  "silence within": {
    body: '{"jsonrpc"',
    then: "nothing",
    codes: ["deadline_exceeded", "result_too_large", "unavailable"],
  },
  "silence within a stream": { type: "text/event-stream", body: "event: message\n", then: "nothing" },
  "a broken connection": { body: '{"jsonrpc"', then: "a broken connection" },
};

const BOMB = { body: new Uint8Array(50_000_000), isBomb: true } satisfies Hostile;

/** A transport, with the name of its description and the media types of its responses. */
interface Protocol extends WireClient {
  readonly column: string;
  readonly responseTypes: readonly [response: string, streamed: string];
}

const PROTOCOLS: readonly Protocol[] = DESCRIPTIONS.flatMap(({ name: column, clients = [] }) =>
  clients.flatMap((client) =>
    client.responseTypes === undefined ? [] : [{ ...client, column, responseTypes: client.responseTypes }]
  )
);

/** A server whose answers the test sets. */
export interface Stage {
  readonly url: string;
  readonly fetch?: Fetch;
  /** What it answers from now on, with that type if it says none. */
  play(hostile: Hostile, type: string): void;
  /** How often it was asked, and for what. */
  readonly asked: readonly string[];
}

async function endOf(transport: Transport, isStreamed: boolean, idleTimeoutMs: number): Promise<string> {
  const { $ } = createClient(transport, {
    idleTimeoutMs,
    timeoutMs: 30_000,
    retry: { attempts: 2, baseDelayMs: 1 },
  });
  const options = { idempotencyKey: "so that it may be tried again" };
  try {
    await (isStreamed ? $.stream("t", {}, options).result : $.call("t", {}, options));
    return "answer";
  } catch (thrown) {
    if (thrown instanceof ToolError) return thrown.code;
    throw thrown;
  }
}

async function check(stage: Stage, protocol: Protocol, hostile: Hostile): Promise<void> {
  for (const [at, type] of protocol.responseTypes.entries()) {
    stage.play(hostile, type);
    const before = stage.asked.length;
    const transport = protocol.open(stage.url, {
      ...(stage.fetch !== undefined && { fetch: stage.fetch }),
      headers: { authorization: "Bearer of secrets" },
      maxResponseBytes: MAX_BYTES,
    });
    // Who answers in time does so on a busy machine, too. Below 16 s a call would be streamed, for earlier heartbeats.
    const code = await endOf(transport, at === 1, hostile.then === "nothing" ? 120 : 20_000);
    transport.close?.();
    const codes = hostile.isByIdAlone && protocol.matchesIds !== true ? [...ANY, "answer"] : hostile.codes ?? ANY;
    ok(codes.includes(code), `${at === 1 ? "streamed" : "called"}: ${code}`);
    // Retries of what may pass, and what a protocol asks before it calls.
    ok(stage.asked.length - before <= 8, `asked ${stage.asked.length - before} times`);
    strictEqual(stage.asked.find((url) => !url.startsWith(stage.url)), undefined);
  }
}

function fakeFetch(protocol: Protocol): Place<Stage> {
  return {
    column: protocol.column,
    where: `${protocol.name}, in process`,
    open() {
      let [playing, type]: [Hostile, string] = [{}, ""];
      const asked: string[] = [];
      const stage: Stage = {
        url: "http://127.0.0.1:9",
        asked,
        play: (hostile, own) => ([playing, type] = [hostile, own]),
        fetch(url, { signal }) {
          asked.push(url);
          const { status = 200, headers = {}, type: reply = type } = playing;
          const isEmpty = status === 204;
          const body = isEmpty ? null : bodyOf(playing, signal);
          return Promise.resolve(
            new Response(body, { status, headers: { ...(!isEmpty && { "content-type": reply }), ...headers } }),
          );
        },
      };
      return Promise.resolve(Object.assign(stage, { [Symbol.asyncDispose]: () => Promise.resolve() }));
    },
  };
}

function bodyOf({ body = "", then }: Hostile, signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  let isSent = bytes.length === 0;
  return new ReadableStream<Uint8Array>({
    start: (controller) =>
      signal?.addEventListener("abort", () => {
        try {
          controller.error(signal.reason);
        } catch {
          // It had ended.
        }
      }),
    pull(controller) {
      if (!isSent || then === "the body again and again") {
        isSent = true;
        return controller.enqueue(bytes.slice());
      }
      if (then === undefined) return controller.close();
      if (then === "a broken connection") return controller.error(new Error("reset"));
      return new Promise(() => {});
    },
  }, { highWaterMark: 0 });
}

function overSocket({ column, name, isHttp2 = false }: Protocol): Place<Stage> {
  return {
    column,
    where: `${name}, over a socket`,
    skip: runtime === "workerd" && "workerd opens no sockets",
    open: async () => await (await import("./scripted_server.ts")).openHostile(isHttp2),
  };
}

const tests = PROTOCOLS.flatMap((protocol) =>
  [
    ...(protocol.isHttp2 ? [] : [[fakeFetch(protocol), ANSWERS] as const]),
    [overSocket(protocol), { ...ANSWERS, "a bomb of gzip": BOMB }] as const,
  ].map(([place, cases]) => overCases(place, cases, (stage, hostile) => check(stage, protocol, hostile)))
);

export const guarantees: readonly Guarantee[] = [{
  name: "hostile-servers",
  statement:
    "A server with pages, truncated bodies, endless lines, compression bombs, redirects or silence ends a call in an error: within limits of size and time, without requests to other servers.",
  tests,
  mayOverlap: true,
  none: without("clients of foreign servers"),
  also: [
    "tests/client/http_answers_test.ts",
    "tests/client/limits_test.ts",
    "tests/client/retry_test.ts",
    "tests/hostile/servers/grpc_test.ts",
    "tests/hostile/servers/replies_test.ts",
    "tests/hostile/servers/deep_answers_test.ts",
    "tests/hostile/servers/mcp_floods_test.ts",
    "tests/hostile/servers/redirects_full_test.ts",
    "tests/hostile/servers/openapi_test.ts",
    "tests/hostile/servers/jwks_test.ts",
    "tests/wires/mcp/client/modern_test.ts",
    "tests/wires/mcp/client/stdio_full_test.ts",
  ],
}];
