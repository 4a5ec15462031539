/** Changes of lists: tools with all that a contract has, resources and prompts; and the command `toolwire diff`. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compareLists } from "../../../src/inspection/contract_diff/list_changes.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "../../apps/cli/run_here.ts";

const ADD: ListedTool = {
  name: "add",
  description: "Adds",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
  outputSchema: { type: "number" },
};

function contract(members: object): ListedTool {
  return { ...ADD, _meta: { "toolwire/contract": members } };
}

function hints(annotations: object): ListedTool {
  return { ...ADD, annotations: { ...annotations } };
}

/** Tools before and after, and the changes: level, place. */
const TOOLS: readonly (readonly [name: string, before: ListedTool, after: ListedTool, changes: readonly string[]])[] = [
  ["the same", ADD, structuredClone(ADD), []],
  ["description", ADD, { ...ADD, description: "Sums" }, ["note description"]],
  ["arguments", ADD, { ...ADD, inputSchema: { type: "object", properties: { a: { type: "string" } } } }, [
    "breaking arguments.a",
    "compatible arguments.a",
  ]],
  ["output", ADD, { ...ADD, outputSchema: { type: ["number", "null"] } }, ["breaking output"]],
  ["output schema gone", ADD, { ...ADD, outputSchema: undefined } as never, ["breaking output"]],
  ["output schema added", { ...ADD, outputSchema: undefined } as never, ADD, ["compatible output"]],
  [
    "output wrapped for an older revision",
    ADD,
    {
      ...contract({ wrapsOutput: true }),
      outputSchema: { type: "object", properties: { result: { type: "number" } } },
    },
    [],
  ],
  ["code added", contract({ errors: { a: null } }), contract({ errors: { a: null, b: null } }), ["breaking failures"]],
  ["code gone", contract({ errors: { a: null } }), ADD, ['compatible failure "a"']],
  ["data of a code", contract({ errors: { a: { type: "string" } } }), contract({ errors: { a: { type: "number" } } }), [
    'compatible failure "a"',
    'breaking failure "a"',
  ]],
  ["data of a code gone", contract({ errors: { a: { type: "string" } } }), contract({ errors: { a: null } }), [
    'breaking failure "a"',
  ]],
  ["partials", contract({ partialSchema: { type: "string" } }), contract({ partialSchema: {} }), ["breaking partial"]],
  ["partials gone", contract({ partialSchema: {} }), ADD, ["breaking partial"]],
  ["promises required", ADD, contract({ promises: "required" }), ["breaking promises"]],
  ["promises gone", contract({ promises: "optional" }), ADD, ["breaking promises"]],
  ["promises added", ADD, contract({ promises: "optional" }), ["compatible promises"]],
  ["read-only taken back", hints({ readOnlyHint: true }), ADD, ["breaking annotations.readOnlyHint"]],
  ["read-only added", ADD, hints({ readOnlyHint: true }), ["compatible annotations.readOnlyHint"]],
  ["idempotent taken back", hints({ idempotentHint: true }), hints({ idempotentHint: false }), [
    "breaking annotations.idempotentHint",
  ]],
  ["destructive", hints({ destructiveHint: false }), ADD, ["breaking annotations.destructiveHint"]],
  ["the default of a hint", hints({ destructiveHint: true }), ADD, []],
];

for (const [name, before, after, expected] of TOOLS) {
  test(`${name}: ${expected.join(", ") || "no change"}`, () => {
    const changes = compareLists({ tools: [before] }, { tools: [after] });
    deepStrictEqual(changes.map(({ level, place }) => `${level} ${place}`), expected, JSON.stringify(changes));
  });
}

test("tools, resources, templates and prompts that are gone break callers; added ones do not", () => {
  const all = {
    tools: [ADD],
    resources: [{ uri: "a:b", name: "b" }],
    resourceTemplates: [{ uriTemplate: "a:{b}", name: "b" }],
    prompts: [{ name: "p" }],
  };
  const none = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  deepStrictEqual(compareLists(all, none).map(({ level, subject }) => `${level} ${subject}`), [
    'breaking tool "add"',
    'breaking resource "a:b"',
    'breaking template "a:{b}"',
    'breaking prompt "p"',
  ]);
  deepStrictEqual(compareLists(none, all).map(({ level, subject }) => `${level} ${subject}`), [
    "compatible tools",
    "compatible resources",
    "compatible templates",
    "compatible prompts",
  ]);
  // A wire without resources says nothing about them.
  deepStrictEqual(compareLists(all, { tools: [ADD] }), []);
});

