/** The schemas of published MCP servers in the form for each vendor: accepted by its subset and its package, and nothing is lost. */
import { deepStrictEqual, doesNotThrow, ok, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import type { ListedTool } from "../../../src/core/call/transport.ts";
import {
  type AgentOptions,
  anthropicTools,
  explainSchema,
  googleTools,
  openaiResponsesTools,
  openaiTools,
  type SchemaVendor,
} from "../../../src/entries/agents.ts";
import { estimateTextTokens } from "../../../src/internal/token_estimate.ts";
import { readCorpus } from "../../corpus/corpus.ts";
import { findNode, findProgram, testWith } from "../../serve/programs.ts";
import { loadModule, skip } from "./frameworks.ts";
import { checkHeld, type Drawn } from "./held_to_full.ts";
import { SUBSETS, violations } from "./vendor_subsets.ts";

const VENDORS = ["openai", "anthropic", "gemini"] as const;
const TIMEOUT_MS = 600_000;
const PROGRAMS = [findProgram("bun"), findNode(24)] as const;

async function readTools(bun: string, node: string): Promise<readonly ListedTool[]> {
  return (await readCorpus(bun, node)).flatMap(({ tools }) => tools);
}

/** The schema without definitions that are not used. */
function withUsed(
  { $defs = {}, ...schema }: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const used = new Map<string, unknown>();
  for (let text = JSON.stringify(schema); text !== "";) {
    const names = [...text.matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name = ""]) => name).filter((name) =>
      !used.has(name)
    );
    for (const name of names) used.set(name, ($defs as Record<string, unknown>)[name]);
    text = names.map((name) => JSON.stringify(used.get(name))).join("");
  }
  return { ...schema, $defs: Object.fromEntries(used) };
}

/** Names of all assertions with a bound, of all levels. */
function assertionsOf(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = Object.keys(schema).filter((key) =>
    /^(min|max|exclusive|multipleOf$|pattern$|format$|uniqueItems$)/.test(key)
  );
  const isBound = (key: string) => typeof (schema as Record<string, unknown>)[key] !== "object";
  return [...own.filter(isBound), ...Object.values(schema).flatMap(assertionsOf)];
}

/** Why a schema is not reduced. Another reason is a regression. */
const REASONS: readonly RegExp[] = [
  /^it is an object that allows properties with any name$/,
  /^it may be null or left out, which cannot be distinguished$/,
  /^it allows any value$/,
  /^it has more than 24 optional properties$/,
  /^it has more than 16 unions$/,
];

for (const vendor of VENDORS) {
  testWith(`${vendor} accepts each schema, or the reason is given`, [...PROGRAMS], async (bun, node) => {
    const tools = await readTools(bun, node);
    let reduced = 0;
    for (const tool of tools) {
      const { schema, changes, refused } = explainSchema(tool, vendor);
      const listed = changes.map(({ pointer }) => pointer.slice(pointer.lastIndexOf("/") + 1));
      const count = (keywords: readonly string[], keyword: string) => keywords.filter((one) => one === keyword).length;
      const [before, after] = [assertionsOf(withUsed(tool.inputSchema)), assertionsOf(schema)];
      for (const keyword of new Set(before)) {
        const lost = count(before, keyword) - count(after, keyword);
        ok(lost <= count(listed, keyword), `${tool.name}: ${keyword} is lost, and not listed`);
      }
      if (refused === undefined) {
        reduced++;
        deepStrictEqual(violations(schema, SUBSETS[vendor]), [], tool.name);
      } else ok(REASONS.some((reason) => reason.test(refused.reason)), `${tool.name}: ${refused.reason}`);
    }
    ok(reduced >= tools.length * (vendor === "gemini" ? 1 : 0.88), `${reduced} of ${tools.length}`);
  }, TIMEOUT_MS);

  testWith(
    `${vendor}: arguments that fit the reduced schema alone are refused by name`,
    [...PROGRAMS],
    async (bun, node) => {
      const drawn: Drawn = { fitting: 0, refused: 0 };
      for (const { inputSchema = {} } of await readTools(bun, node)) await checkHeld(inputSchema, vendor, 5, drawn);
      ok(drawn.fitting > 100 && drawn.refused > 10, JSON.stringify(drawn));
    },
    TIMEOUT_MS,
  );
}

