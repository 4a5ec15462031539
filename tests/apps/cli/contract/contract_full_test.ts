/** Contracts, by the compiler: of a server of this SDK, of published servers, and of their wrong use. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { checkTools } from "../../../../apps/cli/check/check_tools.ts";
import { writeContract } from "../../../../apps/cli/contract/contract.ts";
import { compareLists } from "../../../../src/inspection/contract_diff/list_changes.ts";
import { type CorpusServer, readCorpus } from "../../../corpus/corpus.ts";
import { findNode, findProgram, testWith } from "../../../serve/programs.ts";
import { compileFiles } from "./compile.ts";
import { listsOf } from "./lists.ts";
import { server } from "./own_server.ts";

const TIMEOUT_MS = 600_000;

/** Uses of the contract of `own_server.ts`. A line below `@ts-expect-error` has to be an error, all others none. */
const OWN_USES = `
import { type Client, createClient } from "toolwire";
import type { server } from "../../tests/apps/cli/contract/own_server.ts";
import type { Contract, Prompts, Resources, ResourceTemplates } from "./own.ts";

const client = createClient<Contract>("http://localhost");
const typed = createClient<typeof server>("http://localhost");

type Fits<One, Other> = [One] extends [Other] ? true : false;
type Same<One, Other> = [One] extends [Other] ? [Other] extends [One] ? true : false : false;
const outputs: Fits<Awaited<ReturnType<typeof client.find>>, Awaited<ReturnType<typeof typed.find>>> = true;
const pages: Fits<Awaited<ReturnType<typeof client.pages>>, Awaited<ReturnType<typeof typed.pages>>> = true;
const inputs: Same<Parameters<typeof client.book>, Parameters<typeof typed.book>> = true;
const tools: Same<keyof typeof client, keyof typeof typed> = true;
const other: Client<Contract>["book"] = typed.book;

const found = await client.find({ name: "a", kinds: ["file"] as const });
found.nodes[0]?.size?.toFixed();
await client.ping();
await client.ping({});
const { result, ...stream } = client.book.stream({ seat: "1A" });
for await (const { step } of client.book.stream({ seat: "1A" })) step.toFixed();
(await result).toUpperCase();
const outcome = await client.book.outcome({ seat: "1A" });
if (outcome.kind === "failure") {
  if (outcome.code === "locked") outcome.data.by.toUpperCase();
  // @ts-expect-error
  if (outcome.code === "sold") throw stream;
}
try {
  await client.book({ seat: "1A" });
} catch (error) {
  if (client.book.isFailure(error) && error.code === "locked") error.data.by.toUpperCase();
}
for await (const { name } of client.pages.items()) name.toUpperCase();
const review: Prompts["review"] = { code: "a" };
const day: ResourceTemplates["log://{day}/{part}"] = { day: "1", part: "a" };
const json: Resources["config://app"] = "application/json";

// @ts-expect-error
await client.find({ name: 5 });
// @ts-expect-error
await client.find({ nam: "a" });
// @ts-expect-error
await client.find({ name: "a", kinds: ["link"] });
// @ts-expect-error
await client.find();
// @ts-expect-error
await client.fnd({ name: "a" });
// @ts-expect-error
found.nodes[0].size;
// @ts-expect-error
found.nodes[0]?.size.toFixed();
// @ts-expect-error
found.entries;
// @ts-expect-error
(await client.book({ seat: "1A" })).toFixed();
// @ts-expect-error
client.book.stream({ seat: 1 });
// @ts-expect-error
const wrong: Prompts["review"] = { style: "a" };
// @ts-expect-error
const missing: ResourceTemplates["log://{day}/{part}"] = { day: "1" };
export { day, inputs, json, missing, other, outputs, pages, review, tools, wrong };
`;

testWith("the contract of a server types a client as the server does", [findProgram("tsc")], async (tsc) => {
  const { text } = await writeContract(await listsOf(server));
  const { text: legacy } = await writeContract(await listsOf(server, "legacy"));
  const uses = { "uses.ts": OWN_USES, "legacy_uses.ts": OWN_USES.replace("./own.ts", "./legacy.ts") };
  deepStrictEqual(await compileFiles(tsc, { "own.ts": text, "legacy.ts": legacy, ...uses }), []);
}, TIMEOUT_MS);

/** Uses of the contract of `@modelcontextprotocol/server-filesystem` and `@playwright/mcp`. */
const FOREIGN_USES = `
import { createClient } from "toolwire";
import type { Contract as Files } from "./FILES.ts";

const files = createClient<Files>("http://localhost");
const { content } = await files.read_text_file({ path: "a", head: 1 });
content.toUpperCase();
await files.edit_file({ path: "a", edits: [{ oldText: "a", newText: "b" }] });
// @ts-expect-error
await files.read_text_file({ file: "a" });
// @ts-expect-error
await files.read_text_file({ path: "a", head: "1" });
// @ts-expect-error
await files.edit_file({ path: "a", edits: [{ oldText: "a" }] });
// @ts-expect-error
await files.list_directory_with_sizes({ path: "a", sortBy: "date" });
// @ts-expect-error
await files.read_txt_file({ path: "a" });
// @ts-expect-error
content.toFixed();
// @ts-expect-error
(await files.read_text_file({ path: "a" })).contents;
`;

testWith(
  "the contracts of published servers compile, with at least as many tools as types, and refuse wrong use",
  [findProgram("tsc"), findProgram("bun"), findNode(24)],
  async (tsc, bun, node) => {
    const corpus = await readCorpus(bun, node);
    const files: Record<string, string> = {
      "uses.ts": FOREIGN_USES.replace("FILES", fileOf("@modelcontextprotocol/server-filesystem")),
    };
    let tools = 0;
    for (const { name, tools: listed } of corpus) {
      const { text, leftOut } = await writeContract({ tools: listed });
      deepStrictEqual(leftOut, []);
      tools += text.match(/^ {4}readonly input: /gm)?.length ?? 0;
      files[`${fileOf(name)}.ts`] = text;
    }
    deepStrictEqual(await compileFiles(tsc, files), []);
    ok(tools >= 700, `${tools} tools`);
  },
  TIMEOUT_MS,
);

testWith(
  "toolwire check has findings in the lists of published servers, and toolwire diff none between a list and itself",
  [findProgram("bun"), findNode(24)],
  async (bun, node) => {
    const rules = new Set<string>();
    for (const { name, tools } of await readCorpus(bun, node)) {
      const { findings } = await checkTools(tools, { vendors: ["openai", "anthropic", "gemini"], budget: 8_000 });
      for (const { rule } of findings) rules.add(rule);
      deepStrictEqual(compareLists({ tools }, { tools: structuredClone(tools) }), [], name);
    }
    for (const rule of ["description", "large-schema", "list-size", "open-schema", "openai", "anthropic"]) {
      ok(rules.has(rule), rule);
    }
  },
  TIMEOUT_MS,
);

function fileOf(name: CorpusServer["name"]): string {
  return name.replaceAll(/\W/g, "_");
}
