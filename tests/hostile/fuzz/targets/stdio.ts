/** MCP over pipes: bytes in pieces, cut into lines, of any revision. What it writes is messages, a line each. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { LineSplitter, type RefusedLine } from "../../../../src/wires/mcp/stdio/server/lines.ts";
import { modernBody } from "../../../wires/mcp/server/client.ts";
import { concat, cut } from "../bytes.ts";
import { createFixtureServer } from "../../fixture_server.ts";
import { assertNoLeak, mayBreak } from "../expected_codes.ts";
import { heavyMessage, judgeMessage, legacyMessage, modernMessage } from "../mcp_messages.ts";
import { jsonBody } from "../requests.ts";
import type { Target } from "../target.ts";
import { MemoryConnection } from "../../../wires/memory_connection.ts";

const encoder = new TextEncoder();

const INITIALIZE = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } },
};

/** See above. A connection a case: the first message decides the revision. */
export const stdioTarget: Target = {
  name: "stdio",
  open() {
    const logged: string[] = [];
    const server = createFixtureServer(logged);
    const host = server["~server"].host;
    return Promise.resolve({
      make(random) {
        const isModern = random.oneIn(2);
        const messageOf = isModern ? modernMessage : legacyMessage;
        const lines = Array.from({ length: 1 + random.below(3) }, () => {
          const right = messageOf(random);
          const isBatch = random.oneIn(15);
          const body = jsonBody(
            random,
            isBatch ? { batch: [right, messageOf(random)] } : right,
            messageOf(random),
            (part) => heavyMessage(random, right, part),
          );
          return concat(body, encoder.encode(random.pick(["\n", "\n", "\n", "\r\n", "\n\n", ""])));
        });
        const start = isModern || random.oneIn(4) ? "" : `${JSON.stringify(INITIALIZE)}\n`;
        const sent = concat(encoder.encode(start), ...lines);
        const pieces = cut(random, sent);
        return {
          describe: () => JSON.stringify(new TextDecoder().decode(sent.slice(0, 1_000))),
          async send() {
            const written: string[] = [];
            const connection = new MemoryConnection(
              mcpDuplex({ askTimeoutMs: 5 }),
              host,
              (line) => void written.push(line),
            );
            const splitter = new LineSplitter(host.limits.bodyBytes);
            const receive = (line: string | RefusedLine) =>
              connection.receive(line, typeof line === "string" ? undefined : line.start);
            for (const piece of pieces) splitter.push(piece).forEach(receive);
            const last = splitter.end();
            if (last !== undefined) receive(last);
            connection.abort();
            await connection.end();
            return () => judge(written, mayBreak(new TextDecoder().decode(sent)));
          },
        };
      },
      async isAlive() {
        deepStrictEqual(logged.splice(0), []);
        const written: string[] = [];
        const connection = new MemoryConnection(mcpDuplex(), host, (line) => void written.push(line));
        connection.receive(JSON.stringify(modernBody("tools/call", { name: "add", arguments: { a: 1, b: [2] } })));
        await connection.end();
        ok((written[0] ?? "").includes('"text":"3"'), "It does not add");
      },
      close: () => server.close(0),
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
