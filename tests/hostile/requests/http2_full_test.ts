/** Servers of gRPC on each runtime, and callers that mean them ill: the process lives, logs nothing, and answers. */
import { ok, strictEqual } from "node:assert/strict";
import { answers, ATTACKS } from "./http2_attacks.ts";
import { RawConnection } from "./http2_frames.ts";
import { command, grpcUrlOf, type Program, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { eventually } from "../../eventually.ts";

const program = "tests/serve/grpc_program.ts";
const ROUNDS = 2;

/** What the process holds, in bytes. */
async function heldBytes(server: Program): Promise<number> {
  const before = server.output().length;
  server.tell("memory");
  const answer = () => /holds (\d+) bytes/.exec(server.output().slice(before));
  await eventually(() => answer() !== null, "the program answers");
  return Number(answer()?.[1]);
}

for (const runtime of runtimes) {
  const { name } = runtime;

  for (const [where, grpc] of [["a port of its own", { port: 0 }], ["one port for all", true]] as const) {
    testWith(`gRPC on ${name}, ${where}, survives hostile connections`, [runtime.program], async (path) => {
      await using server = await startProgram(command(runtime, path, program, JSON.stringify({ grpc })));
      const url = await grpcUrlOf(server);
      for (const [attack, run] of Object.entries(ATTACKS)) {
        for (let round = 0; round < ROUNDS; round++) await run(url);
        ok(await answers(url), `no answer after ${attack}: ${server.output().slice(-2_000)}`);
      }
      ok(!server.output().includes("ERROR"), server.output());
      strictEqual(server.output().match(/Listening on/g)?.length, 1);
    });
  }

  testWith(`gRPC on ${name} holds nothing of connections that are gone`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, '{"grpc":{"port":0}}'));
    const url = await grpcUrlOf(server);
    const { "headers that unpack to megabytes": unpack, "a connection that is reset after streams": leave } = ATTACKS;
    const round = async (count: number) => {
      for (let times = 0; times < count; times++) {
        await Promise.all([unpack?.(url), leave?.(url), leave?.(url), leave?.(url)]);
      }
    };
    await round(20);
    const before = await heldBytes(server);
    await round(60);
    const grown = await heldBytes(server) - before;
    ok(grown < 96 * 2 ** 20, `it grew by ${grown} bytes`);
  });

  testWith(`gRPC on ${name} answers beside hundreds of idle connections`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program, '{"grpc":{"port":0}}'));
    const url = await grpcUrlOf(server);
    const idle = Array.from({ length: 400 }, (_, at) => {
      const connection = new RawConnection(url);
      return at % 2 === 0 ? connection : connection.begin();
    });
    try {
      await Promise.all(idle.map((connection) => new Promise((resolve) => connection.socket.once("connect", resolve))));
      ok(await answers(url));
      const startedMs = Date.now();
      server.tell("close");
      await server.printed(/close resolved/);
      ok(Date.now() - startedMs < 4_000, `closed after ${Date.now() - startedMs} ms`);
    } finally {
      for (const connection of idle) connection.socket.destroy();
    }
  });
}
