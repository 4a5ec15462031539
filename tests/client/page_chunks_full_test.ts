/** What a page that only calls tools loads of a bundle with chunks: the client, and nothing of servers, jobs and MCP. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles a page with splitting, and returns the source files of the chunks that the page's own file imports, directly or not. */
async function loadedBy(contents: string): Promise<{ readonly files: readonly string[]; readonly bytes: number }> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: ROOT, sourcefile: "page.ts", loader: "ts" },
    absWorkingDir: ROOT,
    outdir: "dist-of-page",
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["node:*"],
    metafile: true,
  });
  const { outputs } = metafile as Metafile;
  const open = [Object.keys(outputs).find((name) => outputs[name]?.entryPoint === "page.ts") ?? ""];
  const seen = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const imports = outputs[name]?.imports ?? [];
    open.push(...imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path));
  }
  const loaded = [...seen].flatMap((name) => outputs[name] ?? []);
  // Inputs of which nothing is left are listed, too.
  const files = loaded.flatMap(({ inputs }) => Object.entries(inputs)).filter(([, { bytesInOutput }]) =>
    bytesInOutput > 0
  );
  return { files: files.map(([file]) => file), bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0) };
}

for (
  const [name, from] of [["the front door", "./mod.ts"], ["the core", "./src/entries/core.ts"]] as const
) {
  test(`a page that only calls loads the client of ${name}, and nothing of jobs, servers and MCP`, async () => {
    const { files, bytes } = await loadedBy(
      `import { createClient } from "${from}"; globalThis.client = createClient("/");`,
    );
    ok(files.includes("src/client/client.ts"), files.join());
    const others = files.filter((file) => /^src\/(jobs|server|wires\/mcp\/|integrations|runtime)/.test(file));
    deepStrictEqual(others, []);
    ok(bytes < 40_000, `${bytes} bytes`);
  });
}

test("a bundle of a page with a server shows that the test sees chunks of jobs", async () => {
  const page =
    `import { createServer } from "./mod.ts"; import "./src/jobs/promises/job_service.ts"; globalThis.s = createServer;`;
  ok((await loadedBy(page)).files.some((file) => file.startsWith("src/jobs/")));
});
