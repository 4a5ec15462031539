/** `toolwire check`: what it finds, its formats, wrong use. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkTools } from "../../../apps/cli/check/check_tools.ts";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import { compileCheck } from "../../../src/core/json_schema/check.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

const text = { type: "string", description: "A text" };

/** A tool without findings. */
const GOOD: ListedTool = {
  name: "find_pages",
  description: "Finds the pages that contain a text",
  inputSchema: { type: "object", properties: { text }, required: ["text"], additionalProperties: false },
  outputSchema: { type: "object", properties: { title: text } },
};

function good(changes: object): ListedTool {
  return { ...GOOD, ...changes };
}

function input(schema: object): ListedTool {
  return good({ inputSchema: { ...GOOD.inputSchema, ...schema } });
}

const deep = (levels: number): object =>
  levels === 0
    ? text
    : { type: "object", description: "D", properties: { a: deep(levels - 1) }, additionalProperties: false };

/** Lists and their findings: level, rule, place. Notes about vendors are left out. */
const LISTS: readonly (readonly [name: string, tools: readonly ListedTool[], findings: readonly string[]])[] = [
  ["a good tool", [GOOD], []],
  ["a name with a blank", [good({ name: "find pages" })], ["error name"]],
  ["a name with a dot", [good({ name: "find.pages" })], ["note name"]],
  ["a name of 65 characters", [good({ name: "a".repeat(65) })], ["error name"]],
  ["two names that differ in case", [GOOD, good({ name: "Find_pages", description: "Finds pages by their title" })], [
    "error name",
  ]],
  ["no description", [good({ description: undefined })], ["warning description"]],
  ["a description that repeats the name", [good({ description: "Find pages." })], ["warning description"]],
  ["a short description", [good({ description: "Search" })], ["warning description"]],
  ["a long description", [good({ description: "long ".repeat(300) })], ["warning description"]],
  ["the same description twice", [GOOD, good({ name: "other" })], ["warning description"]],
  ["an argument without a description", [input({ properties: { text: { type: "string" } } })], [
    "note description arguments",
  ]],
  ["an invisible character", [good({ description: "Finds the pages\u200b that contain a text" })], [
    "error hidden-text",
  ]],
  ["characters that reverse the text", [input({ properties: { text: { ...text, description: "a\u202eb" } } })], [
    "error hidden-text",
  ]],
  ["letters of tags in a name of a member", [input({ properties: { text, ["a\u{e0041}"]: text } })], [
    "error hidden-text",
  ]],
  ["no schema", [good({ inputSchema: undefined })], ["error schema arguments"]],
  ["a schema of an array", [good({ inputSchema: { type: "array" } })], ["error schema arguments"]],
  ["a keyword of a wrong type", [input({ properties: { text: { ...text, maxLength: -1 } } })], [
    "error schema arguments",
  ]],
  ["a reference that leads nowhere", [input({ properties: { text: { ...text, $ref: "#/$defs/a" } } })], [
    "error schema arguments",
  ]],
  ["a required name that is not declared", [input({ required: ["txt"] })], ["warning schema arguments"]],
  ["any arguments", [good({ inputSchema: { type: "object" } })], ["note open-schema arguments"]],
  ["no arguments", [input({ properties: {}, required: [] })], []],
  ["a member without a type", [input({ properties: { text: { description: "A text" } } })], [
    "warning open-schema arguments.text",
  ]],
  ["an object without members", [input({ properties: { text: { ...text, type: "object" } } })], [
    "warning open-schema arguments.text",
  ]],
  ["items without a type", [input({ properties: { text: { ...text, type: "array", items: {} } } })], [
    "warning open-schema arguments.text[]",
  ]],
  ["a map", [input({ properties: { text: { ...text, type: "object", additionalProperties: text } } })], []],
  ["no output schema", [good({ outputSchema: undefined })], ["note open-schema output"]],
  ["a list without a limit", [good({ outputSchema: { type: "array", items: text } })], [
    "warning unbounded-output output",
  ]],
  ["a list with a limit", [good({ outputSchema: { type: "array", items: text, maxItems: 9 } })], []],
  [
    "a wrapped list",
    [good({
      outputSchema: { type: "object", properties: { result: { type: "array", items: text } } },
      _meta: { "toolwire/contract": { wrapsOutput: true } },
    })],
    ["warning unbounded-output output"],
  ],
  ["6 levels", [input({ properties: { text: deep(5) } })], ["warning large-schema arguments"]],
  ["many arguments", [
    input({
      properties: Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`text_${at}`, text])),
      required: [],
    }),
  ], [
    "warning large-schema",
  ]],
  ["a hint that is a text", [good({ annotations: { readOnlyHint: "yes" } })], [
    "error annotations annotations.readOnlyHint",
  ]],
  ["read-only and destructive", [good({ annotations: { readOnlyHint: true, destructiveHint: true } })], [
    "error annotations annotations",
  ]],
  ["read-only, and it deletes", [good({ name: "delete_pages", annotations: { readOnlyHint: true } })], [
    "warning annotations annotations.readOnlyHint",
  ]],
  ["a setting is not set", [good({ name: "settings", annotations: { readOnlyHint: true } })], []],
  ["system tools", [{ name: "redeem", inputSchema: { type: "object", required: ["promise"] } }], []],
];

