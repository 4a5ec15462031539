/** Commands write files by one module alone: another writer would miss its locks, links and copies. */
import { deepStrictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../serve/programs.ts";

/** Functions that change files, in modules of Node and as globals. */
const WRITERS =
  /\b(?:(?:append|copy|write)File|write|writev|open|cp|mkdir|mkdtemp|rename|rm|rmdir|unlink|link|symlink|truncate|ftruncate|chmod|fchmod|chown|utimes)(?:Sync)?\b|\bcreateWriteStream\b/;

const GLOBALS =
  /\bBun\.(?:write|file)\b|\bDeno\.(?:write|create|open|rename|remove|mkdir|copy|symlink|link|truncate)\w*/;

/** What a file imports from `node:fs`, `fs` and their promises, or uses of globals. */
function writersIn(source: string): readonly string[] {
  const text = source.replace(/^ \* .*$/gm, "");
  const imports = [...text.matchAll(/import\s+([^;]*?)\s+from\s+["'](?:node:)?fs(?:\/promises)?["']/g)];
  const names = imports.flatMap(([, clause = ""]) => clause.replace(/[{}]/g, "").split(",").map((name) => name.trim()));
  const whole = /(?:import|require)\(\s*["'](?:node:)?fs/.test(text) ? ["import()"] : [];
  return [
    ...names.filter((name) => /^\*|^[a-z]+$/.test(name) && !/^(watch|type)$/.test(name) || WRITERS.test(name)),
    ...whole,
    ...GLOBALS.exec(text) ?? [],
  ];
}

/** Files that may write: the module, and the program that runs a bundle in a temporary folder. */
const ALLOWED = [
  "apps/cli/files/lock.ts",
  "apps/cli/files/write_file.ts",
  "src/integrations/packaging/list_packed_tools.ts",
];

test("files that commands write are written by apps/cli/files", () => {
  const found = ["apps/cli", "src/integrations/packaging", "apps/create-toolwire"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name}`)
      .filter((path) => writersIn(readFileSync(join(root, path), "utf8")).length > 0)
  );
  deepStrictEqual(found.sort(), ALLOWED);
});

test("the search finds each way to write", () => {
  for (
    const text of [
      'import { existsSync, writeFileSync } from "node:fs";',
      'import {\n  open,\n} from "fs/promises";',
      'import * as fs from "node:fs";',
      'import fs from "node:fs";',
      'const { writeFile } = await import("node:fs/promises");',
      'await Bun.write("x", "y");',
      'Deno.writeTextFileSync("x", "y");',
    ]
  ) {
    deepStrictEqual(writersIn(text).length > 0, true, text);
  }
  deepStrictEqual(writersIn('import { existsSync, readFileSync, type Stats, watch } from "node:fs";'), []);
});
