// What an editor feels: the processor's time of TypeScript's language server for a file of calls to 20, 100 and 400 tools, beside the
// same file with the tools' types written by hand. `node tests/types/editor.mjs [--tools 20,100,400] [--rounds 5]` prints the table.
// An edit makes the server infer everything again, so that a step after an edit and the same step without one are two rows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatSpread, formatTable, quartiles } from "../../bench/report.mjs";
import { LanguageServer } from "./language_server.mjs";
import { outputOf, schemaOf } from "./scale.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STEPS = [
  "first diagnostics",
  "first hover",
  "the same hover again",
  "hover after an edit",
  "diagnostics after an edit",
  "completion after an edit",
  "the same completion again",
];

/** Where a client's types come from: what `tools.ts` holds, and what makes the client. All load the same libraries. */
const variants = {
  "by hand": { tools: toolsByHand, client: `createClient("http://localhost/mcp-lite/v1") as unknown as Tools` },
  "of schemas": { tools: toolsOfSchemas, client: `createClient("http://localhost/mcp-lite/v1") as unknown as Tools` },
  // The least that a client needs whose names are in values: no type of Toolwire takes part.
  "of named schemas": {
    tools: toolsOfNamedSchemas,
    client: `createClient("http://localhost/mcp-lite/v1") as unknown as Tools`,
  },
  toolwire: { tools: toolsOfServer, client: `createClient<Tools>("http://localhost/mcp-lite/v1")` },
  // As another package, or a project that is referred to, has them.
  declared: { tools: toolsOfServer, client: `createClient<Tools>("http://localhost/mcp-lite/v1")`, isDeclared: true },
};

const { values } = parseArgs({
  options: { tools: { type: "string", default: "20,100,400" }, rounds: { type: "string", default: "5" } },
});

const rows = [];
for (const tools of values.tools.split(",").map(Number)) {
  const samples = await measure(tools, Number(values.rounds));
  const base = samples["by hand"];
  for (const [index, step] of STEPS.entries()) {
    const medianMs = (variant) => quartiles(samples[variant].map((round) => round[index]))[1].toFixed(1);
    const ratio = (variant) => formatSpread(samples[variant].map((round, turn) => round[index] / base[turn][index]));
    const ratios = Object.keys(variants).slice(1).map(ratio);
    rows.push([tools, step, medianMs("by hand"), ...ratios]);
  }
}
console.log(
  formatTable(
    [
      "tools",
      "÷ by hand",
      "by hand, ms",
      "schemas in an interface",
      "schemas with names",
      "Toolwire",
      "Toolwire, declared",
    ],
    rows,
  ),
);

