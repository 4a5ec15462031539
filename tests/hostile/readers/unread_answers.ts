/** A caller that makes calls over one connection and reads none of the answers. */
import { ok, strictEqual } from "node:assert/strict";
import { createServer, defineTool } from "../../../mod.ts";
import { mcpDuplex } from "../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../src/wires/mcp/stdio/server/serve_lines.ts";
import { DESCRIPTIONS, without } from "../../wires/descriptions/all.ts";
import { Pipe } from "../../wires/mcp/stdio/in_process.ts";
import { type Guarantee, overCases } from "../guarantee.ts";
import { overPipes } from "../senders.ts";

const CALLS = 1_000;

const ANSWER = "x".repeat(1_000);

const turn = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Answers at once, in the same turn of the event loop, and later. */
const WAITS: Readonly<Record<string, () => unknown>> = {
  "answers of synchronous handlers": () => ANSWER,
  "answers of asynchronous handlers": () => Promise.resolve(ANSWER),
  "answers of handlers that wait": () => turn().then(() => ANSWER),
};

/** Makes the calls. Returns how many characters of answers have to be kept before the caller reads, and how many answers came at all. */
async function callWithoutReading(
  handler: () => unknown,
): Promise<{ readonly unread: number; readonly answers: number }> {
  const server = createServer({ tools: [defineTool("big").describe("Answer").handle(handler)] });
  const input = new Pipe();
  const room = Promise.withResolvers<void>();
  let [size, answers] = [0, 0];
  const write = (line: string) => {
    size += line.length;
    answers++;
    return room.promise;
  };
  const served = serveLines(mcpDuplex(), server["~server"].host, { input, write, graceMs: 60_000 });
  for (let id = 0; id < CALLS; id++) {
    input.put(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "big" } })}\n`);
  }
  for (let last = -1; last !== size;) {
    last = size;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const unread = size;
  room.resolve();
  input.end();
  await served;
  await server.close(0);
  return { unread, answers };
}

const UNCONNECTED = "one connection has one call at a time, or at most 256 over HTTP/2";

export const guarantees: readonly Guarantee[] = [
  {
    name: "unread-answers",
    statement:
      "For a client that calls and does not read, at most 100 answers wait on a connection, and no further call starts.",
    tests: overPipes(() => createServer({ tools: [] })).map((place) =>
      overCases(place, WAITS, async (_, handler) => {
        const { unread, answers } = await callWithoutReading(handler);
        ok(unread < 110 * 2 * (ANSWER.length + 100), `${unread} characters wait for a client that does not read`);
        strictEqual(answers, CALLS);
      })
    ),
    none: {
      ...Object.fromEntries(DESCRIPTIONS.map(({ name }) => [name, UNCONNECTED])),
      ...without("requests"),
    },
    also: ["tests/wires/mcp/stdio/unread_test.ts"],
  },
];
