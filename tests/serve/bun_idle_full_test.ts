/** Quiet connections live on: Bun cuts those that say nothing for 10 s. All at once, because each takes its time. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createClient } from "../../mod.ts";
import { grpcTransport } from "../../src/entries/grpc.ts";
import { call, eventsOf, stream } from "./client.ts";
import { command, grpcUrlOf, type Program, runtimes, startProgram, testWith } from "./programs.ts";

const QUIET_MS = 25_000;
const NAP_MS = 14_000;

async function checkQuietStream(url: string): Promise<void> {
  const startedMs = Date.now();
  const response = await stream(url, "quiet", { ms: QUIET_MS });
  ok(Date.now() - startedMs < 20_000, "the stream opens with its first piece");
  const events = await Array.fromAsync(eventsOf(response));
  const beats = events.filter(({ event }) => event === "heartbeat").length;
  ok(beats >= 2 && beats <= 4, `${beats} heartbeats`);
  deepStrictEqual(events.filter(({ event }) => event === "message").map(({ data }) => data.partial), [
    "before",
    "after",
  ]);
  strictEqual(events.at(-1)?.event, "done");
}

async function checkLateAnswer(url: string): Promise<void> {
  strictEqual((await call(url, "nap", { ms: NAP_MS })).result.content, "rested");
}

async function checkClient(url: string): Promise<void> {
  const client = createClient(`${url}/mcp-lite/v1`, { idleTimeoutMs: 12_000 });
  strictEqual(await client["quiet"]?.stream({ ms: QUIET_MS }).result, "beforeafter");
}

async function checkGrpc(server: Program): Promise<void> {
  const client = createClient(grpcTransport(await grpcUrlOf(server)), { idleTimeoutMs: 40_000 });
  const late = client["nap"]?.({ ms: NAP_MS });
  strictEqual(await client["quiet"]?.stream({ ms: QUIET_MS }).result, "beforeafter");
  strictEqual(await late, "rested");
  client.$.close();
}

const needs = runtimes.map(({ program }) => program);

testWith(`a quiet stream and a late answer survive, everywhere`, needs, async (...paths) => {
  const servers: Program[] = await Promise.all([
    startProgram([paths[0] ?? "", "tests/serve/bun_fetch_program.ts"]),
    ...runtimes.map((runtime, index) => startProgram(command(runtime, paths[index] ?? "", "tests/serve/program.ts"))),
  ]);
  const ports = [{ port: 0 }, true];
  const grpcServers = await Promise.all(runtimes.flatMap((runtime, index) =>
    ports.map((grpc) =>
      startProgram(
        command(runtime, paths[index] ?? "", "tests/serve/grpc_program.ts", JSON.stringify({ grpc })),
      )
    )
  ));
  try {
    const [plain] = servers;
    const checks = servers.flatMap(({ url }) => [checkQuietStream(url), checkLateAnswer(url)]);
    checks.push(...grpcServers.map(checkGrpc));
    await Promise.all([...checks, checkClient(plain?.url ?? "")]);
  } finally {
    await Promise.all([...servers, ...grpcServers].map((server) => server[Symbol.asyncDispose]()));
  }
}, 60_000);
