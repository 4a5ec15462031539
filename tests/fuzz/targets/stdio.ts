/** MCP over pipes: bytes in pieces, cut into lines, of any revision. What it writes is messages, a line each. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { StdioConnection } from "../../../src/wires/mcp/stdio/server/connection.ts";
import { LineSplitter } from "../../../src/wires/mcp/stdio/server/lines.ts";
import { modernBody } from "../../wires/mcp/server/client.ts";
import { concat, cut } from "../bytes.ts";
import { createHouse } from "../house.ts";
import { assertNoLeak, mayBreak } from "../law.ts";
import { heavyMessage, judgeMessage, legacyMessage, modernMessage } from "../mcp_messages.ts";
import { jsonBody } from "../requests.ts";
import type { Target } from "../target.ts";

const encoder = new TextEncoder();

const INITIALIZE = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } },
};

/** See above. A connection a case: what is sent first says what it speaks. */
export const stdioTarget: Target = {
  name: "stdio",
  open() {
    const logged: string[] = [];
    const house = createHouse(logged);
    const host = house["~host"];
    return Promise.resolve({
      make(dice) {
        const isModern = dice.oneIn(2);
        const messageOf = isModern ? modernMessage : legacyMessage;
        const lines = Array.from({ length: 1 + dice.below(3) }, () => {
          const right = messageOf(dice);
          const isBatch = dice.oneIn(15);
          const body = jsonBody(
            dice,
            isBatch ? { batch: [right, messageOf(dice)] } : right,
            messageOf(dice),
            (part) => heavyMessage(dice, right, part),
          );
          return concat(body, encoder.encode(dice.pick(["\n", "\n", "\n", "\r\n", "\n\n", ""])));
        });
        const start = isModern || dice.oneIn(4) ? "" : `${JSON.stringify(INITIALIZE)}\n`;
        const sent = concat(encoder.encode(start), ...lines);
        const pieces = cut(dice, sent);
        return {
          describe: () => JSON.stringify(new TextDecoder().decode(sent.slice(0, 1_000))),
          async send() {
            const written: string[] = [];
            const connection = new StdioConnection(host, { askTimeoutMs: 5 }, (line) => void written.push(line));
            const splitter = new LineSplitter(host.limits.bodyBytes);
            for (const piece of pieces) splitter.push(piece).forEach((line) => connection.receive(line));
            const last = splitter.end();
            if (last !== undefined) connection.receive(last);
            connection.abort();
            await connection.end();
            return () => judge(written, mayBreak(new TextDecoder().decode(sent)));
          },
        };
      },
      async isAlive() {
        deepStrictEqual(logged.splice(0), []);
        const written: string[] = [];
        const connection = new StdioConnection(host, {}, (line) => void written.push(line));
        connection.receive(JSON.stringify(modernBody("tools/call", { name: "add", arguments: { a: 1, b: [2] } })));
        await connection.end();
        ok((written[0] ?? "").includes('"text":"3"'), "It does not add");
      },
      close: () => house.close(0),
    });
  },
};

function judge(written: readonly string[], breaks: boolean): string {
  const kinds = written.map((line) => {
    ok(!/[\n\r]/.test(line), "It is more than a line");
    assertNoLeak(line);
    return judgeMessage(JSON.parse(line), breaks);
  });
  return kinds.at(-1) ?? "nothing";
}
