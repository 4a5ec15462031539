/** gRPC on each runtime: readers that leave, readers that do not read, and clients that end by themselves. */
import { match, ok, strictEqual } from "node:assert/strict";
import { createClient } from "../../../mod.ts";
import { grpcTransport } from "../../../src/entries/grpc.ts";
import { delay } from "../../serve/client.ts";
import { CANCEL, reset, streamFrames } from "../requests/http2_attacks.ts";
import { http2Frame, RawConnection, Type, uint32 } from "../requests/http2_frames.ts";
import { command, grpcUrlOf, runProgram, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { eventually } from "../../eventually.ts";

const program = "tests/serve/grpc_program.ts";
const PIECE_BYTES = 65_536;
const PORT = '{"grpc":{"port":0}}';

interface Flooded {
  readonly pieces: number;
  readonly rss: number;
}

for (const runtime of runtimes) {
  const { name } = runtime;

  testWith(
    `gRPC on ${name} aborts handlers whose callers have left, streamed or not`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program, PORT));
      const url = await grpcUrlOf(server);
      using connection = new RawConnection(url).begin();
      const leave = async (round: number) => {
        await server.printed(new RegExp(`((drip|watch) aborted[^]*){${round}}`), 5_000);
      };
      connection.send(streamFrames(1, "drip"), callOf(3, "watch"));
      await connection.came(({ type, stream }) => type === Type.data && stream === 1);
      await server.printed(/watch began/);
      connection.send(reset(1, CANCEL), reset(3, CANCEL));
      await leave(2);
      // And all at once, with the connection.
      connection.send(streamFrames(5, "drip"), callOf(7, "watch"));
      await connection.came(({ type, stream }) => type === Type.data && stream === 5);
      await server.printed(/(watch began[^]*){2}/);
      connection.socket.destroy();
      await leave(4);
      await server.printed(/(drip ended[^]*){2}/, 5_000);
      ok(!server.output().includes("ERROR"), server.output());
    },
  );

  testWith(`gRPC on ${name} aborts nothing when all was read`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, PORT));
    const client = createClient(grpcTransport(await grpcUrlOf(server)));
    strictEqual(await client["quiet"]?.stream({ ms: 50 }).result, "beforeafter");
    strictEqual(await client["nap"]?.({ ms: 50 }), "rested");
    client.$.close();
    await delay(100);
    ok(!server.output().includes("abort"), server.output());
  });

  for (const [how, windowBytes] of [["by HTTP/2", 65_535], ["by its socket", 2 ** 30]] as const) {
    testWith(
      `gRPC on ${name} lets a handler wait for a reader that stalls ${how}, in bounded memory`,
      [runtime.program],
      async (path) => {
        await using server = await startProgram(command(runtime, path, program, PORT));
        const url = await grpcUrlOf(server);
        const client = createClient(grpcTransport(url));
        const flooded = async () => await client["flooded"]?.({}) as Flooded;
        const before = await flooded();
        using reader = new RawConnection(url).begin({ 4: windowBytes });
        if (windowBytes > 65_535) reader.send(http2Frame(Type.window, 0, 0, uint32(windowBytes)));
        reader.send(streamFrames(1, "flood"));
        await reader.came(({ type }) => type === Type.data);
        reader.socket.pause();
        let early = before;
        let late = await flooded();
        // A busy machine fills the buffers slowly.
        for (let looks = 0; looks < 100 && (looks === 0 || late.pieces > early.pieces); looks++) {
          early = late;
          await delay(700);
          late = await flooded();
        }
        ok(early.pieces > 0, "it streamed");
        strictEqual(late.pieces, early.pieces, "the handler waits");
        const streamedBytes = late.pieces * PIECE_BYTES;
        ok(streamedBytes < 48 * 2 ** 20, `the handler was stopped after ${streamedBytes} bytes`);
        ok(late.rss - before.rss < 96 * 2 ** 20, `the process grew by ${late.rss - before.rss} bytes`);
        reader.socket.resume();
        reader.send(...[0, 1].map((stream) => http2Frame(Type.window, 0, stream, uint32(2 ** 24))));
        await eventually(
          async () => (await flooded()).pieces > late.pieces,
          "the handler continues when the reader does",
        );
        reader.socket.destroy();
        await server.printed(/flood ended/);
        client.$.close();
      },
    );
  }

  testWith(`grpcTransport() on ${name} keeps no process from its end`, [runtime.program], async (path) => {
    const [bun] = runtimes;
    const serverPath = bun !== undefined && "path" in bun.program ? bun.program.path : path;
    await using server = await startProgram([serverPath, program, PORT]);
    const url = await grpcUrlOf(server);
    const script = "tests/serve/grpc_client_program.ts";
    const run = (address: string, what: string) =>
      // A bound for a program that hangs: six runtimes start at once, which takes a busy machine long.
      runProgram(command(runtime, path, script, address, what), { withinMs: 60_000 });
    const wanted: Readonly<Record<string, RegExp>> = {
      answered: /^answered: {"a":1}; {}$/m,
      late: /^late: "rested"; {}$/m,
      streamed: /^streamed: 3; {}$/m,
      left: /^left: left; {}$/m,
      forbidden: /^forbidden: .+; {}$/m,
      timed: /^timed: deadline_exceeded; {}$/m,
    };
    await Promise.all(
      Object.entries(wanted).map(async ([what, reply]) => {
        const { code, stdout, stderr } = await run(url, what);
        match(stdout, reply, stderr);
        strictEqual(code, 0, what);
      }),
    );
    const refused = await run("127.0.0.1:1", "answered");
    match(refused.stdout, /^answered: unavailable; unavailable$/m, refused.stderr);
    strictEqual(refused.code, 0);
  });
}

function callOf(stream: number, tool: string): Uint8Array {
  return streamFrames(stream, tool, "/mcplite.MCPLite/CallTool");
}
