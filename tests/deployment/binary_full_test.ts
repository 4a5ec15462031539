/** Servers as single files: what docs/deployment.md says of them. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../mod.ts";
import { mcpTransport } from "../../src/entries/mcp.ts";
import { connectTransport } from "../../src/entries/grpc.ts";
import { findNode, findProgram, type Program, root, runProgram, startProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import type { ReplicaServer } from "./replica.ts";

const KEYS = "k1:a secret of at least thirty-two bytes";
const script = "tests/deployment/replica.ts";
const TIMEOUT_MS = 120_000;

/** Several wires, a stream, work in SQLite, and an end by signal. */
async function checkReplica(program: Program, folder: string): Promise<void> {
  for (
    const transport of [`${program.url}/mcp-lite/v1`, mcpTransport(`${program.url}/mcp`), connectTransport(program.url)]
  ) {
    const client = createClient<ReplicaServer>(transport);
    strictEqual(await client.ping(), "file");
    client.$.close();
  }
  const client = createClient<ReplicaServer>(`${program.url}/mcp-lite/v1`);
  const work = await client.work.start({ file: "there" });
  writeFileSync(join(folder, "there"), "");
  strictEqual(await work.result(), "begun by file");
  deepStrictEqual(await Array.fromAsync(client.two_pieces.stream({ file: "there" })), ["one", "two"]);
  program.signal("SIGTERM");
  strictEqual(await program.exited, 0, program.output());
}

testWith("a server is one program by `bun build --compile`", [findProgram("bun")], async (bun) => {
  await using folder = await temporaryFolder();
  const program = join(folder.path, "tools");
  const built = await runProgram([bun, "build", "--compile", script, "--outfile", program], { withinMs: TIMEOUT_MS });
  strictEqual(built.code, 0, built.stderr);
  // Away from the sources and from node_modules.
  const options = { cwd: folder.path, env: { TOOLWIRE_KEYS: KEYS } };
  await using running = await startProgram([program, "file", "0", folder.path], options);
  await checkReplica(running, folder.path);
}, TIMEOUT_MS);

for (const major of [22, 24]) {
  testWith(
    `a server is one file for Node ${major} by esbuild`,
    [findProgram("esbuild"), findNode(major)],
    async (esbuild, node) => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, "tools.mjs");
      const options = ["--bundle", "--platform=node", "--format=esm", "--log-level=error", `--outfile=${file}`];
      const peers = ["bullmq", "ioredis", "pg"].map((name) => `--external:${name}`);
      const built = await runProgram([esbuild, script, ...options, ...peers, "--external:bun:*"], { cwd: root });
      strictEqual(built.code, 0, built.stderr);
      const command = [node, "--disable-warning=ExperimentalWarning", file, "file", "0", folder.path];
      await using running = await startProgram(command, { cwd: folder.path, env: { TOOLWIRE_KEYS: KEYS } });
      await checkReplica(running, folder.path);
    },
    TIMEOUT_MS,
  );
}
