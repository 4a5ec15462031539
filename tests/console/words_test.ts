/** Words of the page: numbers, distances in time, callers, and how the answers of wires differ. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { differenceOf } from "../../apps/console/differences.ts";
import type { Outcome } from "../../apps/console/outcome.ts";
import { callerOf, counted, distanceOf, listed } from "../../apps/console/words.ts";

/** Answers of wires that are named by letters. */
function differenceAmong(...outcomes: readonly Outcome[]): ReturnType<typeof differenceOf> {
  return differenceOf(outcomes.map((outcome, at) => ({ title: "ABCDEF"[at] ?? "", outcome })));
}

const one: Outcome = { kind: "answer", value: { a: 1, b: 2 } };
const other: Outcome = { kind: "answer", value: { a: 2 } };
const error: Outcome = { kind: "error", value: "away" };
const failure = (value: unknown): Outcome => ({ kind: "failure", value });

test("page: wires whose answers differ from most are named", () => {
  const same: Outcome = { kind: "answer", value: { b: 2, a: 1 } };
  deepStrictEqual(differenceAmong(), { titles: [], text: "" });
  deepStrictEqual(differenceAmong(one, same, one), { titles: [], text: "" }, "the order of members is ignored");
  strictEqual(differenceAmong(one, other, one).text, "B answers differently from the other 2 wires.");
  strictEqual(differenceAmong(other, one, error, one).text, "A and C answer differently from the other 2 wires.");
  strictEqual(differenceAmong(one, one, error).text, "C answers with an error, the other 2 wires with an answer.");
  deepStrictEqual(differenceAmong(one, one, error).titles, ["C"]);
  deepStrictEqual(differenceAmong(one, other), { titles: [], text: "The 2 wires answer with different values." });
});

test("page: failures are compared by their code, because each wire has another form for them", () => {
  const zero = failure({ code: "zero", message: "Cannot divide by zero" });
  strictEqual(differenceAmong(zero, failure({ code: "zero", data: 1 }), zero).text, "");
  strictEqual(
    differenceAmong(zero, zero, failure({ code: "one" })).text,
    "C answers differently from the other 2 wires.",
  );
  strictEqual(differenceAmong(error, { kind: "error", value: { code: "unavailable" } }).text, "");
});

test("page: one is singular, times are distances, and a caller without a name is anonymous", () => {
  deepStrictEqual([counted(1, "character"), counted(0, "call")], ["1 character", "0 calls"]);
  deepStrictEqual([listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
  deepStrictEqual([-185_000, 7_200_000, 4_000].map(distanceOf), ["3 min ago", "in 2 h", "just now"]);
  deepStrictEqual([callerOf(undefined), callerOf(""), callerOf("ada")], ["anonymous", "anonymous", "ada"]);
});
