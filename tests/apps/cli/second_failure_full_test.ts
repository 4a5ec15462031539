/** A target that fails, and then cannot be closed: the command reports the first cause, and notes the other. */
import { match, ok, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "../../temporary_folder.ts";
import { run } from "./run.ts";

test("toolwire call: the error of the call is reported, not that of closing the server", async () => {
  await using folder = await temporaryFolder();
  const entry = pathToFileURL(join(import.meta.dirname, "../../../mod.ts")).href;
  const source = `import { createServer, defineTool, memoryEngine, ToolError } from ${JSON.stringify(entry)};
const fail = (message) => { throw new Error(message); };
export const server = createServer({
  tools: [
    defineTool("break").describe("Break").handle(() => { throw new ToolError("unavailable", "the first cause"); }),
    defineTool("ping").describe("Answer").handle(() => "pong"),
  ],
  engine: Object.assign(memoryEngine(), { close: () => fail("the clean-up failed, too") }),
  logger: false,
});
`;
  const path = join(folder.path, "tools.ts");
  writeFileSync(path, source);
  const broken = await run("call", path, "break");
  ok(broken.code !== 0);
  ok(broken.errors.includes("the first cause"), broken.errors);
  match(broken.errors, /Cannot close the target: .*the clean-up failed, too/);
  const fine = await run("call", path, "ping");
  match(fine.out, /pong/);
  match(fine.errors, /Cannot close the target: .*the clean-up failed, too/);
  strictEqual(fine.code, 0);
});
