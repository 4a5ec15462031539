import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closestMatch } from "../../src/internal/text.ts";

const TOOLS = ["search_documents", "generate_report", "delete_record", "add"];

for (
  const [word, want] of [
    ["search_document", "search_documents"],
    ["SEARCH_DOCUMENTS", "search_documents"],
    ["generat_reprot", "generate_report"],
    ["ad", "add"],
    ["delete-record", "delete_record"],
    // One name is a part of the other.
    ["report", "generate_report"],
    ["delete_record_by_id", "delete_record"],
    // Not close: a third of the letters is exceeded, and a part of fewer than three characters is not a name.
    ["", undefined],
    ["a", undefined],
    ["report_generate", undefined],
    ["nonexistent_tool", undefined],
    ["get_weather", undefined],
  ] as const
) {
  test(`nearest(${JSON.stringify(word)}) is ${want}`, () => strictEqual(closestMatch(word, TOOLS), want));
}

test("nearest() never suggests another action for a name that is not close", () => {
  strictEqual(closestMatch("get_weather", ["transfer_money"]), undefined);
  strictEqual(closestMatch("list_users", ["delete_files"]), undefined);
});

test("nearest() measures the third by the length of the candidate", () => {
  strictEqual(closestMatch("abcdefxxx", ["abcdefghi"]), "abcdefghi");
  strictEqual(closestMatch("abcdexxxx", ["abcdefghi"]), undefined);
  strictEqual(closestMatch("abcxyzvwxxx", ["abcdefgh"]), undefined);
});

test("nearest() takes the first of equals, and returns undefined without a close one", () => {
  strictEqual(closestMatch("aaa", ["aab", "aac"]), "aab");
  strictEqual(closestMatch("aaa", ["aac", "aab"]), "aac");
  strictEqual(closestMatch("aaa", []), undefined);
});

test("nearest() takes a set, and names from Object.prototype", () => {
  strictEqual(closestMatch("constructo", new Set(["constructor", "__proto__"])), "constructor");
});

test("nearest() compares no more than a name's length of a huge word", () => {
  strictEqual(closestMatch("y".repeat(1_048_576), ["a", "y".repeat(64)]), "y".repeat(64));
  strictEqual(closestMatch("y".repeat(1_048_576), TOOLS), undefined);
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

/** Whether a candidate may be suggested: a third of its letters at most differ, or one word is a part of the other or the other and a letter. */
function isClose(word: string, candidate: string): boolean {
  const isPart = word.length < candidate.length ? candidate.includes(word) : word.includes(candidate);
  const [short = "", long = ""] = [word, candidate].toSorted((one, other) => one.length - other.length);
  if (short.length === 2 && long.length === 3 && long.startsWith(short)) return true;
  return distance(word, candidate) <= candidate.length / 3 || (isPart && Math.min(word.length, candidate.length) >= 3);
}

test("nearest() gives the first close candidate that no other one beats", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 12 });
  fc.assert(
    fc.property(word, fc.array(word, { minLength: 1, maxLength: 8 }), (wanted, candidates) => {
      const close = candidates.filter((candidate) => isClose(wanted, candidate));
      const least = Math.min(...close.map((candidate) => distance(wanted, candidate)));
      strictEqual(
        closestMatch(wanted, candidates),
        close.find((candidate) => distance(wanted, candidate) === least),
      );
    }),
    { seed: 2, numRuns: 2_000 },
  );
});
