import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { compileCheck } from "../../../src/core/json_schema/check.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const unique = { type: "array", uniqueItems: true };

for (
  const [what, schema, value, paths] of [
    ["few, unique", unique, [1, "1", [1], { a: 1 }], []],
    ["few, not unique", unique, [1, 2, 1], [[]]],
    ["many, unique", unique, numbers(200_000), []],
    ["many, not unique", unique, [...numbers(200_000), 7], [[]]],
    ["many objects, alike in another order", unique, [...numbers(50), { a: 1, b: 2 }, { b: 2, a: 1 }], [[]]],
    ["no array", { uniqueItems: true }, { a: 1 }, []],
    ["uniqueItems that says no", { uniqueItems: false }, Array(50).fill(1), []],
    ["many, not unique, further down", { properties: { "a/b": { items: unique } } }, {
      "a/b": [[1], Array(50).fill(1)],
    }, [
      ["a/b", 1],
    ]],
    ["many and few, both not unique", { items: unique }, [Array(50).fill(1), [2, 2], numbers(99)], [[0], [1]]],
    ["many, unique, beside what is wrong", { items: [], prefixItems: [unique, { type: "string" }] }, [numbers(99), 7], [
      [1],
    ]],
    ["by a reference", { $ref: "#/$defs/list", $defs: { list: unique } }, Array(50).fill(1), [[]]],
    ["many, unique, as an alternative", { anyOf: [{ type: "string" }, unique] }, numbers(99), []],
    ["many, not unique, as an alternative", { anyOf: [{ type: "string" }, unique] }, Array(99).fill(1), [[]]],
    ["many, unique, beside other rules", { ...unique, allOf: [{ maxItems: 20 }] }, numbers(99), [[]]],
    ["what only looks like the keyword", { const: { uniqueItems: true } }, { uniqueItems: true }, []],
    ["a member of that name", { properties: { uniqueItems: true } }, { uniqueItems: Array(99).fill(1) }, []],
  ] as const
) {
  test(`compileCheck() tells uniqueItems: ${what}`, () => {
    const found = compileCheck(schema)(value).map(({ path }) => JSON.stringify(path));
    deepStrictEqual([...new Set(found)].sort(), paths.map((path) => JSON.stringify(path)));
  });
}

test("compileCheck() says that it is uniqueItems which is broken", () => {
  strictEqual(compileCheck(unique)(Array(99).fill(1))[0]?.expected, "items that differ");
});

for (
  const format of ["url", "uri", "uri-reference", "uri-template", "email", "date-time", "regex", "hostname", "ipv6"]
) {
  test(`compileCheck() holds texts to the format ${format}, in time that hostile ones cannot stretch`, () => {
    const check = compileCheck({ properties: { text: { type: "string", format } } });
    for (const part of ["a", "a-", "a.", "1:", "P1D", "a@", "%20", "{a}", "(a)*"]) {
      for (const length of [60, 2_000, 1_000_000]) {
        for (const start of ["", "http://", "a@"]) check({ text: `${start}${part.repeat(length / part.length)}\n!` });
      }
    }
    deepStrictEqual(check({ text: "x".repeat(100_000) }), []);
  });
}

test("compileCheck() says which format a text is not of", () => {
  for (
    const [format, text] of [["uri", "no uri"], ["url", "no url"], ["email", "nobody"], ["date-time", "today"]] as const
  ) {
    const [problem] = compileCheck({ type: "array", items: { format } })([1, text]);
    deepStrictEqual(problem, { path: [1], expected: format === "url" ? "uri" : format, isMissing: false });
  }
  deepStrictEqual(compileCheck({ format: "uri" })("https://example.com/a?b#c"), []);
});
