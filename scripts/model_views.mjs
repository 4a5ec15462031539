// Writes the table of what a model sees into docs/agents.md, from what tests/integrations/agents/model_views_full_test.ts sees.
import { spawnSync } from "node:child_process";
import process from "node:process";

const { status } = spawnSync("bun", [
  "test",
  "--timeout=120000",
  "./tests/integrations/agents/model_views_full_test.ts",
], {
  stdio: "inherit",
  env: { ...process.env, WRITE_TABLE: "true" },
});
process.exitCode = status ?? 1;
