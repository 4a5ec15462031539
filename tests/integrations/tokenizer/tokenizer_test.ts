/** Tokens by the vocabulary of OpenAI's models, beside our estimate. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { estimateTextTokens } from "../../../src/internal/token_estimate.ts";
import { loadTokenizer } from "../../../src/entries/agents/tokenizer.ts";

const count = await loadTokenizer();

test("texts have the tokens of o200k_base", () => {
  const known: readonly (readonly [string, number])[] = [
    ["", 0],
    ["hello world", 2],
    ['{"id":"0192f0e8-7b1c-7d3e-8a4f-1234567890ab"}', 31],
    ["Grüße aus München, 東京 and नमस्ते", 11],
    // The name of a special token is text.
    ["<|endoftext|>", 7],
    ["\ud800", 1],
  ];
  deepStrictEqual(known.map(([text]) => count(text)), known.map(([, tokens]) => tokens));
});

test("cutting a long run changes the number by few tokens", () => {
  for (const unit of ["abcdefgh", "漢字", "=-", "\n"]) {
    const [short, long] = [unit.repeat(100), unit.repeat(1_000)];
    ok(Math.abs(count(long) - 10 * count(short)) <= 0.15 * count(long) + 4, unit);
  }
  // Without the cuts this takes a minute.
  ok(count("a".repeat(50_000)) > 5_000);
});

test("the estimate is not lower than the number for rows of JSON, and at most a third higher", () => {
  const rows = Array.from({ length: 50 }, (_, id) => ({
    id: `0192f0e8-7b1c-7d3e-8a4f-${String(id * 7_919).padStart(12, "0")}`,
    at: `2026-11-${String(id % 28 + 1).padStart(2, "0")}T10:15:00Z`,
    mail: `person${id}@example.org`,
    amount: id * 13.37,
  }));
  const text = JSON.stringify(rows);
  const ratio = estimateTextTokens(text) / count(text);
  ok(ratio > 1 && ratio < 1.33, String(ratio));
  strictEqual(count(text), count(text));
});
