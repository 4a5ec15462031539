/** A disk that fills while `toolwire record` runs: the recording ends, with one note, and the calls are still answered. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../../mod.ts";
import { serve } from "../../../../src/runtime/serve.ts";
import { startProgram } from "../../../serve/programs.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { runInProcess } from "../in_process.ts";
import { commandOf } from "../run.ts";

/** Largest size of a file, in KiB: for the process it is as a disk that is full from there on. */
const LIMIT_KIB = 16;
const LIMITED = ["bash", "-c", `trap "" XFSZ; ulimit -f ${LIMIT_KIB}; exec "$@"`, "bash"];

test("calls through record are answered while the disk is full, and the file has what came before", {
  timeout: 120_000,
  skip: process.platform === "win32" && "limits of files are those of Unix",
}, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "calls.ndjson");
  const server = createServer({
    name: "recorded",
    version: "1.0.0",
    logger: false,
    tools: [defineTool("echo").describe("Echo").handle((input) => input)],
  });
  const target = await serve(server, { port: 0, graceMs: 0 });
  try {
    await using program = await startProgram([...LIMITED, ...commandOf("record", `${target.url}/mcp`, "-o", file)]);
    const client = createClient(`${program.url}/mcp-lite/v1`);
    const sent = Array.from({ length: 12 }, (_, n) => ({ n, text: `${n}`.repeat(3_000) }));
    const answers = [];
    for (const args of sent) answers.push(await client.$.call("echo", args));
    deepStrictEqual(answers, sent);
    client.$.close();
    program.signal("SIGINT");
    strictEqual(await program.exited, 2, program.output());
    const notes = program.output().match(/The recording has ended, and calls are still passed on: .*/g) ?? [];
    strictEqual(notes.length, 1, program.output());
    match(notes[0] ?? "", /Cannot write the file .*calls\.ndjson: /);
    ok(!program.output().includes("Server broke"), program.output());
    ok(statSync(file).size > 4_096, `${statSync(file).size} bytes`);
    ok(!readFileSync(file, "utf8").endsWith("\n"), "the last line is the one that did not fit");
    const listed = await runInProcess(["list", `record:${file}`]);
    deepStrictEqual([listed.code, /echo/.test(listed.out)], [0, true], listed.errors);
  } finally {
    await target.close();
  }
});
