// What a tool costs the type checker: instantiations for servers of 50, 100, 200 and 400 tools, with a typed client and an
// awaited call for each, on top of inferring the schemas alone. `node tests/types/scale.mjs` prints the table.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { readOptions } from "../../bench/options.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SIZES = [50, 100, 200, 400];

/** Instantiations by number of tools, without and with Toolwire. */
export function measureTypes(sizes = SIZES) {
  // Several runtimes may measure at the same time.
  const folder = mkdtempSync(join(ROOT, "node_modules/.toolwire-type-scale-"));
  try {
    return sizes.map((tools) => {
      const schemas = countInstantiations(folder, schemasOnly(tools));
      const all = countInstantiations(folder, withToolwire(tools));
      return { tools, schemas, all, ours: all - schemas };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Instantiations that each further tool costs, from the last but one size to the last. */
export function marginalCost(rows) {
  const [before, after] = rows.slice(-2);
  return (after.ours - before.ours) / (after.tools - before.tools);
}

/** The input schema of a tool, as source. */
export function schemaOf(index) {
  return `v.object({ id${index}: v.string(), limit: v.optional(v.number(), ${index}), tags: v.array(v.string()) })`;
}

/** The output schema of a tool, as source. */
export function outputOf(index) {
  return `v.object({ ok${index}: v.boolean(), rows: v.array(v.object({ name: v.string() })) })`;
}

const HEAD = `import * as v from "valibot";\n`;

function schemasOnly(tools) {
  const lines = Array.from({ length: tools }, (_, index) =>
    [
      `const in${index} = ${schemaOf(index)};`,
      `const out${index} = ${outputOf(index)};`,
      `export type I${index} = v.InferInput<typeof in${index}>; export type A${index} = v.InferOutput<typeof in${index}>; export type O${index} = v.InferInput<typeof out${index}>;`,
      `export const i${index}: I${index} = { id${index}: "x", tags: [] }; export const o${index}: O${index} = { ok${index}: true, rows: [] }; export const a${index} = (a: A${index}): number => a.limit;`,
    ].join("\n"));
  return HEAD + lines.join("\n");
}

function withToolwire(tools) {
  const indexes = Array.from({ length: tools }, (_, index) => index);
  const definitions = indexes.map((index) =>
    `const t${index} = defineTool("tool_${index}").describe("Tool ${index}").input(${schemaOf(index)}).output(${
      outputOf(index)
    })` +
    `.handle(({ id${index}, limit }) => ({ ok${index}: id${index}.length > limit, rows: [] }));`
  );
  const calls = indexes.map((index) =>
    `export async function c${index}(): Promise<boolean> { const r = await client.tool_${index}({ id${index}: "x", tags: [] }); return r.ok${index}; }`
  );
  return [
    HEAD,
    `import { createClient, createServer, defineTool } from "${join(ROOT, "mod.ts")}";`,
    ...definitions,
    `const server = createServer({ tools: [${indexes.map((index) => `t${index}`).join(", ")}] });`,
    `const client = createClient<typeof server>("http://localhost/mcp-lite/v1");`,
    ...calls,
  ].join("\n");
}

function countInstantiations(folder, source) {
  writeFileSync(join(folder, "scale.ts"), source);
  const compilerOptions = { isolatedDeclarations: false, declaration: false, noUnusedLocals: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["scale.ts"], exclude: [] }),
  );
  const { stdout, status } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), [
    "-p",
    folder,
    "--noEmit",
    "--extendedDiagnostics",
  ], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The generated file does not compile:\n${stdout.slice(0, 2000)}`);
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)[1]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // It has none, and says so.
  readOptions({});
  const rows = measureTypes();
  console.log("| tools | schemas alone | with Toolwire | Toolwire a tool |\n|---|---|---|---|");
  for (const { tools, schemas, all, ours } of rows) {
    console.log(`| ${tools} | ${schemas} | ${all} | ${Math.round(ours / tools)} |`);
  }
  console.log(
    `\nEach further tool, from ${rows.at(-2).tools} to ${rows.at(-1).tools}: ${
      Math.round(marginalCost(rows))
    } instantiations`,
  );
}
