/** `export default { fetch: server.fetch }` in workerd: bindings, `waitUntil`, and promised work. */
import { match, strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "../../mod.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { delay } from "./client.ts";
import { findProgram, runProgram, startProgram, testWith } from "./programs.ts";

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    bindings = [(name = "REGION", text = "west")],
    compatibilityDate = "2026-08-04",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Maximum number of times that the test looks for what was written. */
const MAX_LOOKS = 200;

const needs = [findProgram("esbuild"), findProgram("workerd")];

testWith(
  "a Worker passes its bindings and waitUntil, and refuses work that ends with a request",
  needs,
  async (esbuild, workerd) => {
    await using folder = await temporaryFolder();
    const script = join(folder.path, "worker.js");
    const entry = "tests/serve/worker_env_program.ts";
    const bundled = await runProgram([
      esbuild ?? "",
      entry,
      "--bundle",
      "--format=esm",
      `--outfile=${script}`,
      "--log-level=error",
    ]);
    strictEqual(bundled.code, 0, bundled.stderr);
    await writeFile(join(folder.path, "workerd.capnp"), CONFIG);
    const args = ["serve", "workerd.capnp", "--control-fd=1"];
    await using program = await startProgram([workerd ?? "", ...args], { cwd: folder.path, url: false });
    const [, port] = await program.printed(/"port":(\d+)/);
    const { $ } = createClient(`http://127.0.0.1:${port}`);

    strictEqual(await $.call("region", {}), "west");
    strictEqual(await $.call("write", {}), "answered");
    let written = await $.call("written", {});
    for (let look = 0; look < MAX_LOOKS && written === "nothing"; look++) {
      await delay(20);
      written = await $.call("written", {});
    }
    strictEqual(written, "late");
    match(String(await $.call("refused", {})), /"report" has \.promise\(\).*"memory" ends with the request/);
  },
);
