import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brokenRules, circles, importsOf, type Source, stripComments } from "./imports.ts";
import { LAYERS, PACKAGES, PROGRAMS, RUNTIME_FOLDERS } from "./layers.ts";

/** The folders as an error message lists them. */
const FOLDERS = RUNTIME_FOLDERS.join(", ");

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

function readSources(): Source[] {
  const paths = ["src", "apps/cli"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
  ).filter((path) => path.endsWith(".ts"));
  return ["mod.ts", ...paths.map((path) => path.replaceAll("\\", "/"))].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), "utf8"),
  }));
}

test("src: imports point down only, wires keep apart, runtimes are named in runtime alone", () => {
  const sources = readSources();
  ok(sources.length > 40);
  ok(sources.flatMap(importsOf).length > 100);
  deepStrictEqual(brokenRules(sources), []);
});

test("a layer imports only layers before it in the table: no arrow points up", () => {
  const order = LAYERS.map(({ name }) => name);
  strictEqual(new Set(order).size, order.length);
  for (const { name, imports } of LAYERS) {
    const up = imports.map((other) => other.replace(/^type:/, "")).filter((other) => {
      const place = order.indexOf(other);
      return place === -1 || place >= order.indexOf(name);
    });
    deepStrictEqual(up, [], `${name} imports layers that are not before it`);
  }
});

test("a layer, a package and a runtime are allowed by folders, never by single files", () => {
  const folders = [
    ...LAYERS.flatMap(({ folders }) => folders),
    ...PACKAGES.flatMap(([, folders]) => folders),
    ...RUNTIME_FOLDERS,
  ];
  deepStrictEqual(
    folders.filter((folder) => !folder.endsWith("/")),
    ["mod.ts"],
    "the front door is the only file that is no folder",
  );
});

test("src: nothing is imported in a circle, types included", () => {
  deepStrictEqual(circles(readSources(), true), []);
});

for (const [folder, parts] of PROGRAMS) {
  test(`${folder} imports of the SDK and of scripts only ${parts.join(", ")}`, () => {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/node_modules|templates/.test(file));
    ok(files.length > 0);
    const wrong = files.flatMap((file) => {
      const path = `${folder}${file.replaceAll("\\", "/")}`;
      const imported = importsOf({ path, text: readFileSync(join(ROOT, path), "utf8") }).map(({ to }) => to);
      return imported.filter((to) =>
        /^(src\/|scripts\/|mod\.ts)/.test(to) && !parts.some((part) => to.startsWith(part))
      )
        .map((to) => `${path} imports ${to}`);
    });
    deepStrictEqual(wrong, []);
  });
}

test("apps/console: nothing is imported in a circle, types included", () => {
  const files = readdirSync(join(ROOT, "apps/console"), { encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const sources = files.map((file) => `apps/console/${file}`).map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), "utf8"),
  }));
  ok(sources.flatMap(importsOf).length > 100);
  deepStrictEqual(circles(sources, true), []);
});

for (
  const [name, path, text, want] of [
    [
      "a leaf that imports a layer above it",
      "src/internal/x.ts",
      'import { Failure } from "../core/errors/failure.ts";',
      "src/internal/x.ts imports src/core/errors/failure.ts: internal may not import errors",
    ],
    [
      "types that point up",
      "src/core/errors/x.ts",
      'import type { Call } from "../call/call.ts";',
      "src/core/errors/x.ts imports src/core/call/call.ts: errors may not import call",
    ],
    [
      "a tool that knows dispatch",
      "src/core/tool/x.ts",
      'import { Run } from "../dispatch/call_context.ts";',
      "src/core/tool/x.ts imports src/core/dispatch/call_context.ts: tool may not import dispatch",
    ],
    [
      "dispatch that knows a wire",
      "src/core/dispatch/x.ts",
      'import type { Head } from "../../wires/wire.ts";',
      "src/core/dispatch/x.ts imports src/wires/wire.ts: dispatch may not import wire",
    ],
    [
      "an HTTP client that knows tools",
      "src/http_client/x.ts",
      'export { defineTool } from "../core/tool/define_tool.ts";',
      "src/http_client/x.ts imports src/core/tool/define_tool.ts: http client may not import tool",
    ],
    [
      "a wire that imports another",
      "src/wires/mcp/http/server/mcp.ts",
      'import { encodeOutcome } from "../../../mcp_lite/server/encode.ts";',
      "src/wires/mcp/http/server/mcp.ts imports src/wires/mcp_lite/server/encode.ts: a wire never imports another wire",
    ],
    [
      "a wire's client that imports another's",
      "src/wires/memory/client/transport.ts",
      'import { http } from "../../mcp_lite/client/transport.ts";',
      "src/wires/memory/client/transport.ts imports src/wires/mcp_lite/client/transport.ts: a wire never imports another wire",
    ],
    [
      "a wire that imports the server",
      "src/wires/mcp_lite/server/mcp_lite.ts",
      'import { createServer } from "../../../server/server.ts";',
      "src/wires/mcp_lite/server/mcp_lite.ts imports src/server/server.ts: wire server may not import server",
    ],
    [
      "a client that pulls in the builder",
      "src/client/x.ts",
      'import { defineTool } from "../core/tool/define_tool.ts";',
      "src/client/x.ts imports src/core/tool/define_tool.ts: client may import types only from tool",
    ],
    [
      "a client that pulls in a server's wire",
      "src/client/x.ts",
      'import { mcpLite } from "../wires/mcp_lite/server/mcp_lite.ts";',
      "src/client/x.ts imports src/wires/mcp_lite/server/mcp_lite.ts: client may not import wire server",
    ],
    [
      "a wire's client that runs dispatch",
      "src/wires/memory/client/transport.ts",
      'import { Dispatcher, type Dispatch } from "../../../core/dispatch/dispatcher.ts";',
      "src/wires/memory/client/transport.ts imports src/core/dispatch/dispatcher.ts: wire client may import types only from dispatch",
    ],
    [
      "a module of node",
      "src/internal/x.ts",
      'import { readFile } from "node:fs/promises";',
      `src/internal/x.ts imports node:fs/promises: modules of a runtime are imported in ${FOLDERS} only`,
    ],
    [
      "a module of bun, imported late",
      "src/server/x.ts",
      'const sqlite = await import("bun:sqlite");',
      `src/server/x.ts imports bun:sqlite: modules of a runtime are imported in ${FOLDERS} only`,
    ],
    [
      "a global of Deno",
      "src/server/x.ts",
      'export const port = Deno.env.get("PORT");',
      `src/server/x.ts names Deno: runtimes are named in ${FOLDERS} only`,
    ],
    [
      "process",
      "src/client/x.ts",
      "const { env } = process;",
      `src/client/x.ts names process: runtimes are named in ${FOLDERS} only`,
    ],
    [
      "a global by way of globalThis",
      "src/client/x.ts",
      "const bun = globalThis.Bun;",
      `src/client/x.ts names globalThis.Bun: runtimes are named in ${FOLDERS} only`,
    ],
    [
      "a dependency nobody chose",
      "src/core/schema/x.ts",
      'import ajv from "ajv";',
      "src/core/schema/x.ts imports ajv, which is not in the list of packages (docs/decisions)",
    ],
    [
      "valibot outside of the schema layer",
      "src/core/tool/x.ts",
      'import * as v from "valibot";',
      "src/core/tool/x.ts imports valibot: only src/core/schema/, src/entries/, apps/cli/docs/ may",
    ],
    [
      "a folder that has no layer",
      "src/misc/x.ts",
      "",
      "src/misc/x.ts is in no layer: add its folder to tests/arch/layers.ts",
    ],
    [
      "the front door from within",
      "src/core/tool/x.ts",
      'import { Failure } from "../../../mod.ts";',
      "src/core/tool/x.ts imports mod.ts: tool may not import entry",
    ],
  ] as const
) {
  test(`brokenRules() catches ${name}`, () => deepStrictEqual(brokenRules([{ path, text }]), [want]));
}

