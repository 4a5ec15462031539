/** MCP-lite over WebSocket: some messages of one socket, right and damaged, with ids that may be in use. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { openRaw, settle } from "../../../wires/websocket/raw_socket.ts";
import { createFixtureServer } from "../../fixture_server.ts";
import { isUtf8 } from "../bytes.ts";
import { assertNoLeak, mayBreak } from "../expected_codes.ts";
import { isObject } from "../json.ts";
import type { RandomChoices } from "../random.ts";
import type { Target } from "../target.ts";
import { judgeError, judgeResult, liteMessage } from "./mcp_lite.ts";

const decoder = new TextDecoder();

const NOTIFICATIONS = [
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
  '{"jsonrpc":"2.0","method":"notifications/heartbeat","params":5}',
];

/** A text message, or bytes, which are binary data on a socket. */
function message(random: RandomChoices): string | Uint8Array {
  if (random.oneIn(10)) return random.pick(NOTIFICATIONS);
  const bytes = liteMessage(random);
  if (!isUtf8(bytes)) return bytes;
  const text = decoder.decode(bytes);
  return random.oneIn(3) ? text.replace('"params":{', '"params":{"stream":true,') : text;
}

/** See above. */
export const websocketTarget: Target = {
  name: "websocket",
  open() {
    const logged: string[] = [];
    const server = createFixtureServer(logged);
    return Promise.resolve({
      make(random) {
        const messages = Array.from({ length: 1 + random.below(4) }, () => message(random));
        return {
          describe: () =>
            JSON.stringify(messages.map((one) => typeof one === "string" ? one.slice(0, 500) : [...one.slice(0, 100)])),
          async send() {
            const socket = await openRaw(server);
            for (const one of messages) socket.listener?.message(one);
            await settle();
            const { received, closeCode } = socket;
            socket.end(1000);
            return () => judge(messages, received, closeCode);
          },
        };
      },
      async isAlive() {
        deepStrictEqual(logged.splice(0), []);
        const socket = await openRaw(server);
        socket.send(
          '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[2]}}}',
        );
        await settle();
        strictEqual((JSON.parse(socket.received[0] ?? "{}") as { result?: { content?: number } }).result?.content, 3);
        socket.end(1000);
      },
      close: () => server.close(0),
    });
  },
};

function judge(
  messages: readonly (string | Uint8Array)[],
  received: readonly string[],
  code: number | undefined,
): string {
  const breaks = messages.some((one) => typeof one === "string" && mayBreak(one));
  if (messages.some((one) => typeof one !== "string")) ok(code === 1003 || code === 1009, `It closed with ${code}`);
  else ok(code === undefined || code === 1009, `It closed with ${code}`);
  return received.map((text) => judgeText(text, breaks)).at(-1) ?? (code === undefined ? "nothing" : `closed ${code}`);
}

function judgeText(text: string, breaks: boolean): string {
  assertNoLeak(text);
  const answer: unknown = JSON.parse(text);
  ok(isObject(answer));
  strictEqual(answer["jsonrpc"], "2.0");
  if (answer["method"] !== undefined) {
    strictEqual(answer["method"], "notifications/event");
    return "event";
  }
  if (answer["error"] !== undefined) return judgeError(answer["error"], breaks);
  deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "result"]);
  return judgeResult(answer["result"]);
}
