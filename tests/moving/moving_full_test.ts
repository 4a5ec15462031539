/** Servers of other libraries, and the same servers moved to Toolwire: the official client sees the same, but for the differences in the tables. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findProgram, root, runProgram, startProgram, testWith } from "../serve/programs.ts";
import { type Check, observe, overHttp, overStdio } from "./checks.ts";
import * as official from "./official_checks.ts";
import * as fastmcp from "./fastmcp_checks.ts";
import * as mcpLite from "./mcp_lite_checks.ts";
import { installServers, programFolder } from "./program.ts";
import { expectedAfter, expectedBefore, type MoveTable, readTable } from "./table.ts";

interface Suite {
  readonly name: string;
  readonly checks: { readonly OVER_HTTP: readonly Check[]; readonly OVER_STDIO?: readonly Check[] };
  /** Headers of all requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether checks share a session, since each takes a second to begin. */
  readonly shares?: boolean;
}

const SUITES: readonly Suite[] = [
  { name: "official", checks: official, headers: { authorization: "Bearer ada" } },
  { name: "fastmcp", checks: fastmcp, headers: { "x-api-key": "key-ada" }, shares: true },
  { name: "mcp_lite", checks: mcpLite, headers: { authorization: "Bearer ada" } },
];

/** What `toolwire migrate --json` prints. */
interface MigrateReport {
  readonly left: readonly { readonly reason: string }[];
  readonly errors: readonly { readonly message: string }[];
  readonly failed: readonly unknown[];
  readonly typesChecked: boolean;
}

/** Runs all checks against a program, over HTTP and stdio. */
async function run(
  bun: string,
  cwd: string,
  { checks, headers, shares }: Suite,
): Promise<ReadonlyMap<string, unknown>> {
  const { OVER_HTTP, OVER_STDIO = [] } = checks;
  await using program = await startProgram([bun, "server.ts"], { cwd, url: /(?<=is at )http:\/\/\S+/ });
  const http = overHttp(program.url, headers, shares);
  const stdio = overStdio([bun, "server.ts", "--stdio"], cwd);
  // At the same time: they are programs apart, and FastMCP waits for a second when a session begins.
  const seen = await Promise.all([
    observe(http, OVER_HTTP).finally(() => http.end()),
    observe(stdio, OVER_STDIO).finally(() => stdio.end()),
  ]);
  return new Map(seen.flatMap((one) => [...one]));
}

/** Compares what all checks gave; a failure shows each that differs. */
function assertSeen(
  seen: ReadonlyMap<string, unknown>,
  table: MoveTable,
  expected: (table: MoveTable, check: string) => unknown,
): void {
  ok(seen.size >= 40, `${seen.size} checks`);
  const wanted = [...seen.keys()].map((check) => [check, expected(table, check)] as const);
  const differs = wanted.filter(([check, value]) => !isDeepStrictEqual(value, seen.get(check)));
  deepStrictEqual(
    Object.fromEntries(differs.map(([check]) => [check, seen.get(check)])),
    Object.fromEntries(differs),
  );
}

for (const suite of SUITES) {
  const table = readTable(suite.name);
  testWith(`${suite.name}: the suite passes on the old library`, [findProgram("bun")], async (bun) => {
    await installServers(bun);
    await using folder = await programFolder(`${suite.name}/server.ts`);
    assertSeen(await run(bun, folder.path, suite), table, expectedBefore);
  });

  testWith(
    `${suite.name}: the moved server compiles, and passes but for the differences`,
    [findProgram("bun"), findProgram("tsc")],
    async (bun, tsc) => {
      await installServers(bun);
      await using folder = await programFolder(`${suite.name}/moved.ts`);
      const { code, stdout } = await runProgram([tsc, "-p", "."], { cwd: folder.path, withinMs: 120_000 });
      strictEqual(code, 0, stdout);
      assertSeen(await run(bun, folder.path, suite), table, expectedAfter);
    },
  );

  testWith(
    `${suite.name}: after migrate alone, what is left is listed, and the rest passes`,
    [findProgram("bun")],
    async (bun) => {
      await installServers(bun);
      await using folder = await programFolder(`${suite.name}/server.ts`);
      const command = [bun, join(root, "apps/cli/main.ts"), "migrate", ".", "--force", "--json"];
      const { code, stdout, stderr } = await runProgram(command, { cwd: folder.path, withinMs: 120_000 });
      strictEqual(code, 1, stderr);
      const { left, errors, failed, typesChecked } = JSON.parse(stdout) as MigrateReport;
      deepStrictEqual({ failed, typesChecked }, { failed: [], typesChecked: true });
      const seen = await run(bun, folder.path, suite);
      const isExpected = (check: string) =>
        [expectedBefore, expectedAfter].some((expected) => isDeepStrictEqual(expected(table, check), seen.get(check)));
      const open = [...seen.keys()].filter((check) => !isExpected(check));
      // More may pass than the table has.
      deepStrictEqual(open.filter((check) => !table.migrated.open.includes(check)), []);
      deepStrictEqual(left.map(({ reason }) => reason), table.migrated.left);
      ok(errors.length <= table.migrated.errors, JSON.stringify(errors));
    },
  );
}
