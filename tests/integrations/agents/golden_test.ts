/**
 * The requests of the adapters are those of `golden/`, which have been reviewed and checked against the types of the vendors' packages.
 * `UPDATE_GOLDEN=1 bun test ./tests/integrations/agents/golden_test.ts` writes them.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { describe, test } from "node:test";
import { GOLDEN } from "./golden.ts";

const folder = new URL("./golden/", import.meta.url);
const isUpdate = process.env["UPDATE_GOLDEN"] === "1";

describe("requests", () => {
  for (const [name, { make }] of Object.entries(GOLDEN)) {
    test(name, async () => {
      const made = JSON.parse(JSON.stringify(await make()));
      const file = new URL(`${name}.json`, folder);
      if (isUpdate) writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
      deepStrictEqual(made, JSON.parse(readFileSync(file, "utf8")));
    });
  }

  test("each file has its request", () => {
    strictEqual(readdirSync(folder).sort().join(), Object.keys(GOLDEN).map((name) => `${name}.json`).sort().join());
  });
});
