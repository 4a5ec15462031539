/** `serve()` on each runtime: readers that leave, and readers that do not read. */
import { match, ok, strictEqual } from "node:assert/strict";
import { connect } from "node:net";
import { call, callBody, delay, eventsOf, post, stream } from "../../serve/client.ts";
import { command, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { eventually } from "../../eventually.ts";

const program = "tests/serve/program.ts";
const PIECE_BYTES = 65_536;

for (const runtime of runtimes) {
  const { name } = runtime;

  testWith(
    `serve() on ${name} aborts a handler whose stream nobody reads any more`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program));
      for (let round = 1; round <= 2; round++) {
        const leaving = new AbortController();
        const response = await stream(server.url, "drip", {}, { signal: leaving.signal });
        for await (const { data } of eventsOf(response)) if (data.partial === 2) break;
        leaving.abort();
        await server.printed(new RegExp(`(drip aborted[^]*){${round}}`), 5_000);
        await server.printed(new RegExp(`(drip ended[^]*){${round}}`), 5_000);
      }
    },
  );

  testWith(
    `serve() on ${name} aborts a handler whose caller hangs up before the answer`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program));
      const leaving = new AbortController();
      const watching = post(server.url, "/calltools", callBody("watch"), { signal: leaving.signal });
      watching.catch(() => {});
      await server.printed(/watch began/);
      leaving.abort();
      // Deno says so late: at the heartbeat that opens the stream.
      await server.printed(/watch aborted/, 30_000);
    },
  );

  testWith(
    `serve() on ${name} aborts a handler whose caller hangs up before a stream has begun`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program));
      const leaving = new AbortController();
      const watching = stream(server.url, "watch", {}, { signal: leaving.signal });
      watching.catch(() => {});
      await server.printed(/watch began/);
      leaving.abort();
      // Deno says so late: at the heartbeat that opens the stream.
      await server.printed(/watch aborted/, 30_000);
    },
  );

  testWith(`serve() on ${name} aborts nothing when a stream was read to its end`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program));
    const response = await stream(server.url, "quiet", { ms: 100 });
    strictEqual((await Array.fromAsync(eventsOf(response))).at(-1)?.event, "done");
    await delay(200);
    ok(!server.output().includes("abort"), server.output());
  });

  testWith(
    `serve() on ${name} lets a handler wait for a reader that stalls, in bounded memory`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program));
      const before = (await call(server.url, "flooded")).result.content;
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      const body = callBody("flood");
      socket.on("error", () => {});
      socket.write(
        `POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
          `accept: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      try {
        await new Promise((resolve) => socket.once("data", resolve));
        socket.pause();
        await delay(1_500);
        const early = (await call(server.url, "flooded")).result.content;
        await delay(1_000);
        const late = (await call(server.url, "flooded")).result.content;
        ok(early.pieces > 0, "it streamed");
        strictEqual(late.pieces, early.pieces, "the handler waits");
        // What the sockets of both sides hold belongs to the operating system; the process itself should hold next to nothing.
        const streamedBytes = late.pieces * PIECE_BYTES;
        ok(streamedBytes < 48 * 2 ** 20, `the handler was stopped after ${streamedBytes} bytes`);
        ok(late.rss - before.rss < 96 * 2 ** 20, `the process grew by ${late.rss - before.rss} bytes`);

        let received = 0;
        socket.on("data", (data: Uint8Array) => (received += data.length));
        socket.resume();
        await eventually(() => received > streamedBytes, "the handler continues when the reader does");
      } finally {
        socket.destroy();
      }
      await server.printed(/flood ended/, 5_000);
      match(server.output(), /flood ended/);
    },
  );
}
