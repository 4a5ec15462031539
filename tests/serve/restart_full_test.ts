/** A server is killed in the middle of promised work, and restarted: its promise is kept or lost. */
import { deepStrictEqual, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { createClient } from "../../mod.ts";
import { command, runtimes, startProgram, testWith } from "./programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const script = "tests/serve/restart_program.ts";
const endpoint = (url: string) => `${url}/mcp-lite/v1`;

/** Ways of serving, and the runtimes that have them. */
const HOSTS = [["serve", /./], ["express", /./], ["http", /./], ["fetch", /Bun|Deno/i]] as const;
const cases = runtimes.flatMap((runtime) =>
  HOSTS.filter(([, names]) => names.test(runtime.name)).map(([host]) => ({ runtime, host }))
);

for (const { runtime, host } of cases) {
  testWith(
    `sqlite: ${host} takes up work after kill -9 and a restart, and the old token gives its answer (${runtime.name})`,
    [
      runtime.program,
    ],
    async (path) => {
      await using folder = await temporaryFolder();
      const start = () => startProgram(command(runtime, path, script, "sqlite", join(folder.path, "jobs.db"), host));
      await using first = await start();
      const promised = await createClient(endpoint(first.url))["work"]?.start({ ms: 100 });
      await first.printed(/attempt 1/);
      first.signal("SIGKILL");
      await first.exited;
      await using second = await start();
      // It resumes by itself, before any call asks.
      await second.printed(/attempt 2/);
      const { $ } = createClient(endpoint(second.url));
      deepStrictEqual(await $.redeem(promised?.token ?? "").result(), { isSameCall: true, attempt: 2 });
    },
  );
}

for (const runtime of runtimes) {
  testWith(`sqlite: a stream that kill -9 cuts off continues after the restart, each piece once (${runtime.name})`, [
    runtime.program,
  ], async (path) => {
    await using folder = await temporaryFolder();
    const start = () => startProgram(command(runtime, path, script, "sqlite", join(folder.path, "jobs.db")));
    await using first = await start();
    const job = await createClient(endpoint(first.url))["write"]?.start({});
    await first.printed(/half, attempt 1/);
    const pieces: unknown[] = [];
    for await (const piece of job?.stream() ?? []) {
      pieces.push(piece);
      if (pieces.length === 3) break;
    }
    first.signal("SIGKILL");
    await first.exited;
    await using second = await start();
    const { $ } = createClient(endpoint(second.url));
    const stream = $.redeem(job?.token ?? "").stream({ after: pieces.length });
    for await (const piece of stream) pieces.push(piece);
    deepStrictEqual(pieces, ["a", "b", "c", "d", "e", "f"]);
    deepStrictEqual(await stream.result, "abcdef");
    await second.printed(/attempt 2/);
  });
}

for (const runtime of runtimes.slice(0, 1)) {
  testWith(`memory: after a restart, redeem says which engine would know the job (${runtime.name})`, [
    runtime.program,
  ], async (path) => {
    const start = () => startProgram(command(runtime, path, script, "memory"));
    await using first = await start();
    const promised = await createClient(endpoint(first.url))["work"]?.start({ ms: 100 });
    first.signal("SIGKILL");
    await first.exited;
    await using second = await start();
    const { $ } = createClient(endpoint(second.url));
    await rejects($.redeem(promised?.token ?? "").result(), (error: Error & { code?: string }) => {
      deepStrictEqual(error.code, "promise_lost");
      match(error.message, /memory keeps jobs in one process.* sqlite and bullmq/);
      return true;
    });
  });
}
