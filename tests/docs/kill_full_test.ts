/** The story of docs/stories.md about promises, as it is written: a server is killed while it works, and another process gives the result. */
import { match, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import process from "node:process";
import { findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { findFences } from "./extract.ts";

const page = readFileSync(join(root, "docs/stories.md"), "utf8");
const fences = findFences("docs/stories.md", page);
const server = fences.find(({ code }) => code.includes("sqliteEngine("));
const client = fences.find(({ code }) => code.includes("process.argv"));
const [, commands = ""] = /^```sh\n((?:(?!```)[^])*kill -9[^]*?)^```$/m.exec(page) ?? [];

testWith(
  "a killed server's promise is redeemed from the next process",
  [findProgram("bun"), findProgram("bash"), findProgram("curl")],
  async (_, bash) => {
    mkdirSync(join(root, ".cache"), { recursive: true });
    const folder = mkdtempSync(join(root, ".cache/kill-"));
    const port = await freePort();
    try {
      // On a busy machine the kill could come before the work begins, which would then be its first attempt.
      const begin = 'await Bun.write("begun", ""); await new Promise';
      const code = server?.code.replace("port: 8000", `port: ${port}`).replace("await new Promise", begin) ?? "";
      writeFileSync(join(folder, "server.ts"), code);
      writeFileSync(join(folder, "client.ts"), client?.code.replace(":8000", `:${port}`) ?? "");
      strictEqual(commands.split("sleep 1").length, 3);
      // A busy machine takes longer than a second to start a server.
      const isUp = `curl -s -o /dev/null --retry 60 --retry-delay 1 --retry-connrefused http://localhost:${port}/`;
      const hasBegun = "until [ -e begun ]; do sleep 0.05; done; kill -9";
      const steps = commands.replaceAll("sleep 1", isUp).replace("kill -9", hasBegun);
      const script = `set -m\ntrap 'kill -9 $(jobs -p)' EXIT\n${steps}`;
      const env = { PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter) };
      const { stdout, stderr } = await runProgram([bash, "-c", script], { cwd: folder, env, withinMs: 120_000 });
      // Only a run after the first has another number.
      match(stdout, /^film\.mp4, attempt 2$/m, stderr);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  150_000,
);

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
