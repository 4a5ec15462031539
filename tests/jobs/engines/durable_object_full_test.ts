/** Jobs in Durable Objects, on workerd: the contract, work after the end of a request, and `kill -9` over the same disk. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createClient } from "../../../mod.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { findProgram, type Program, runProgram, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import type { JobsServer } from "./durable_object_program.ts";

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-08-04",
      durableObjectNamespaces = [
        (className = "Jobs", uniqueKey = "jobs", enableSql = true),
        (className = "CheckObject", uniqueKey = "checks", enableSql = true),
      ],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [
        (name = "JOBS", durableObjectNamespace = "Jobs"),
        (name = "CHECKS", durableObjectNamespace = "CheckObject"),
        (name = "KEYS", text = "k1:a secret of at least thirty-two bytes"),
      ],
    )),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
/** Programs start slowly on a busy machine. */
const PATIENCE_MS = 60_000;
const needs = [findProgram("esbuild"), findProgram("workerd")] as const;

/** Bundles the Worker into a folder. */
async function bundle(folder: string, esbuild: string): Promise<void> {
  const output = `--outfile=${join(folder, "worker.js")}`;
  const flags = ["--bundle", "--format=esm", "--platform=browser", "--conditions=workerd", "--log-level=error"];
  const bundled = await runProgram([esbuild, "tests/jobs/engines/durable_object_program.ts", ...flags, output]);
  strictEqual(bundled.code, 0, bundled.stderr);
  await writeFile(join(folder, "workerd.capnp"), CONFIG);
  await mkdir(join(folder, "disk"));
}

/** Starts workerd over the objects of the folder. */
async function start(folder: string, workerd: string): Promise<Program & { readonly origin: string }> {
  const program = await startProgram([workerd, "serve", "workerd.capnp", "--control-fd=1"], {
    cwd: folder,
    url: false,
  });
  const [, port] = await program.printed(/"port":(\d+)/, PATIENCE_MS);
  return { ...program, origin: `http://127.0.0.1:${port}` };
}

async function kill(program: Program): Promise<void> {
  process.kill(program.pid, "SIGKILL");
  await program.exited;
}

testWith(
  "an engine of Durable Objects complies with the contract, also by calls from Workers",
  needs,
  async (...bins) => {
    await using folder = await temporaryFolder();
    await bundle(folder.path, bins[0]);
    await using program = await start(folder.path, bins[1]);
    const count = Number(await (await fetch(`${program.origin}/checks`)).text());
    ok(count > 30);
    // At once: each check has an object, and mostly waits.
    const results = await Promise.all(Array.from({ length: count }, async (_, at) => {
      const response = await fetch(`${program.origin}/check?at=${at}`);
      return response.status === 200 ? await response.json() as { error: unknown } : { error: await response.text() };
    }));
    deepStrictEqual(results.filter(({ error }) => error !== null), []);
  },
  3 * PATIENCE_MS,
);

testWith(
  "work in Durable Objects continues after its request, after kill -9, and after a sleep",
  needs,
  async (...bins) => {
    await using folder = await temporaryFolder();
    await bundle(folder.path, bins[0]);
    let output: string;
    let token: string;
    {
      await using program = await start(folder.path, bins[1]);
      const client = createClient<JobsServer>(program.origin);

      // A promise after the budget; the work ends although no request is under way.
      const outcome = await client.work.outcome({ text: "one" });
      ok(outcome.kind === "promise", JSON.stringify(outcome));
      await program.printed(/finished one/, PATIENCE_MS);
      match(String(await client.$.redeem(outcome.token).result()), /, attempt 1$/);

      // Answers within the budget, without a promise; and work of the Worker itself.
      const quick = await client.ask.outcome({}, {});
      strictEqual(quick.kind, "elicitation");
      ok(typeof await client.now() === "string");

      // Pieces come out of the object, within the request and after it, and are kept.
      const stream = client.write.stream();
      strictEqual((await Array.fromAsync(stream)).join(""), "abcdef");
      strictEqual(await stream.result, "abcdef");

      // A result of more bytes than a row may have.
      const chars = 3_900_000;
      strictEqual(await client.large({ chars }), "é😀".repeat(chars / 3));

      // MCP, whose requests are each answered by another server.
      const overMcp = createClient<JobsServer>(mcpTransport(`${program.origin}/mcp`));
      match(String(await overMcp.work({ text: "mcp" })), /, attempt 1$/);

      // The same idempotency key runs once.
      const keyed = await Promise.all([1, 2, 3].map(() => client.work({ text: "keyed" }, { idempotencyKey: "k" })));
      strictEqual(new Set(keyed).size, 1);
      strictEqual(program.output().match(/did keyed/g)?.length, 1);

      // A value of another request resolves a wait.
      const approval = await client.approve.start();
      const [, resolver = ""] = await program.printed(/token (\S+)/, PATIENCE_MS);
      strictEqual(await client.resolve({ token: resolver, value: "yes" }), true);
      strictEqual(await approval.result(), "yes");

      const hanging = await client.hang.start({ text: "two" });
      ({ token } = hanging);
      // Longer than a busy machine needs until the kill.
      await client.nap.start({ text: "three", ms: 10_000 });
      await program.printed(/hangs two[^]*sleeps three|sleeps three[^]*hangs two/, PATIENCE_MS);
      await kill(program);
      output = program.output();
    }
    await using program = await start(folder.path, bins[1]);
    // Without any request: the alarm of the sleep starts the object.
    await program.printed(/woke three/, PATIENCE_MS);
    const client = createClient<JobsServer>(program.origin);
    match(String(await client.$.redeem(token).result()), /, attempt 2$/);
    const all = output + program.output();
    for (const step of ["did one", "finished one", "did two", "hangs two", "sleeps three", "woke three"]) {
      deepStrictEqual([step, all.split(step).length - 1], [step, 1]);
    }
  },
  3 * PATIENCE_MS,
);
