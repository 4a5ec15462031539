/** Each hosting file of `examples/hello` answers the same requests in the same way. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, ToolError } from "../../mod.ts";
import type { server as helloServer } from "../../examples/hello/server.ts";
import { eventsOf, post, stream } from "../serve/client.ts";
import { findNode, findProgram, root, runProgram, startProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { installPackage } from "./packages.ts";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Tools, a call, a stream and an unknown tool: what every host has to answer. */
async function checkHello(url: string, fetch: Fetch = (to, init) => globalThis.fetch(to, init)): Promise<void> {
  const hello = createClient<typeof helloServer>(`${url}/mcp-lite/v1`, { fetch });
  deepStrictEqual((await hello.$.list()).map(({ name }) => name), ["greet", "count_down"]);
  strictEqual(await hello.greet({ name: "Ada" }), "Hello, Ada!");

  const counted: number[] = [];
  const arrivedMs: number[] = [];
  for await (const left of hello.count_down.stream({ from: 4 })) {
    counted.push(left);
    arrivedMs.push(Date.now());
  }
  deepStrictEqual(counted, [4, 3, 2, 1]);
  ok((arrivedMs.at(-1) ?? 0) - (arrivedMs[0] ?? 0) >= 150, `the pieces come as they are made: ${arrivedMs}`);
  deepStrictEqual(await hello.count_down({ from: 2 }), [2, 1]);

  await rejects(hello.$.call("great", {}), (error) => {
    ok(error instanceof ToolError);
    strictEqual(error.code, "tool_not_found");
    strictEqual((error.details as { suggestion?: unknown }).suggestion, "Did you mean 'greet'?");
    return true;
  });
}

/** The same without our client, and what only a real connection shows. */
async function checkHosted(url: string): Promise<void> {
  await checkHello(url);
  const listed = await (await post(url, "/listtools", "{}")).json();
  deepStrictEqual(listed.map(({ name }: { name: string }) => name), ["greet", "count_down"]);
  const streamed = await stream(url, "count_down", { from: 2 });
  strictEqual(streamed.headers.get("content-type"), "text/event-stream");
  deepStrictEqual((await Array.fromAsync(eventsOf(streamed))).map(({ event }) => event), [
    "message",
    "message",
    "done",
  ]);
  const foreign = await post(url, "/tools", "{}", { headers: { origin: "http://evil.example" } });
  strictEqual(foreign.status, 403, "a page from elsewhere");
}

const bun = findProgram("bun");
const deno = findProgram("deno");
const workerd = findProgram("workerd");
const esbuild = findProgram("esbuild");
const tsc = findProgram("tsc");
const hello = "examples/hello";

const HOSTS = [
  { file: "bun_fetch.ts", needs: bun, args: [], tail: ["0"] },
  { file: "bun_server.ts", needs: bun, args: [], tail: ["0"] },
  { file: "serve.ts", needs: bun, args: [], tail: ["0"] },
  { file: "hono.ts", needs: bun, args: [], tail: ["0"] },
  { file: "export_default.ts", needs: bun, args: ["--port=0"], tail: [] },
  { file: "deno.ts", needs: deno, args: ["run", "--no-check", "--allow-net=127.0.0.1"], tail: ["0"] },
  { file: "serve.ts", needs: deno, args: ["run", "--no-check", "--allow-net=127.0.0.1", "--allow-sys"], tail: ["0"] },
  { file: "export_default.ts", needs: deno, args: ["serve", "--no-check", "--host=127.0.0.1", "--port=0"], tail: [] },
] as const;

for (const { file, needs, args, tail } of HOSTS) {
  testWith(`examples/hello/${file} serves on ${needs === bun ? "bun" : "deno"}`, [needs], async (path) => {
    await using program = await startProgram([path, ...args, `${hello}/${file}`, ...tail]);
    await checkHosted(program.url);
  });
}

test("examples/hello/next_route.ts exports a POST that takes a context", async () => {
  const { POST } = await import("../../examples/hello/next_route.ts");
  await checkHello(
    "http://localhost:3000",
    (url, init) => POST(new Request(url, init), { params: Promise.resolve({ endpoint: "calltools" }) }),
  );
});

for (const file of ["worker/worker.ts", "export_default.ts"]) {
  testWith(`examples/hello/${file} serves on workerd`, [esbuild, workerd], async (bundler, path) => {
    await using folder = await temporaryFolder();
    const script = join(folder.path, "worker.js");
    const bundled = await runProgram([
      bundler,
      `${hello}/${file}`,
      "--bundle",
      "--format=esm",
      `--outfile=${script}`,
      "--log-level=error",
    ]);
    strictEqual(bundled.code, 0, bundled.stderr);
    await cp(join(root, hello, "worker/workerd.capnp"), join(folder.path, "workerd.capnp"));
    const args = ["serve", "workerd.capnp", "--socket-addr=http=127.0.0.1:0", "--control-fd=1"];
    await using program = await startProgram([path, ...args], { cwd: folder.path, url: false });
    const [, port] = await program.printed(/"port":(\d+)/);
    await checkHosted(`http://127.0.0.1:${port}`);
    await checkHosted(`http://127.0.0.1:${port}`);
  });
}

test("examples/hello/node/server.ts is server.ts with Node's specifiers", async () => {
  const [shared, node] = await Promise.all(
    ["server.ts", "node/server.ts"].map((file) => readFile(join(root, hello, file), "utf8")),
  );
  strictEqual(node, shared?.replaceAll("jsr:@toolwire/toolwire", "toolwire"));
});

for (const major of [22, 24]) {
  testWith(
    `examples/hello/node serves on node${major}, from the npm package`,
    [findNode(major), tsc],
    async (node, compiler) => {
      await using folder = await temporaryFolder();
      await installPackage(folder.path, compiler);
      await cp(join(root, hello, "node"), folder.path, { recursive: true });
      for (const file of ["serve.ts", "http.ts"]) {
        await using program = await startProgram([node, "--disable-warning=ExperimentalWarning", file, "0"], {
          cwd: folder.path,
        });
        await checkHosted(program.url);
      }
    },
  );
}