for (const [name, tools, expected] of LISTS) {
  test(`${name}: ${expected.join(", ") || "no finding"}`, async () => {
    const { findings } = await checkTools(tools, { vendors: [], budget: 8_000 });
    const own = findings.filter(({ rule }) => !/openai|anthropic|gemini/.test(rule));
    deepStrictEqual(
      own.map(({ level, rule, place }) => `${level} ${rule} ${place}`.trim()),
      expected,
      JSON.stringify(own),
    );
  });
}

test("refusals of named vendors are warnings, of others notes", async () => {
  const tools = [input({ additionalProperties: true })];
  const levels = async (...vendors: ("openai" | "anthropic" | "gemini")[]) => {
    const { findings } = await checkTools(tools, { vendors, budget: 8_000 });
    return findings.map(({ level, rule }) => `${level} ${rule}`);
  };
  deepStrictEqual(await levels(), ["note openai", "note anthropic"]);
  deepStrictEqual(await levels("openai"), ["warning openai", "note anthropic"]);
});

test("a list over the budget is a finding", async () => {
  const { findings, tokens } = await checkTools([GOOD], { vendors: [], budget: 20 });
  ok(tokens > 20);
  deepStrictEqual(findings.map(({ rule, tool }) => [rule, tool]), [["list-size", undefined]]);
  match(findings[0]?.message ?? "", new RegExp(`about ${tokens} tokens of 20: .*discover\\(\\)`));
});

