/** The loops of examples/loops run, with the packages that they name, in the suite of what a model sees. */
import { deepStrictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("each loop of examples/loops is run by a row of the suite of what a model sees", () => {
  const loops = readdirSync("examples/loops").filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3));
  const folder = "tests/integrations/agents/model_views/rows";
  const rows = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8")).join("\n").toLowerCase();
  deepStrictEqual(loops.filter((loop) => !rows.includes(loop)), []);
});