for (
  const [name, path, text] of [
    ["a layer below", "src/core/tool/x.ts", 'import { refuse } from "../call/outcome.ts";'],
    ["its own layer", "src/core/tool/x.ts", 'import { nearest } from "./registry.ts";'],
    [
      "types of a layer that only types may come from",
      "src/client/x.ts",
      'import type { AnyTool } from "../core/tool/definition.ts";',
    ],
    [
      "types, marked one by one",
      "src/client/x.ts",
      'import { type AnyTool, type Tool } from "../core/tool/definition.ts";',
    ],
    [
      "node in runtime",
      "src/runtime/x.ts",
      'import { createServer } from "node:http";\nconst { Bun } = globalThis as never; process.on("x");',
    ],
    [
      "runtimes in comments, strings and patterns",
      "src/server/x.ts",
      '// Deno warns\n/* Bun.serve, import x from "node:fs" */\nconst hint = "process and Bun"; const other = `on ${hint} Deno`; const pattern = /Bun|Deno/;',
    ],
    [
      "runtimes as members of other things",
      "src/server/x.ts",
      "const x = runtime.Bun ?? peer.process; const y = { process: 1 };",
    ],
    [
      "an import in an example of a comment",
      "src/core/errors/x.ts",
      '/**\n * ```ts\n * import { strictEqual } from "node:assert/strict";\n * ```\n */\nexport {};',
    ],
  ] as const
) {
  test(`brokenRules() allows ${name}`, () => deepStrictEqual(brokenRules([{ path, text }]), []));
}

test("importsOf() finds every form of import", () => {
  const text = [
    'import a from "./a.ts";',
    'import * as b from "./b.ts";',
    'import { c,\n  d } from "./c.ts";',
    'import type { E } from "./e.ts";',
    'export { f } from "./f.ts";',
    'export type { G } from "./g.ts";',
    'export * from "./h.ts";',
    'import "./i.ts";',
    'const j = await import("./j.ts");',
    'import k, { type L } from "../k.ts";',
    "import { $m } from './m.ts';",
  ].join("\n");
  deepStrictEqual(
    importsOf({ path: "src/x/y.ts", text }).map(({ to, isType }) => `${isType ? "type " : ""}${to}`),
    [
      "src/x/a.ts",
      "src/x/b.ts",
      "src/x/c.ts",
      "type src/x/e.ts",
      "src/x/f.ts",
      "type src/x/g.ts",
      "src/x/h.ts",
      "src/x/i.ts",
      "src/x/j.ts",
      "src/k.ts",
      "src/x/m.ts",
    ],
  );
});

test("circles() finds a circle of three, and none of types", () => {
  const file = (path: string, to: string, isType = false): Source => ({
    path,
    text: `import ${isType ? "type " : ""}{ x } from "./${to}";`,
  });
  deepStrictEqual(circles([file("src/a.ts", "b.ts"), file("src/b.ts", "c.ts"), file("src/c.ts", "a.ts")]), [
    "src/a.ts → src/b.ts → src/c.ts → src/a.ts",
  ]);
  deepStrictEqual(circles([file("src/a.ts", "b.ts"), file("src/b.ts", "a.ts", true)]), []);
});

test("stripComments() empties strings, and keeps what templates compute", () => {
  deepStrictEqual(stripComments('a("Bun") // Deno', false).trim(), 'a("")');
  ok(stripComments("`Bun ${Deno.env} x`", false).includes("Deno.env"));
});
