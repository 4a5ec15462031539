import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closestMatch } from "../../src/internal/closest_match.ts";
import { NameIndex } from "../../src/internal/name_index.ts";

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

/** The most similar name of an index. */
function closest(index: NameIndex, word: string, isAllowed?: (name: string) => boolean): string | undefined {
  return closestMatch(word, index.find(word, isAllowed));
}

const VERBS = ["get", "list", "create", "update", "delete", "search", "move", "copy", "archive", "publish"];
const NOUNS = ["user", "order", "invoice", "page", "ticket", "report", "folder", "message", "contact", "calendar"];
const MANY: readonly string[] = Array.from({ length: 10_000 }, (_, at) => {
  return `${VERBS[at % 10]}_${NOUNS[Math.floor(at / 10) % 10]}_${NOUNS[Math.floor(at / 100) % 10]}${
    Math.floor(at / 1_000)
  }`;
});

test("NameIndex finds in few names what nearest() finds", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 12 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 64 }), (wanted, names) => {
      strictEqual(closest(new NameIndex(names), wanted), closestMatch(wanted, names));
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("NameIndex finds in ten thousand names the one that was meant", () => {
  const index = new NameIndex(MANY);
  const random = fc.sample(fc.tuple(fc.nat(9_999), fc.nat(12), fc.constantFrom("x", "")), { seed: 4, numRuns: 300 });
  let isFurther = 0;
  for (const [at, place, typed] of random) {
    const name = MANY[at] ?? "";
    const wrong = name.slice(0, place) + typed + name.slice(place + 1);
    const found = closest(index, wrong);
    ok(found !== undefined && isClose(wrong, found), wrong);
    if (distance(wrong, found) > distance(wrong, name)) isFurther++;
  }
  // These names differ in so little that not all that share as many letters are compared.
  ok(isFurther <= 300 / 20, `${isFurther} of 300 suggestions are further than the name that was meant`);
  strictEqual(closest(index, "calendar9"), closestMatch("calendar9", MANY), "a part of names");
  strictEqual(closest(new NameIndex([...MANY, "ping"]), "ping_the_server"), "ping");
});

test("NameIndex never suggests what is not close, nor what is not allowed", () => {
  const index = new NameIndex(MANY);
  const word = fc.string({ unit: fc.constantFrom(..."abcdegilnoprstu_"), maxLength: 24 });
  fc.assert(
    fc.property(word, (wanted) => {
      const found = closest(index, wanted);
      ok(found === undefined || isClose(wanted, found), `${wanted}: ${found}`);
    }),
    { seed: 5, numRuns: 500 },
  );
  strictEqual(closest(index, "get_user_user", (name) => name === "get_user_user7"), "get_user_user7");
  strictEqual(closest(index, "get_user_user0", () => false), undefined);
});

test("NameIndex asks about a bounded number of names, whatever the word is", () => {
  const alike = Array.from({ length: 10_000 }, (_, at) => `tool_${at}`);
  for (const names of [MANY, alike]) {
    const index = new NameIndex(names);
    for (
      const word of [
        "tool_x",
        "get_user_user",
        "o".repeat(1_048_576),
        "tool_tool_tool_tool",
        names.slice(0, 9).join(""),
      ]
    ) {
      let asked = 0;
      closest(index, word, () => {
        asked++;
        return false;
      });
      ok(asked <= 1_536, `${asked} names for ${word.slice(0, 40)}`);
    }
  }
  strictEqual(closest(new NameIndex(alike), "tol_1234"), "tool_1234");
});
