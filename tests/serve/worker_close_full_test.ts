/** A client that closes its WebSocket gets an answer from a Worker of each compatibility date. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../temporary_folder.ts";
import { findProgram, runProgram, startProgram, testWith } from "./programs.ts";

/** Before 2026-04-07 workerd leaves the answer to the Worker. */
const DATES = ["2024-09-23", "2026-04-20"];

function configOf(date: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "${date}",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}

/** Opens a WebSocket and closes it. Returns the code of the answer, and whether there was one. */
function closed(url: string, code?: number): Promise<readonly [number, boolean]> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, ["mcp-lite.v1"]);
    socket.onopen = () => socket.close(code);
    socket.onerror = () => reject(new Error("The WebSocket broke"));
    socket.onclose = (event) => resolve([event.code, event.wasClean]);
  });
}

testWith("a WebSocket is closed by its client on workerd of old and new dates", [
  findProgram("esbuild"),
  findProgram("workerd"),
], async (esbuild, workerd) => {
  await using folder = await temporaryFolder();
  const { path: cwd } = folder;
  const args = ["--bundle", "--format=esm", "--external:node:*", "--log-level=error"];
  const out = `--outfile=${join(cwd, "worker.js")}`;
  const bundled = await runProgram([esbuild, "tests/serve/worker_close_program.ts", out, ...args]);
  strictEqual(bundled.code, 0, bundled.stderr);
  for (const date of DATES) {
    await writeFile(join(cwd, "workerd.capnp"), configOf(date));
    const serve = [workerd, "serve", "workerd.capnp", "--control-fd=1"];
    await using program = await startProgram(serve, { cwd, url: false });
    const [, port] = await program.printed(/"port":(\d+)/);
    const url = `ws://127.0.0.1:${port}/mcp-lite/v1`;
    deepStrictEqual([date, await closed(url, 1000)], [date, [1000, true]]);
    deepStrictEqual([date, (await closed(url))[1]], [date, true]);
  }
});
