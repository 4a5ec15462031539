/**
 * A server to stop, starve and shout at: `program.ts <hostname> <port> <graceMs> [signal]`.
 *
 * It prints its URL and what becomes of its handlers. Without a signal it reads commands: `close` shuts it down, twice.
 */
import process from "node:process";
import { createServer, defineTool } from "../../mod.ts";
import { serve } from "../../src/runtime/serve.ts";

const [, , hostname = "127.0.0.1", port = "0", graceMs = "1000", signal] = process.argv;

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const print = (line: string) => process.stdout.write(`${line}\n`);
const piece = "x".repeat(65_536);
let flooded = 0;

const tools = [
  defineTool("echo").describe("Give back what came").handle((input) => input),
  defineTool("nap").describe("Answer late, whatever happens").handle(async ({ ms }) => {
    print("nap began");
    await delay(Number(ms));
    print("nap ended");
    return "rested";
  }),
  defineTool("watch").describe("Wait until the caller has gone").handle(async (_, ctx) => {
    print("watch began");
    await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    print("watch aborted");
  }),
  defineTool("drip").describe("Stream, slowly and for ever").handle(async function* (_, ctx) {
    ctx.signal.addEventListener("abort", () => print("drip aborted"));
    try {
      for (let count = 0;; count++) {
        yield count;
        await delay(50);
      }
    } finally {
      print("drip ended");
    }
  }),
  defineTool("quiet").describe("Say a word, be quiet, say another").timeout(60_000).handle(async function* ({ ms }) {
    yield "before";
    await delay(Number(ms));
    yield "after";
  }),
  defineTool("flood").describe("Stream as fast as the reader takes it").handle(async function* () {
    try {
      for (flooded = 0; flooded < 16_384; flooded++) yield piece;
    } finally {
      print("flood ended");
    }
  }),
  defineTool("flooded").describe("How much was streamed").handle(() => ({
    pieces: flooded,
    rss: process.memoryUsage.rss(),
  })),
];

const server = createServer({ name: "program", version: "1.0.0", tools });

try {
  const listening = await serve(server, {
    hostname,
    port: Number(port),
    graceMs: Number(graceMs),
    signals: signal === undefined ? [] : [signal as "SIGTERM"],
  });
  print(`Listening on ${listening.url}`);
  void listening.closed.then(() => print("closed resolved"));
  if (signal === undefined) {
    for await (const line of process.stdin.setEncoding("utf8")) {
      if (String(line).trim() !== "close") continue;
      const closing = listening.close();
      print(`closing; same promise: ${closing === listening.close()}`);
      await closing;
      print("close resolved");
      break;
    }
    // Handlers that were ended at the grace may still tidy up.
    await delay(200);
    process.exit(0);
  }
} catch (error) {
  print(`Cannot listen: ${String(error)} code=${(error as { code?: unknown }).code}`);
  process.exit(1);
}
