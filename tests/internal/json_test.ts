import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, nestsDeeperThan } from "../../src/internal/json.ts";

/** Depth of a parsed value, one level for each array and object. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, member) => Math.max(deepest, depthOf(member)), 0);
}

/** JSON with nesting, and strings that look like nesting. */
const anyJson = fc.letrec<{ node: unknown; text: string }>((tie) => ({
  text: fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", "u", "a", "\n", "é", "\u2028") }),
  node: fc.oneof(
    { maxDepth: 8, depthSize: "medium" },
    tie("text"),
    fc.constantFrom(null, true, 0, -1.5),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(tie("text"), tie("node"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).node;

test("nestsDeeperThan() agrees with a naive depth count on any JSON, at every limit around it", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const depth = depthOf(JSON.parse(text));
      for (let limit = 0; limit <= depth + 2; limit++) {
        strictEqual(nestsDeeperThan(text, limit), depth > limit, `${limit}: ${text}`);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

const nested = (open: string, close: string, times: number, core = "") =>
  open.repeat(times) + core + close.repeat(times);

for (
  const [name, text, isTooDeep] of [
    ["512 arrays", nested("[", "]", 512), false],
    ["513 arrays", nested("[", "]", 513), true],
    ["512 objects", nested('{"a":', "}", 512, "1"), false],
    ["513 objects", nested('{"a":', "}", 513, "1"), true],
    ["256 of each", nested('[{"a":', "}]", 256, "1"), false],
    ["257 of each", nested('[{"a":', "}]", 257, "1"), true],
    ["a million brackets side by side", `[${"[],".repeat(1_000_000)}0]`, false],
    ["a string of brackets", JSON.stringify("[".repeat(10_000)), false],
    ["a string of quotes and brackets", JSON.stringify('"['.repeat(10_000)), false],
    ["a string that ends in backslashes", `["${"\\\\".repeat(600)}",${nested("[", "]", 400)}]`, false],
    [
      "a string that ends in backslashes before deep arrays",
      `["${"\\\\".repeat(600)}",${nested("[", "]", 512)}]`,
      true,
    ],
    ["a key of brackets", `{${JSON.stringify("{".repeat(2000))}:1}`, false],
    ["brackets that nobody closes", "[".repeat(100_000), true],
    ["a string that nobody closes", `"${"[".repeat(100_000)}`, false],
  ] as const
) {
  test(`nestsDeeperThan(512) is ${isTooDeep} for ${name}`, () => strictEqual(nestsDeeperThan(text, 512), isTooDeep));
}

test("isJsonObject() is true for objects alone", () => {
  for (const value of [{}, Object.create(null), { length: 0 }]) strictEqual(isJsonObject(value), true);
  for (const value of [null, undefined, [], "", 0, true, () => {}]) strictEqual(isJsonObject(value), false);
});
