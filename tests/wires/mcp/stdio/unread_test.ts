/** A host that does not read: its calls wait, so that no more answers are kept than the pipe was given. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../../src/wires/mcp/stdio/server/serve_lines.ts";
import { Pipe } from "./in_process.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test("while the pipe is full, no further line is handled; afterwards all are, in order", async () => {
  let runs = 0;
  const count = defineTool("count").describe("Count").handle(() => ++runs);
  const server = createServer({ name: "unread", version: "1.0.0", tools: [count] });
  const input = new Pipe();
  const written: string[] = [];
  let room = Promise.withResolvers<void>();
  const write = (line: string) => {
    written.push(line);
    return room.promise;
  };
  const served = serveLines(mcpDuplex(), server["~server"].host, { input, write, graceMs: 0 });
  const call = (id: number) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "count", arguments: {} } });
  input.put(`${Array.from({ length: 100 }, (_, id) => call(id)).join("\n")}\n`);
  await turn();
  deepStrictEqual([runs, written.length], [1, 1]);
  room.resolve();
  room = Promise.withResolvers();
  await turn();
  deepStrictEqual([runs, written.length], [2, 2]);
  const last = room;
  room = Promise.withResolvers();
  room.resolve();
  last.resolve();
  input.end();
  await served;
  strictEqual(runs, 100);
  deepStrictEqual(written.map((line) => JSON.parse(line).id), Array.from({ length: 100 }, (_, id) => id));
  await server.close(0);
});
