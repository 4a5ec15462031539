/**
 * Time on workerd: a timer belongs to the request that set it and dies with it, so that requests must not share any.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { delay, eventsOf, post, stream } from "./client.ts";
import { findProgram, root, runProgram, startProgram, testWith } from "./programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const needs = [findProgram("esbuild"), findProgram("workerd")];

testWith("deadlines and heartbeats work on workerd, for every request", needs, async (esbuild, workerd) => {
  await using folder = await temporaryFolder();
  const script = join(folder.path, "worker.js");
  const entry = "tests/serve/worker_program.ts";
  const bundled = await runProgram([
    esbuild ?? "",
    entry,
    "--bundle",
    "--format=esm",
    `--outfile=${script}`,
    "--log-level=error",
  ]);
  strictEqual(bundled.code, 0, bundled.stderr);
  await cp(join(root, "examples/hello/worker/workerd.capnp"), join(folder.path, "workerd.capnp"));
  const args = ["serve", "workerd.capnp", "--socket-addr=http=127.0.0.1:0", "--control-fd=1"];
  await using program = await startProgram([workerd ?? "", ...args], { cwd: folder.path, url: false });
  const [, port] = await program.printed(/"port":(\d+)/);
  const url = `http://127.0.0.1:${port}`;

  // A request that ends at once leaves its timers behind, armed for ever if they are shared. On a busy machine it may be too late.
  await untilInTime(async () => [(await nap(url, 20, 400)).status]);
  deepStrictEqual((await quiet(url, 20)).at(-1)?.event, "done");
  await delay(600);
  strictEqual((await nap(url, 60_000, 400)).status, 504, "a deadline after another request");

  const statuses = await untilInTime(async () => {
    const both = await Promise.all([nap(url, 100, 500), delay(50).then(() => nap(url, 60_000, 500))]);
    return both.map(({ status }) => status);
  });
  deepStrictEqual(statuses, [200, 504], "a deadline set while another request runs");

  const beats = (await quiet(url, 9_000)).filter(({ event }) => event === "heartbeat");
  ok(beats.length >= 1, "a heartbeat after another stream");
});

/** Repeats requests until the first of them has succeeded. */
async function untilInTime(ask: () => Promise<readonly number[]>): Promise<readonly number[]> {
  let statuses = await ask();
  for (let tries = 0; tries < 20 && statuses[0] === 504; tries++) statuses = await ask();
  strictEqual(statuses[0], 200);
  return statuses;
}

function nap(url: string, ms: number, deadlineMs: number): Promise<Response> {
  const params = { name: "nap", arguments: { ms }, _meta: { deadline_ms: deadlineMs } };
  return post(url, "/calltools", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
}

async function quiet(url: string, ms: number): Promise<readonly { readonly event: string }[]> {
  return await Array.fromAsync(eventsOf(await stream(url, "quiet", { ms })));
}
