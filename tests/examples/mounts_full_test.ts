/** examples/mounts: its types, and its calls through real frameworks on Bun and Deno. */
import { match, strictEqual } from "node:assert/strict";
import process from "node:process";
import { findProgram, runProgram, testWith } from "../serve/programs.ts";
import { installExample } from "./packages.ts";

const missing = process.versions["bun"] === undefined ? undefined : installExample("mounts");
const packages = missing === undefined ? { path: "examples/mounts/node_modules" } : { missing };

testWith("examples/mounts checks against the types of the frameworks", [findProgram("tsc"), packages], async (tsc) => {
  const { code, stdout } = await runProgram([tsc, "-p", "examples/mounts", "--noEmit"], { withinMs: 60_000 });
  strictEqual(code, 0, stdout);
});

const COMMANDS = { bun: [], deno: ["run", "-A", "--no-check", "--quiet", "--config=deno.json"] };

for (const [name, args] of Object.entries(COMMANDS)) {
  testWith(
    `examples/mounts/main.ts calls through eight frameworks on ${name}`,
    [findProgram(name), packages],
    async (path) => {
      const { code, stdout, stderr } = await runProgram([path, ...args, "examples/mounts/main.ts"], {
        withinMs: 60_000,
      });
      strictEqual(code, 0, stderr);
      for (const framework of ["Hono", "Elysia", "h3", "SvelteKit", "Next.js", "Express", "Fastify", "Koa"]) {
        match(stdout, new RegExp(`^${framework}.*: all calls were answered$`, "m"));
      }
    },
  );
}