test("arguments of prompts, and media types", () => {
  const prompt = (...args: readonly object[]) => ({ prompts: [{ name: "p", arguments: args as never }] });
  const levels = (before: object, after: object) =>
    compareLists(before, after).map(({ level, place }) => `${level} ${place}`);
  deepStrictEqual(levels(prompt({ name: "a" }), prompt({ name: "a", required: true })), ["breaking arguments.a"]);
  deepStrictEqual(levels(prompt({ name: "a" }), prompt()), ["breaking arguments.a"]);
  deepStrictEqual(levels(prompt(), prompt({ name: "b", required: true })), ["breaking arguments"]);
  deepStrictEqual(levels(prompt(), prompt({ name: "b" })), ["compatible arguments"]);
  deepStrictEqual(levels(prompt({ name: "a", required: true }), prompt({ name: "a" })), ["compatible arguments.a"]);
  const resource = (mimeType: string) => ({ resources: [{ uri: "a:b", name: "b", mimeType }] });
  deepStrictEqual(levels(resource("text/plain"), resource("text/html")), ["breaking mimeType"]);
});

const FILES = {
  "one.json": [ADD],
  "two.json": { tools: [{ ...ADD, inputSchema: { type: "object", properties: { a: { type: "number" }, b: {} } } }] },
  "narrow.json": {
    tools: [{ ...ADD, inputSchema: { type: "object", properties: { a: { type: "number", maximum: 5 } } } }],
  },
  "pattern_a.json": [{ ...ADD, inputSchema: { type: "object", properties: { a: { pattern: "a" } } } }],
  "pattern_b.json": [{ ...ADD, inputSchema: { type: "object", properties: { a: { pattern: "b" } } } }],
  "pin.json": {
    name: "m",
    version: "1.0.0",
    actions: [{ name: "add", requestSchema: ADD.inputSchema, responseSchema: ADD.outputSchema }],
  },
  "evil.json": [{ ...ADD, name: "a\u001b[31m\nb" }],
  "empty.json": [],
};

async function diff(...words: readonly string[]) {
  await using folder = await temporaryFolder();
  for (const [name, json] of Object.entries(FILES)) writeFileSync(join(folder.path, name), JSON.stringify(json));
  return await runHere({ cwd: folder.path }, "diff", ...words);
}

/** Words, exit code, standard output, standard error. */
const RUNS: readonly (readonly [words: readonly string[], code: number, out: RegExp, errors: RegExp])[] = [
  [["one.json", "one.json"], 0, /^$/, /No changes/],
  [
    ["one.json", "two.json"],
    0,
    /^compatible {2}tool "add", arguments: an optional member was added\n$/,
    /1 compatible/,
  ],
  [["one.json", "narrow.json"], 1, /^breaking {2}tool "add", arguments\.a: the maximum is tighter\n$/, /1 breaking/],
  [["narrow.json", "one.json"], 0, /^compatible /, /1 compatible/],
  [["one.json", "pin.json"], 0, /^note {2}tool "add", description/, /1 note/],
  [
    ["pattern_a.json", "pattern_b.json"],
    1,
    /^uncertain {2}tool "add", arguments\.a: pattern changed\n$/,
    /1 uncertain/,
  ],
  [["pattern_a.json", "pattern_b.json", "--allow", "uncertain"], 0, /^uncertain /, /1 uncertain/],
  [["evil.json", "empty.json"], 1, /^breaking {2}tool "a\\u001b\[31m\\nb": it was removed/, /1 breaking/],
  [[], 2, /^$/, /Two sources are needed/],
  [["one.json"], 2, /^$/, /Two sources are needed/],
  [["one.json", "two.json", "one.json"], 2, /^$/, /one argument too many/],
  [["one.json", "missing.json"], 2, /^$/, /Cannot read the file/],
  [["one.json", "two.json", "--allow", "breaking"], 2, /^$/, /allow/],
  [["one.json", "no such thing::"], 2, /^$/, /is not a target/],
  [["one.json", "http://127.0.0.1:9/mcp"], 4, /^$/, /127\.0\.0\.1:9/],
];

for (const [words, code, out, errors] of RUNS) {
  test(`toolwire diff ${words.join(" ")}: exit code ${code}`, async () => {
    const result = await diff(...words);
    strictEqual(result.code, code, result.errors);
    match(result.out, out);
    match(result.errors, errors);
  });
}

test("toolwire diff --json: one object with counts and changes", async () => {
  const { code, out } = await diff("one.json", "narrow.json", "--json");
  strictEqual(code, 1);
  deepStrictEqual(JSON.parse(out), {
    isBreaking: true,
    counts: { breaking: 1, uncertain: 0, compatible: 0, note: 0 },
    changes: [{ level: "breaking", place: "arguments.a", message: "the maximum is tighter", subject: 'tool "add"' }],
  });
});
