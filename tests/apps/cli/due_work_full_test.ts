/** The program looks at a module with due work, and takes none of it. */
import { strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { root } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const KEYS = "k1:a secret of the module and of the test";

test("toolwire list, types and doctor run no job of a module that mounts its server", async () => {
  await using folder = await temporaryFolder();
  const database = join(folder.path, "jobs.db");
  const mark = join(folder.path, "ran");
  const report = defineTool("report").describe("Report").promise().handle(() => "done");
  const server = createServer({ tools: [report], keys: KEYS, engine: sqliteEngine(database), work: false });
  await createClient(server).report.start();
  await server.close(0);
  const file = join(folder.path, "server.ts");
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs";
import { createServer, defineTool } from ${JSON.stringify(join(root, "mod.ts"))};
import { sqliteEngine } from ${JSON.stringify(join(root, "src/jobs/engines/sqlite/sqlite_engine.ts"))};
import { toNodeHandler } from ${JSON.stringify(join(root, "src/runtime/node_handler.ts"))};
const report = defineTool("report").describe("Report").promise().handle(() => writeFileSync(${
      JSON.stringify(mark)
    }, ""));
const engine = sqliteEngine(${JSON.stringify(database)});
export const server = createServer({ tools: [report], keys: ${JSON.stringify(KEYS)}, engine });
export const handler = toNodeHandler(server);
export const mounted = { fetch: server.fetch };
// Longer than a worker needs to begin a due job.
await new Promise((resolve) => setTimeout(resolve, 300));
`,
  );
  for (const command of [["list"], ["types"], ["doctor"]]) {
    const { status } = spawnSync(process.execPath, [join(root, "apps/cli/main.ts"), ...command, file], {
      cwd: folder.path,
      encoding: "utf8",
    });
    strictEqual(typeof status, "number");
    strictEqual(existsSync(mark), false, `toolwire ${command}`);
  }
});