testWith("Anthropic: the names of all properties, and the limits of a request", [...PROGRAMS], async (bun, node) => {
  const list = await readTools(bun, node);
  const source = { call: () => ({ kind: "answer" as const, value: null }), list: () => list };
  const { tools } = await anthropicTools(source, { strict: true });
  for (const { input_schema: { properties } } of tools) {
    for (const name of Object.keys(properties as object)) ok(/^[a-zA-Z0-9_.-]{1,64}$/.test(name), name);
  }
  const strict = tools.filter((tool) => tool.strict);
  const text = JSON.stringify(strict.map((tool) => tool.input_schema));
  ok(strict.length > 10 && strict.length <= 20, `${strict.length} tools are strict`);
  ok((text.match(/"anyOf"|"type":\[/g) ?? []).length <= 16);
}, TIMEOUT_MS);

testWith(
  "all tools of all servers: the first request carries at most 1 % of their tokens",
  [...PROGRAMS],
  async (bun, node) => {
    const list = (await readCorpus(bun, node)).flatMap(({ name, tools }) =>
      tools.map((tool) => ({ ...tool, name: `${name}/${tool.name}` }))
    );
    const source = { call: () => ({ kind: "answer" as const, value: null }), list: () => list };
    const group = ({ name }: ListedTool) => name.slice(0, name.lastIndexOf("/"));
    const openings: readonly ((options: AgentOptions) => Promise<unknown>)[] = [
      async (options) => (await openaiTools(source, options)).tools,
      async (options) => (await openaiResponsesTools(source, options)).tools,
      async (options) => (await anthropicTools(source, options)).tools.filter((tool) => !tool.defer_loading),
      async (options) => (await googleTools(source, options)).tools,
    ];
    for (const open of openings) {
      const [full, deferred] = [await open({}), await open({ defer: "auto", group })];
      const [all, few] = [full, deferred].map((tools) => estimateTextTokens(JSON.stringify(tools))) as [number, number];
      ok(all > 100_000 && few <= 0.03 * all, `${few} of ${all}`);
    }
  },
  TIMEOUT_MS,
);

type Helper = (schema: unknown) => unknown;
const HELPERS: readonly (readonly [SchemaVendor, string, string])[] = [
  ["openai", "openai/lib/transform.mjs", "toStrictJsonSchema"],
  ["anthropic", "@anthropic-ai/sdk/lib/transform-json-schema.mjs", "transformJSONSchema"],
];

describe("helpers of the vendors' packages", { skip }, () => {
  for (const [vendor, path, name] of HELPERS) {
    testWith(
      `${name} takes what is strict for ${vendor}, and finds nothing to change`,
      [...PROGRAMS],
      async (bun, node) => {
        const help = (await loadModule(path))[name] as Helper;
        for (const tool of await readTools(bun, node)) {
          const { strict, schema } = explainSchema(tool, vendor);
          if (!strict) continue;
          doesNotThrow(() => help(schema), tool.name);
          strictEqual(withoutTypes(help(schema)), withoutTypes(schema), tool.name);
        }
      },
      TIMEOUT_MS,
    );
  }
});

/** The package of Anthropic removes the type beside values. Keys are sorted, because it orders them in its own way. */
function withoutTypes(schema: unknown): string {
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sort);
    if (typeof value !== "object" || value === null) return value;
    const isValues = "enum" in value || "const" in value;
    const entries = Object.entries(value).filter(([key, member]) =>
      !(isValues && key === "type" && typeof member !== "object")
    );
    return Object.fromEntries(
      entries.sort(([one], [other]) => one < other ? -1 : 1).map(([key, member]) => [key, sort(member)]),
    );
  };
  return JSON.stringify(sort(schema));
}

test("the checker of a subset finds what a vendor refuses", () => {
  const open = { type: "object", properties: { a: { type: "string", minLength: 1 } } };
  deepStrictEqual(violations(open, SUBSETS.openai), [": an open object", ": optional"]);
  deepStrictEqual(violations(open, SUBSETS.anthropic), [": an open object", "/properties/a: minLength is not taken"]);
  deepStrictEqual(violations({ type: "object", oneOf: [] }, SUBSETS.gemini), [
    ": oneOf at the root",
    ": oneOf is not taken",
  ]);
});
