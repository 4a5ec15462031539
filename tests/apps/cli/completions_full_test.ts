/** The script for bash, in an interactive bash on a pseudo-terminal: Tab is pressed, and the words are completed. */
import { strictEqual } from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { findProgram, root, runProgram, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const SERVER = `
import { createServer, defineTool } from ${JSON.stringify(join(root, "mod.ts"))};
import * as v from ${JSON.stringify(join(root, "src/entries/schema.ts"))};
console.log("loaded");
const greet = defineTool("greet_everyone").describe("Greet").input(v.object({ name: v.string() })).handle(() => "hello");
export const server = createServer({ tools: [greet] });
`;

testWith(
  "bash completes commands, servers of hosts, modules, tools and arguments",
  [findProgram("bash"), findProgram("script"), findProgram("bun")],
  async (bash, script, bun) => {
    await using folder = await temporaryFolder();
    const file = (name: string) => join(folder.path, name);
    const main = [bun, join(root, "apps/cli/main.ts")];
    // Prints its arguments, so that a test sees what was completed. Proposals are those of the program.
    const proposes = `[ "$1" = __complete ] && exec ${main.join(" ")} "$@"`;
    writeFileSync(file("toolwire"), `#!/bin/sh\n${proposes}\nprintf '<%s>' "$@"\necho .\n`);
    chmodSync(file("toolwire"), 0o755);
    writeFileSync(file("server.ts"), SERVER);
    writeFileSync(file(".mcp.json"), '{ "mcpServers": { "weather": { "url": "https://x.example" } } }');
    const env = { HOME: folder.path, PATH: [folder.path, process.env["PATH"]].join(delimiter) };
    const { code, stdout } = await runProgram([...main, "completions", "bash"], { cwd: folder.path, env });
    strictEqual(code, 0);
    writeFileSync(file("rc"), `PS1='$ '\nbind 'set enable-bracketed-paste off'\n${stdout}\necho ready\n`);
    strictEqual((await runProgram([bash, "-n", file("rc")])).code, 0);

    await using shell = await startProgram([script, "-qec", `${bash} --rcfile ${file("rc")} -i`, "/dev/null"], {
      url: false,
      cwd: folder.path,
      env,
    });
    await shell.printed(/ready\r?\n/);
    for (
      const [typed, words] of [
        ["completi", "<completions>"],
        ["list claude-code:w", "<list><claude-code:weather>"],
        ["list ./ser", "<list><./server.ts>"],
        ["call ./server.ts gre", "<call><./server.ts><greet_everyone>"],
        // No space after it: the value follows.
        ["call ./server.ts greet_everyone na", "<call><./server.ts><greet_everyone><name=Ada>"],
      ] as const
    ) {
      shell.tell(`toolwire ${typed}\t${words.endsWith("=Ada>") ? "Ada" : ""}`);
      const printed = words.replace(/[.]/g, "\\.");
      await shell.printed(new RegExp(`^${printed}\\.\\r?$`, "m"));
    }
  },
);
