/** A closed server leaves no connection to Redis open that keeps its process alive. */
import { strictEqual } from "node:assert/strict";
import { findServer, startRedis } from "../../jobs/engines/programs.ts";
import { command, runProgram, runtimes, testWith } from "../../serve/programs.ts";

for (const runtime of runtimes) {
  testWith(
    `server.close() closes the engine and all stores in Redis, so that the process ends (${runtime.name})`,
    [runtime.program, findServer("redis")],
    async (bin) => {
      const redis = await startRedis();
      try {
        const program = command(runtime, bin, "tests/integrations/redis/closing_program.ts", redis.url);
        const { code, stdout, stderr } = await runProgram(program, { withinMs: 120_000 });
        strictEqual(stdout, '["later",[{"type":"text","text":"now"}]]\nclosed\n', stderr);
        strictEqual(code, 0, `it was ended, since something kept it alive: ${stderr}`);
      } finally {
        await redis.stop();
      }
    },
  );
}
