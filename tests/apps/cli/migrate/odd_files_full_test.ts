/** `toolwire migrate` on files that are not what their names promise: each is named with its reason, and the others are converted. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withBuiltin } from "../../../faulty_builtin.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { runHere } from "../run_here.ts";

const skip = runtime !== "bun" && "ts-morph is the same everywhere: it runs once, on Bun";

const GOOD = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "clock", version: "1.2.0" });
server.tool("time", "Say the time", async () => ({ content: [{ type: "text", text: "now" }] }));
await server.connect(new StdioServerTransport());
`;
const MANIFEST = JSON.stringify({ name: "clock", dependencies: { "@modelcontextprotocol/sdk": "^1.0.0" } });

type Contents = string | Uint8Array;

async function migrate(files: Readonly<Record<string, Contents>>, ...args: readonly string[]) {
  const folder = await temporaryFolder();
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), contents);
  }
  const result = await runHere({ cwd: folder.path }, "migrate", ...args);
  const bytes = (name: string) => new Uint8Array(readFileSync(join(folder.path, name)));
  const text = (name: string) => readFileSync(join(folder.path, name), "utf8");
  return { ...result, bytes, text, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) =>
  Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((char) => [char.charCodeAt(0) & 0xff, char.charCodeAt(0) >> 8])]);
const LATIN1 = Uint8Array.from([...bytesOf(`${GOOD}// caf`), 0xe9, 10]);

test("migrate: what has a syntax error, or is not UTF-8, stays as it is byte by byte, and the others are converted", {
  skip,
}, async () => {
  const odd = { "broken.ts": `${GOOD}const x = {{{ ;\n`, "latin1.ts": LATIN1, "utf16.ts": utf16(GOOD) };
  await using run = await migrate({ "good.ts": GOOD, ...odd, "package.json": MANIFEST });
  strictEqual(run.code, 1, run.errors);
  match(run.text("good.ts"), /from "toolwire"/);
  for (const [name, contents] of Object.entries(odd)) {
    deepStrictEqual(run.bytes(name), typeof contents === "string" ? bytesOf(contents) : contents, name);
  }
  match(run.errors, /^Not converted:$/m);
  match(
    run.errors,
    /^ {2}broken\.ts: it has a syntax error in line 6, column 12: Property assignment expected; mend it, and run/m,
  );
  match(run.errors, /^ {2}latin1\.ts: it is not UTF-8: save it as UTF-8, and run the command again$/m);
  match(run.errors, /^ {2}utf16\.ts: it is not UTF-8/m);
  match(run.text("package.json"), /"@modelcontextprotocol\/sdk"/, "three files import it still");
});

test(
  "migrate: folders named as files are read as folders; pictures, videos and broken files of others are not reported",
  { skip },
  async () => {
    const video = Uint8Array.from({ length: 2_000 }, (_, at) => (at * 71) % 256);
    await using run = await migrate({
      "server.ts/inner.ts": GOOD,
      "film.ts": video,
      "empty.ts": "",
      "zeros.ts": new Uint8Array(500),
      "fixture.ts": "this is ( not ] code",
      "package.json/server.js": "const a = 1;",
    });
    strictEqual(run.code, 0, run.errors);
    match(run.errors, /^1 file changed\n {2}server\.ts\/inner\.ts\n/);
    ok(!/Not converted|film|fixture|zeros/.test(run.errors), run.errors);
    deepStrictEqual(run.bytes("film.ts"), video);
  },
);

for (
  const [name, manifest, reason] of [
    ["is not JSON", "{ name: clock", "it is not JSON: mend it, and run the command again"],
    ["is a list", "[]", "it is not a package.json: it and its dependencies have to be objects"],
    ["is null", "null", "it is not a package.json: it and its dependencies have to be objects"],
    [
      "has a number in place of dependencies",
      '{"dependencies":5}',
      "it is not a package.json: it and its dependencies have to be objects",
    ],
  ] as const
) {
  test(`migrate: a package.json that ${name} stays as it is, and the sources are converted`, { skip }, async () => {
    await using run = await migrate({ "server.ts": GOOD, "package.json": manifest });
    strictEqual(run.code, 1, run.errors);
    match(run.text("server.ts"), /from "toolwire"/);
    strictEqual(run.text("package.json"), manifest);
    ok(run.errors.includes(`  package.json: ${reason}\n`), run.errors);
  });
}

test(
  "migrate: a tsconfig.json that cannot be read is named, and the files are compiled without it",
  { skip },
  async () => {
    const sdk = { "node_modules/@modelcontextprotocol/sdk/package.json": "{}" };
    await using run = await migrate({ "server.ts": GOOD, "tsconfig.json": "{{{", ...sdk });
    strictEqual(run.code, 1, run.errors);
    match(run.text("server.ts"), /from "toolwire"/);
    match(
      run.errors,
      / {2}tsconfig\.json:1 cannot be read, so that types were checked without it: Property assignment expected\n/,
    );
  },
);

test("migrate: one file is named with its name, and what is not a source is refused", { skip }, async () => {
  await using run = await migrate(
    { "a/server.ts": GOOD, "a/readme.md": GOOD, "a/types.d.ts": GOOD },
    "a/server.ts",
    "--dry-run",
  );
  match(run.errors, /^1 file would change\n {2}server\.ts\n[^]*\(server\.ts:3\)/);
  for (const name of ["readme.md", "types.d.ts"]) {
    await using refused = await migrate({ [name]: GOOD }, name);
    deepStrictEqual([refused.code, refused.errors], [
      2,
      `Cannot migrate ${name}: it is not a folder, nor a file of JavaScript or TypeScript\n`,
    ]);
  }
});

test(
  "migrate: files and folders that cannot be read are named without codes, and no package is removed that they may use",
  { skip },
  async () => {
    const denied = (path: string) =>
      Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
    await using folder = await temporaryFolder();
    const at = (...names: readonly string[]) => join(folder.path, ...names);
    mkdirSync(at("locked"));
    for (const name of ["server.ts", "secret.ts", "gone.ts"]) writeFileSync(at(name), GOOD);
    writeFileSync(at("package.json"), MANIFEST);
    const isLocked = (path: unknown) => String(path).endsWith("locked") || String(path).endsWith("secret.ts");
    const result = await withBuiltin("node:fs", (own) => {
      const { readFileSync: read, readdirSync: list } = own as unknown as {
        readFileSync: (...args: unknown[]) => unknown;
        readdirSync: (...args: unknown[]) => unknown;
      };
      return {
        readFileSync: (...args: unknown[]) => {
          if (isLocked(args[0])) throw denied(String(args[0]));
          if (String(args[0]).endsWith("gone.ts")) {
            throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
          }
          return read(...args);
        },
        readdirSync: (...args: unknown[]) => {
          if (isLocked(args[0])) throw denied(String(args[0]));
          return list(...args);
        },
      };
    }, () => runHere({ cwd: folder.path }, "migrate"));
    strictEqual(result.code, 1, result.errors);
    for (const name of ["locked", "secret.ts"]) {
      ok(result.errors.includes(`  ${name}: it cannot be read: permission denied\n`), result.errors);
    }
    ok(result.errors.includes("  gone.ts: it was removed meanwhile\n"), result.errors);
    ok(!/EACCES|ENOENT/.test(result.errors), result.errors);
    match(readFileSync(at("server.ts"), "utf8"), /from "toolwire"/);
    match(readFileSync(at("package.json"), "utf8"), /"toolwire"[^]*/);
    match(readFileSync(at("package.json"), "utf8"), /"@modelcontextprotocol\/sdk"/);
  },
);

test("migrate: a file without rights is named, if the user has none", {
  skip: skip || (process.getuid?.() === 0 && "root reads every file"),
}, async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "server.ts"), GOOD);
  chmodSync(join(folder.path, "server.ts"), 0);
  const { code, errors } = await runHere({ cwd: folder.path }, "migrate");
  deepStrictEqual([code, /it cannot be read: permission denied/.test(errors)], [1, true]);
});
