/** What the compiler and an editor show: a mistake in a definition has one sentence that says what to do, and types are resolved. */
import { deepStrictEqual, doesNotMatch, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import { LanguageServer as Server } from "./language_server.mjs";

interface Position {
  readonly line: number;
  readonly character: number;
}
interface LanguageServer {
  open(file: string, text: string): void;
  define(position: Position): Promise<readonly string[]>;
  hover(position: Position): Promise<string>;
  stop(): void;
}
const { start } = Server as { start(folder: string): Promise<LanguageServer> };
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const HEAD = `import { createClient, createServer, defineTool } from "toolwire";
import { definePrompt } from "toolwire/mcp";
import * as v from "toolwire/schema";
import { z } from "zod";
export { createClient, createServer, definePrompt, defineTool, v, z };
const tool = defineTool("t").describe("T");
const server = createServer({ tools: [tool.handle((args) => args)] });
const open = createClient(server);
`;

const DESCRIBE = "Call .describe(…) before this step: callers choose by the description";
const FINISH = "This tool is not finished: end it with .handle(…) or .external(…)";
const SCHEMA =
  "Not a schema: wrap properties, as in v.object({ … }) or z.object({ … }), and Effect, as in Schema.toStandardJSONSchemaV1(";

const OPTION = "Options of a call are its second argument, as in tool({}, { signal })";

/** A line of code with one mistake, and the sentence that its diagnostic contains. */
const MISTAKES: readonly (readonly [code: string, sentence: string])[] = [
  [`defineTool("a").handle(() => 1);`, DESCRIBE],
  [`defineTool("a").input(v.object({ a: v.string() })).handle(({ a }) => a.length);`, DESCRIBE],
  [`defineTool("a").external({ start: () => 1, check: (state) => state });`, DESCRIBE],
  [`definePrompt("a").handle(() => "x");`, DESCRIBE],
  [`createServer({ tools: [tool.handle(() => 1), defineTool("a").describe("A")] });`, FINISH],
  [`createServer({ tools: [tool.input(v.object({ a: v.string() })).errors({ no: null })] });`, FINISH],
  [`tool.input({ a: v.string() });`, SCHEMA],
  [`tool.input({ a: z.string() }).handle(() => 1);`, SCHEMA],
  [`tool.input({ type: v.string() });`, SCHEMA],
  [`tool.output({ a: z.string() });`, SCHEMA],
  [`tool.partial({ a: z.string() });`, SCHEMA],
  [`tool.config({ a: z.string() });`, SCHEMA],
  [`tool.errors({ locked: { by: v.string() } });`, SCHEMA],
  [`tool.handle(() => ({ rows: [{ tags: new Set(["a"]) }] }));`, "a Set: return [...set]"],
  [`tool.handle(async () => new Map([["a", 1]]));`, "a Map: return Object.fromEntries(map), or [...map]"],
  [`open.t.stream({ signal: AbortSignal.timeout(1) });`, OPTION],
  [`open.t({ a: 1, timeoutMs: 5 });`, OPTION],
  [`createClient(server, { onElicit: () => {} });`, "'onElicit' does not exist in type 'ClientOptions'"],
  [`createClient<typeof server>("http://a.test", { timeout: 5 });`, "Did you mean to write 'timeoutMs'?"],
  [
    `createClient<typeof server>("http://a.test", { headers: { a: 1 } });`,
    "Type 'number' is not assignable to type 'string'",
  ],
  [`createClient({ url: "http://a.test" });`, "'url' does not exist in type"],
  [
    `createClient<typeof server>(undefined as string | undefined);`,
    "'undefined' is not assignable to type 'string | Transport",
  ],
  [`tool.handle(() => fetch("http://example.test"));`, "a Response: return its body, as in await response.json()"],
];

let folder = "";

before(() => {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  folder = mkdtempSync(join(ROOT, ".cache/types-"));
  const project = { extends: "../../tsconfig.json", include: ["*.ts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
});

after(() => rmSync(folder, { recursive: true, force: true }));

test("each mistake has one diagnostic, with the sentence", { timeout: 120_000 }, () => {
  writeFileSync(join(folder, "mistakes.ts"), HEAD + MISTAKES.map(([code]) => `${code}\n`).join(""));
  const { stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  rmSync(join(folder, "mistakes.ts"));
  const first = HEAD.split("\n").length;
  const diagnostics = stdout.split(/^(?=\S*mistakes\.ts\()/m).filter((text) => text !== "");
  const lines = diagnostics.map((text) => Number(/\((\d+),/.exec(text)?.[1]) - first);
  deepStrictEqual(lines, [...MISTAKES.keys()], stdout);
  const without = MISTAKES.filter(([, sentence], index) => !diagnostics[index]?.includes(sentence));
  deepStrictEqual(without, [], stdout);
});

test("hovers show resolved types", { timeout: 120_000 }, async () => {
  const lines = [
    ...HEAD.trimEnd().split("\n"),
    `const lock = tool.input(v.object({ id: v.string() })).errors({ locked: v.object({ by: v.string() }), gone: null }).handle(() => 1);`,
    `const server = createServer({ tools: [lock] });`,
    `const client = createClient<typeof server>("http://localhost");`,
    `const outcome = await client.t.outcome({ id: "a" });`,
    `if (outcome.kind === "failure") console.log(outcome);`,
  ];
  const file = join(folder, "hovers.ts");
  writeFileSync(file, lines.join("\n"));
  const editor = await start.call(Server, folder);
  try {
    editor.open(file, lines.join("\n"));
    for (const name of ["lock", "server", "client", "outcome"]) {
      const line = lines.findIndex((text) => text.startsWith(`const ${name} `));
      const shown = await editor.hover({ line, character: 6 });
      doesNotMatch(shown, /ErrorData<|ObjectSchema</, shown);
      if (name === "lock") match(shown, /readonly locked: \{\s*by: string;\s*\};\s*readonly gone: undefined;/);
    }
  } finally {
    editor.stop();
  }
});

/** Why a client has no place to lead to: docs/decisions/definition-of-client-tools.md. When the first line has one, TypeScript has learnt it. */
test("go to definition leads to a property that was written, and not to a name that a type computes", {
  timeout: 120_000,
}, async () => {
  const lines = [
    ...HEAD.trimEnd().split("\n"),
    `export const add = defineTool("add").describe("Add").handle(() => 3);`,
    `const server = createServer({ tools: [add] });`,
    `const client = createClient<typeof server>("http://localhost");`,
    `client.add();`,
    `type Renamed<Tools> = { [Key in keyof Tools as Tools[Key] extends { name: infer Name extends string } ? Name : never]: Tools[Key] };`,
    `declare const renamed: Renamed<{ add: { name: "add" } }>;`,
    `renamed.add;`,
    `type Same<Tools> = { [Key in keyof Tools]: Tools[Key] };`,
    `declare const same: Same<{ add: typeof add }>;`,
    `same.add;`,
  ];
  const file = join(folder, "definitions.ts");
  writeFileSync(file, lines.join("\n"));
  const editor = await start.call(Server, folder);
  try {
    editor.open(file, lines.join("\n"));
    const leads = (use: string) => {
      const line = lines.findIndex((text) => text.startsWith(use));
      return editor.define({ line, character: use.indexOf(".") + 1 });
    };
    deepStrictEqual((await leads("client.add")).filter((place) => place.startsWith("definitions.ts")), []);
    deepStrictEqual(await leads("renamed.add"), []);
    const written = lines.findIndex((text) => text.startsWith("declare const same")) + 1;
    deepStrictEqual(await leads("same.add"), [`definitions.ts:${written}`]);
  } finally {
    editor.stop();
  }
});
