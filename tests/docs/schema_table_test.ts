/** The table of schema libraries in docs/tools.md: its rows are the tools that tests/core/schema/every_library_test.ts calls on each runtime. */
import { ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ROWS } from "../core/schema/libraries.ts";

const PAGE = new URL("../../docs/tools.md", import.meta.url);

test("docs/tools.md has the table of the libraries whose schemas are tested", { skip: !existsSync(PAGE) }, () => {
  const rows = ROWS.map(({ library, line, fillsDefaults }) =>
    `| ${library} | \`${line}\` | ${fillsDefaults ? "filled in" : "listed only"} |`
  );
  const table = ["| library | `.input(…)` | defaults |", "|---|---|---|", ...rows].join("\n");
  ok(readFileSync(PAGE, "utf8").includes(`${table}\n`), `docs/tools.md needs this table:\n\n${table}\n`);
});
