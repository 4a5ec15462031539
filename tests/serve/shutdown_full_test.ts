/** `serve()` on each runtime: how it begins to listen, and how it ends. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { call, callBody, delay, eventsOf, isRefused, stream } from "./client.ts";
import { command, type Found, runtimes, startProgram, testWith } from "./programs.ts";

const program = "tests/serve/program.ts";
const hasIpv6: Found = Object.values(networkInterfaces()).flat().some((address) => address?.address === "::1")
  ? { path: "::1" }
  : { missing: "this machine has no IPv6 loopback" };

const flood = callBody("flood");
const big = callBody("big", { length: 8_000_000 });
const HEAD = "POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";

/** Requests of clients that neither send nor read any more. */
const STUCK = {
  "a body of which half was sent": `${HEAD}content-length: 1000\r\n\r\n${flood}`,
  "a reader that stalls": `${HEAD}accept: text/event-stream\r\ncontent-length: ${flood.length}\r\n\r\n${flood}`,
  "an answer that is not read": `${HEAD}content-length: ${big.length}\r\n\r\n${big}`,
};

for (const runtime of runtimes) {
  const { name } = runtime;

  testWith(`serve() on ${name} shuts down gracefully`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, "127.0.0.1", "0", "3000"));
    const dripping = await stream(server.url, "drip");
    const napping = call(server.url, "nap", { ms: 700 });
    await server.printed(/nap began/);
    const startedMs = Date.now();
    server.tell("close");
    await server.printed(/closing; same promise: true/);
    await delay(100);
    // Deno cannot stop listening without losing the means to close connections.
    if (name !== "deno") strictEqual(await isRefused(server.url), true, "a new connection is refused");
    else strictEqual((await call(server.url, "echo")).error.data.code, "unavailable", "a new call is refused");

    strictEqual((await napping).result.content, "rested", "a call under way ends");
    const events = await Array.fromAsync(eventsOf(dripping));
    const last = events.at(-1);
    strictEqual(last?.event, "error", "a stream that is still open after the grace is told so");
    strictEqual(last.data.code, -32000);
    strictEqual(last.data.data.code, "unavailable");
    deepStrictEqual(events.slice(0, -1).map(({ event }) => event).filter((event) => event !== "message"), []);
    ok(events.length > 2, `the stream went on during the grace: ${events.length} events`);

    await server.printed(/close resolved/);
    const tookMs = Date.now() - startedMs;
    ok(tookMs >= 2_900, `closed after ${tookMs} ms`);
    match(server.output(), /drip aborted/);
    await server.printed(/closed resolved/);
    await server.printed(/drip ended/);
    strictEqual(await server.exited, 0);
  });

  testWith(
    `serve() on ${name} closes at once when nothing is under way, idle connections or not`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program, "127.0.0.1", "0", "60000"));
      deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 });
      const startedMs = Date.now();
      server.tell("close");
      await server.printed(/close resolved/);
      ok(Date.now() - startedMs < 50_000, `closed after ${Date.now() - startedMs} ms`);
    },
  );

  testWith(`serve() on ${name} exits with 0 on SIGTERM, after the call under way`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, "127.0.0.1", "0", "60000", "SIGTERM"));
    const napping = call(server.url, "nap", { ms: 800 });
    await server.printed(/nap began/);
    server.signal("SIGTERM");
    strictEqual((await napping).result.content, "rested");
    const startedMs = Date.now();
    strictEqual(await server.exited, 0, server.output());
    ok(Date.now() - startedMs < 50_000, `exited ${Date.now() - startedMs} ms after the call`);
    match(server.output(), /closed resolved/);
  });

  for (const [what, request] of Object.entries(STUCK)) {
    testWith(`serve() on ${name} ends on SIGTERM despite ${what}`, [runtime.program], async (path) => {
      await using server = await startProgram(command(runtime, path, program, "127.0.0.1", "0", "300", "SIGTERM"));
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      const closed = new Promise((resolve) => socket.once("close", resolve));
      try {
        socket.pause();
        socket.write(request);
        deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 });
        await delay(500);
        server.signal("SIGTERM");
        await server.printed(/closed resolved/);
        strictEqual(await Promise.race([server.exited, delay(20_000).then(() => "it is still running")]), 0);
        socket.resume();
        await closed;
      } finally {
        socket.destroy();
      }
    });
  }

  testWith(`serve() on ${name} obeys a second SIGTERM`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, "127.0.0.1", "0", "150000", "SIGTERM"));
    const napping = call(server.url, "nap", { ms: 120_000 });
    napping.catch(() => {});
    await server.printed(/nap began/);
    const startedMs = Date.now();
    // Two signals at once may arrive as one.
    const exited = server.exited.then(() => true);
    do server.signal("SIGTERM"); while (!await Promise.race([exited, delay(300).then(() => false)]));
    ok(Date.now() - startedMs < 100_000, `exited after ${Date.now() - startedMs} ms`);
    await rejects(napping);
  });

  testWith(`serve() on ${name} says that a port is taken`, [runtime.program], async (path) => {
    await using first = await startProgram(command(runtime, path, program));
    const { port } = new URL(first.url);
    await using second = await startProgram(command(runtime, path, program, "127.0.0.1", port), { url: false });
    strictEqual(await second.exited, 1);
    match(second.output(), /Cannot listen: .*(in use|EADDRINUSE)/i);
    deepStrictEqual((await call(first.url, "echo", { still: "there" })).result.content, { still: "there" });
  });

  testWith(`serve() on ${name} listens on IPv6 loopback`, [runtime.program, hasIpv6], async (path) => {
    await using server = await startProgram(command(runtime, path, program, "::1"));
    match(server.url, /^http:\/\/\[::1\]:\d+$/);
    deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 });
  });

  testWith(`serve() on ${name} takes "localhost" as an address`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, "localhost"));
    deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 });
  });
}