/** Milliseconds of each step, by variant and round; the variants take turns, each round in its own server. */
async function measure(tools, rounds) {
  const samples = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, variant] of Object.entries(variants)) {
      console.error(`${tools} tools, ${name} …`);
      const sample = await edit(tools, variant);
      // The first round brings the files into memory.
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** Opens a file of calls and works in it. */
async function edit(tools, variant) {
  const folder = mkdtempSync(join(ROOT, "node_modules/.toolwire-editor-"));
  try {
    const file = join(folder, "calls.ts");
    const lines = callsOf(tools, variant);
    const text = lines.join("\n");
    writeFileSync(file, text);
    const compilerOptions = { isolatedDeclarations: false, declaration: false, noUnusedLocals: false };
    const project = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"], exclude: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    writeFileSync(join(folder, "tools.ts"), variant.tools(tools));
    if (variant.isDeclared) declare(folder);
    const server = await LanguageServer.start(folder);
    try {
      return await work(server, { file, text, lines, tools });
    } finally {
      server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts declarations in the place of the tools' source. */
function declare(folder) {
  const args = ["-p", folder, "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const { status, stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), [...args, "--rootDir", ROOT], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The tools do not compile:\n${stdout.slice(0, 2_000)}`);
  const declared = join(folder, folder.slice(ROOT.length), "tools.d.ts");
  renameSync(declared, join(folder, "tools.d.ts"));
  rmSync(join(folder, "tools.ts"));
}

/** Milliseconds of each of the steps. What they give is looked at, so that nothing quick and empty is measured. */
async function work(server, { file, text, lines, tools }) {
  const last = tools - 1;
  const hover = () => server.hover({ line: lines.length - 1, character: lines.at(-1).indexOf("answer") });
  const complete = () => server.complete({ line: lines.length, character: 7 });
  const time = async (act, ask) => {
    const startMs = server.cpuMs;
    act();
    const answer = await ask();
    return { ms: server.cpuMs - startMs, answer };
  };
  const answers = [
    await time(() => server.open(file, text), () => server.diagnose()),
    await time(() => {}, hover),
    await time(() => {}, hover),
    await time(() => server.change(text.replace(`"x"`, `"y"`)), hover),
    await time(() => server.change(text.replace(`"x"`, `"z"`)), () => server.diagnose()),
    await time(() => server.change(`${text}\nclient.`), complete),
    await time(() => {}, complete),
  ];
  server.change(text.replace(`"x"`, "1"));
  const wrong = await server.diagnose();
  const [first, hovered, again, afterEdit, edited, completed] = answers.map(({ answer }) => answer);
  const isRight = first.length === 0 && edited.length === 0 && wrong.length === 1 &&
    [hovered, again, afterEdit].every((shown) => shown.includes(`ok${last}`)) &&
    completed.includes("tool_0") && completed.includes(`tool_${last}`);
  if (!isRight) throw new Error(`The answers are wrong: ${JSON.stringify({ first, hovered, edited, wrong })}`);
  return answers.map(({ ms }) => ms);
}

function callsOf(tools, { client }) {
  return [
    `import { createClient } from ${JSON.stringify(join(ROOT, "mod.ts"))};`,
    `import type { Tools } from "./tools.ts";`,
    `const client = ${client};`,
    ...indexesOf(tools).map((index) =>
      `export async function c${index}() { const answer = await client.tool_${index}({ id${index}: "x", tags: [] }); return answer; }`
    ),
  ];
}

function toolsByHand(tools) {
  const lines = indexesOf(tools).map((index) =>
    `  tool_${index}(input: { id${index}: string; limit?: number | undefined; tags: string[] }): ` +
    `Promise<{ ok${index}: boolean; rows: { name: string }[] }>;`
  );
  return [`import * as v from "valibot";`, `export const any = v.unknown();`, `export interface Tools {`, ...lines, "}"]
    .join("\n");
}

function toolsOfSchemas(tools) {
  const schemas = indexesOf(tools).map((index) =>
    `const in${index} = ${schemaOf(index)}; const out${index} = ${outputOf(index)};`
  );
  const lines = indexesOf(tools).map((index) =>
    `  tool_${index}(input: v.InferInput<typeof in${index}>): Promise<v.InferOutput<typeof out${index}>>;`
  );
  return [`import * as v from "valibot";`, ...schemas, `export interface Tools {`, ...lines, "}"].join("\n");
}

function toolsOfNamedSchemas(tools) {
  const values = indexesOf(tools).map((index) =>
    `const in${index} = ${schemaOf(index)}; const out${index} = ${outputOf(index)};` +
    `const t${index} = { name: "tool_${index}" as const, input: in${index}, output: out${index} };`
  );
  return [
    `import * as v from "valibot";`,
    ...values,
    `const all = [${indexesOf(tools).map((index) => `t${index}`).join(", ")}] as const;`,
    `export type Tools = {`,
    `  [T in (typeof all)[number] as T["name"]]: (input: v.InferInput<T["input"]>) => Promise<v.InferOutput<T["output"]>>;`,
    `};`,
  ].join("\n");
}

function toolsOfServer(tools) {
  const definitions = indexesOf(tools).map((index) =>
    `const t${index} = defineTool("tool_${index}").describe("Tool ${index}").input(${schemaOf(index)})` +
    `.output(${
      outputOf(index)
    }).handle(({ id${index}, limit }) => ({ ok${index}: id${index}.length > limit, rows: [] }));`
  );
  return [
    `import * as v from "valibot";`,
    `import { createServer, defineTool } from ${JSON.stringify(join(ROOT, "mod.ts"))};`,
    ...definitions,
    `const server = createServer({ tools: [${indexesOf(tools).map((index) => `t${index}`).join(", ")}] });`,
    `export type Tools = typeof server;`,
  ].join("\n");
}

function indexesOf(tools) {
  return Array.from({ length: tools }, (_, index) => index);
}