/** The part of SARIF 2.1.0 that is written: required members, types and vocabularies of the specification. */
const SARIF = {
  type: "object",
  required: ["version", "runs"],
  additionalProperties: false,
  properties: {
    $schema: { type: "string", format: "uri" },
    version: { const: "2.1.0" },
    runs: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["tool", "results"],
        additionalProperties: false,
        properties: {
          tool: {
            type: "object",
            required: ["driver"],
            additionalProperties: false,
            properties: {
              driver: {
                type: "object",
                required: ["name"],
                additionalProperties: false,
                properties: {
                  name: { type: "string" },
                  version: { type: "string" },
                  rules: { type: "array", uniqueItems: true, items: { $ref: "#/$defs/rule" } },
                },
              },
            },
          },
          results: { type: "array", items: { $ref: "#/$defs/result" } },
        },
      },
    },
  },
  $defs: {
    message: {
      type: "object",
      required: ["text"],
      additionalProperties: false,
      properties: { text: { type: "string" } },
    },
    rule: {
      type: "object",
      required: ["id"],
      additionalProperties: false,
      properties: { id: { type: "string" }, shortDescription: { $ref: "#/$defs/message" } },
    },
    result: {
      type: "object",
      required: ["message"],
      additionalProperties: false,
      properties: {
        ruleId: { type: "string" },
        ruleIndex: { type: "integer", minimum: 0 },
        level: { enum: ["none", "note", "warning", "error"] },
        message: { $ref: "#/$defs/message" },
        partialFingerprints: { type: "object", additionalProperties: { type: "string" } },
        locations: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: false,
            properties: {
              physicalLocation: {
                type: "object",
                required: ["artifactLocation"],
                additionalProperties: false,
                properties: {
                  artifactLocation: {
                    type: "object",
                    additionalProperties: false,
                    properties: { uri: { type: "string", format: "uri-reference" } },
                  },
                  region: {
                    type: "object",
                    additionalProperties: false,
                    properties: { startLine: { type: "integer", minimum: 1 } },
                  },
                },
              },
              logicalLocations: {
                type: "array",
                items: {
                  type: "object",
                  additionalProperties: false,
                  properties: {
                    name: { type: "string" },
                    fullyQualifiedName: { type: "string" },
                    kind: { type: "string" },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

const BAD = good({ name: "evil\u001b[31m name", description: "" });

async function check(...words: readonly string[]) {
  await using folder = await temporaryFolder();
  const files = { "good.json": [GOOD], "bad.json": { tools: [BAD, GOOD] } };
  for (const [name, json] of Object.entries(files)) writeFileSync(join(folder.path, name), JSON.stringify(json));
  return await runHere({ cwd: folder.path }, "check", ...words);
}

test("--format sarif has the shape of SARIF 2.1.0, and each result a rule of the run", async () => {
  const { code, out } = await check("bad.json", "--format", "sarif");
  strictEqual(code, 1);
  const log = JSON.parse(out);
  deepStrictEqual(compileCheck(SARIF)(log), []);
  const [{ tool, results }] = log.runs;
  for (const { ruleId, ruleIndex } of results) strictEqual(tool.driver.rules[ruleIndex].id, ruleId);
  const [first] = results;
  deepStrictEqual([first.level, first.ruleId], ["error", "name"]);
  deepStrictEqual(first.locations[0].physicalLocation.artifactLocation, { uri: "bad.json" });
});

test("--format json and --json have findings, counts and tokens", async () => {
  const { code, out } = await check("bad.json", "--json");
  const { findings, counts, tokens } = JSON.parse(out);
  strictEqual(code, 1);
  deepStrictEqual([counts.error, counts.warning], [2, 1]);
  ok(tokens > 100);
  deepStrictEqual(Object.keys(findings[0]).sort(), ["level", "message", "place", "rule", "tool"]);
  strictEqual((await check("bad.json", "--format", "json")).out, out);
});

/** Words, exit code, standard output, standard error. */
const RUNS: readonly (readonly [words: readonly string[], code: number, out: RegExp, errors: RegExp])[] = [
  [["good.json"], 0, /^$/, /^No findings; the list takes about \d+ tokens\n$/],
  [["good.json", "--budget", "10"], 1, /^warning {2}the list: .* \[list-size\]\n$/, /1 warning;/],
  [["bad.json"], 1, /^error {2}evil\\u001b\[31m name: vendors refuse it/, /^2 errors, 1 warning; the list/],
  [[], 2, /^$/, /target is missing/],
  [["good.json", "more"], 2, /^$/, /one argument too many/],
  [["good.json", "--budget", "none"], 2, /^$/, /"none" is not a number of tokens/],
  [["good.json", "--format", "xml"], 2, /^$/, /xml/],
  [["good.json", "--for", "acme"], 2, /^$/, /acme/],
  [["missing.json"], 2, /^$/, /Cannot read the file/],
];

for (const [words, code, out, errors] of RUNS) {
  test(`toolwire check ${words.join(" ")}: exit code ${code}`, async () => {
    const result = await check(...words);
    strictEqual(result.code, code, result.out + result.errors);
    match(result.out, out);
    match(result.errors, errors);
  });
}
