/** `toolwire types`, `diff` and `check` as processes, with a module as the target. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../temporary_folder.ts";
import { run } from "./run.ts";

const MODULE = "tests/apps/cli/contract/own_server.ts";

test("a module: its contract is up to date, nothing differs from its list, and its findings are printed", async () => {
  await using folder = await temporaryFolder();
  const [contract, list] = [join(folder.path, "contract.ts"), join(folder.path, "list.json")];
  const written = await run("types", MODULE, "-o", contract);
  deepStrictEqual([written.code, written.out], [0, ""], written.errors);
  match(
    readFileSync(contract, "utf8"),
    /readonly errors: \{ readonly locked: BookLockedError; readonly sold_out: undefined \};/,
  );
  strictEqual((await run("types", MODULE, "-o", contract, "--check")).code, 0);

  const { out } = await run("list", MODULE, "--json");
  writeFileSync(list, out);
  deepStrictEqual(await run("diff", list, MODULE), { code: 0, out: "", errors: "No changes\n" });
  writeFileSync(list, out.replace('"locked":', '"blocked":'));
  const changed = await run("diff", list, MODULE);
  strictEqual(changed.code, 1);
  match(changed.out, /^breaking {2}tool "book", failures: a code was added$/m);

  const checked = await run("check", MODULE);
  strictEqual(checked.code, 1);
  match(checked.out, /^warning {2}ping: its description is very short.* \[description\]$/m);
});
