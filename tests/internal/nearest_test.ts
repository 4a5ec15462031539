import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closestMatch } from "../../src/internal/text.ts";

const TOOLS = ["search_documents", "generate_report", "delete_record", "add"];

for (
  const [word, want] of [
    ["search_document", "search_documents"],
    ["SEARCH_DOCUMENTS", "search_documents"],
    ["report_generate", "generate_report"],
    ["generat_reprot", "generate_report"],
    ["ad", "add"],
    ["", "add"],
    ["delete-record", "delete_record"],
  ] as const
) {
  test(`nearest(${JSON.stringify(word)}) is ${want}`, () => strictEqual(closestMatch(word, TOOLS), want));
}

test("nearest() takes the first of equals, and knows when there is none", () => {
  strictEqual(closestMatch("aa", ["ab", "ac"]), "ab");
  strictEqual(closestMatch("aa", ["ac", "ab"]), "ac");
  strictEqual(closestMatch("aa", []), undefined);
});

test("nearest() makes the suggestion of docs/spec.md A.5", () => {
  strictEqual(closestMatch("nonexistent_tool", ["search_documents", "analyze_dataset"]), "search_documents");
});

test("nearest() takes a set, and names from Object.prototype", () => {
  strictEqual(closestMatch("constructo", new Set(["constructor", "__proto__"])), "constructor");
});

test("nearest() compares no more than a name's length of a huge word", () => {
  strictEqual(closestMatch(`add${"x".repeat(1_048_576)}`, TOOLS), "search_documents");
  strictEqual(closestMatch("y".repeat(1_048_576), ["a", "y".repeat(64)]), "y".repeat(64));
});

/** Levenshtein distance by its definition. */
function distance(from: string, to: string): number {
  const rows = Array.from(
    { length: from.length + 1 },
    (_, i) => Array.from({ length: to.length + 1 }, (_, j) => i === 0 ? j : j === 0 ? i : 0),
  );
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= from.length; i++) {
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      (rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
    }
  }
  return at(from.length, to.length);
}

/** How unlike two words are; beyond three quarters of their letters, nothing is more unlike than the next. */
function difference(one: string, other: string): number {
  return Math.min(distance(one, other), Math.ceil(0.75 * Math.max(one.length, other.length)));
}

test("nearest() gives the first candidate that no other one beats", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 12 });
  fc.assert(
    fc.property(word, fc.array(word, { minLength: 1, maxLength: 8 }), (wanted, candidates) => {
      const least = Math.min(...candidates.map((candidate) => difference(wanted, candidate)));
      strictEqual(
        closestMatch(wanted, candidates),
        candidates.find((candidate) => difference(wanted, candidate) === least),
      );
    }),
    { seed: 2, numRuns: 500 },
  );
});
