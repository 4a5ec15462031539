// Writes the tables of what a model sees, and of the tokens of errors, into docs/agents.md, from what these tests see. The same tests hold
// that the page has them.
import { spawnSync } from "node:child_process";
import process from "node:process";

const { status } = spawnSync("bun", [
  "test",
  "--timeout=120000",
  "./tests/integrations/agents/model_views_full_test.ts",
  "./tests/integrations/agents/error_tokens_test.ts",
], {
  stdio: "inherit",
  env: { ...process.env, WRITE_TABLE: "true" },
});
process.exitCode = status ?? 1;
