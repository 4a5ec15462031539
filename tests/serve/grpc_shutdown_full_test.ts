/** `serve()` with gRPC on each runtime: how it ends, and that nothing is lost by it. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { createClient, type ToolError } from "../../mod.ts";
import { grpcTransport } from "../../src/entries/grpc.ts";
import { ToolRequestSchema } from "../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { frame, framesOf } from "../wires/grpc/frames.ts";
import { openSession, send2 } from "../wires/grpc/http2_calls.ts";
import { delay, isRefused } from "./client.ts";
import { answers, callFrames, goaway } from "../hostile/requests/http2_attacks.ts";
import { http2Frame, RawConnection, Type, uint32 } from "../hostile/requests/http2_frames.ts";
import { command, grpcUrlOf, runtimes, startProgram, testWith } from "./programs.ts";

const program = "tests/serve/grpc_program.ts";
const BIG = 900_000;

for (const runtime of runtimes) {
  const { name } = runtime;

  for (const [where, grpc] of [["a port of its own", { port: 0 }], ["one port for all", true]] as const) {
    testWith(`gRPC on ${name}, ${where}, lets what is under way end, whole`, [runtime.program], async (path) => {
      const options = JSON.stringify({ grpc, graceMs: 1_500 });
      await using server = await startProgram(command(runtime, path, program, options));
      const url = await grpcUrlOf(server);
      const client = createClient(grpcTransport(url), { retry: { attempts: 0 } });
      // Each on its own connection, which ends with its last stream.
      const others = Array.from({ length: 4 }, () => createClient(grpcTransport(url), { retry: { attempts: 0 } }));
      const idle = createClient(grpcTransport(url));
      strictEqual(await idle["big"]?.({ length: BIG }), "x".repeat(BIG));
      const watcher = await openSession(url);
      const watched = send2(watcher, { path: "/grpc.health.v1.Health/Watch", pieces: [new Uint8Array(5)] });

      const napping = client["nap"]?.({ ms: 500 });
      const late = others.map((other) => other["late"]?.({ ms: 600, length: BIG }));
      const counted = others[0]?.["quiet"]?.stream({ ms: 400 });
      const pieces = Array.fromAsync(counted ?? []);
      const dripped: unknown[] = [];
      const dripping = (async () => {
        for await (const piece of others[1]?.["drip"]?.stream({}) ?? []) dripped.push(piece);
      })().catch((error: ToolError) => error.code);
      await server.printed(/nap began/);
      await server.printed(/(late began[^]*){4}/);
      await delay(100);
      const startedMs = Date.now();
      server.tell("close");
      await server.printed(/closing/);
      await delay(100);
      strictEqual(await isRefused(url), true, "a new connection is refused");
      const again = client["echo"]?.({}) ?? Promise.resolve();
      await rejects(again, { code: "unavailable" });

      strictEqual(await napping, "rested", "a call under way ends");
      for (const answer of late) strictEqual(await answer, "x".repeat(BIG), "and arrives whole");
      deepStrictEqual(await pieces, ["before", "after"], "and so does a stream");
      strictEqual(await dripping, "unavailable", "a stream that is still open after the grace is told so");
      ok(dripped.length > 10, `it went on during the grace: ${dripped.length} pieces`);
      const { grpc: status, body } = await watched;
      deepStrictEqual([status, framesOf(body).map(({ data }) => [...data])], [0, [[8, 1], [8, 2]]], "NOT_SERVING");
      await server.printed(/close resolved/);
      ok(Date.now() - startedMs < 4_000, `closed after ${Date.now() - startedMs} ms`);
      await server.printed(/drip ended/);
      strictEqual(await server.exited, 0);
      ok(!server.output().includes("ERROR"), server.output());
      watcher.destroy();
    });
  }

  for (const whose of ["server", "caller"]) {
    testWith(
      `gRPC on ${name} loses nothing of an answer that is read late, while its ${whose} closes`,
      [runtime.program],
      async (path) => {
        await using server = await startProgram(command(runtime, path, program, '{"grpc":{"port":0},"graceMs":5000}'));
        const url = await grpcUrlOf(server);
        const length = 20_000_000;
        const args = { ms: 200, length };
        const message = toBinary(ToolRequestSchema, create(ToolRequestSchema, { name: "late", arguments: args }));
        // All of it is sent at once, as far as windows go, and waits in sockets.
        using reader = new RawConnection(url).begin({ 4: 2 ** 30 });
        reader.send(http2Frame(Type.window, 0, 0, uint32(2 ** 30)), callFrames(1, undefined, frame(message)));
        await server.printed(/late began/);
        if (whose === "server") server.tell("close");
        else reader.send(goaway(0, 0));
        reader.socket.pause();
        await delay(500);
        reader.socket.resume();
        const last = await reader.ended(1, 5_000);
        const received = reader.frames.filter(({ type }) => type === Type.data).map(({ payload }) => payload.length);
        ok(received.reduce((sum, bytes) => sum + bytes, 0) > length, `${received.length} frames of data came`);
        strictEqual(last?.type, Type.headers, "and trailers");
        if (whose === "server") await server.printed(/close resolved/, 2_500);
      },
    );
  }

  testWith(`gRPC on ${name} closes at once beside idle connections`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, '{"grpc":{"port":0},"graceMs":8000}'));
    const url = await grpcUrlOf(server);
    strictEqual(await answers(url), true);
    const idle = Array.from({ length: 5 }, () => connect(url).on("error", () => {}));
    await Promise.all(idle.map((session) => new Promise((resolve) => session.once("remoteSettings", resolve))));
    await send2(idle[0]!, { path: "/mcplite.MCPLite/GetTools", pieces: [new Uint8Array(5)] });
    const startedMs = Date.now();
    server.tell("close");
    await server.printed(/close resolved/);
    ok(Date.now() - startedMs < 3_000, `closed after ${Date.now() - startedMs} ms`);
    for (const session of idle) session.destroy();
  });
}
