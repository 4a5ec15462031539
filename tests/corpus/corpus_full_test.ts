import { deepStrictEqual, ok } from "node:assert/strict";
import { findNode, findProgram, testWith } from "../serve/programs.ts";
import { readCorpus } from "./corpus.ts";

const TIMEOUT_MS = 600_000;

testWith(
  "the corpus has the tool lists of published servers",
  [findProgram("bun"), findNode(24)],
  async (bun, node) => {
    const corpus = await readCorpus(bun, node);
    deepStrictEqual(corpus.filter(({ tools }) => tools.length === 0).map(({ name }) => name), []);
    ok(corpus.length >= 25 && corpus.flatMap(({ tools }) => tools).length >= 600);
  },
  TIMEOUT_MS,
);
