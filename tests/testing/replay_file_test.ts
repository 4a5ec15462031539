/** replayTransport(file): the file is read when it is needed, and errors say what it lacks. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createClient } from "../../mod.ts";
import { replayTransport } from "../../src/entries/testing.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const HEAD = '{"toolwire":"record","v":1,"server":{"name":"s"},"list":"","tools":[{"name":"add"}],"at":""}\n';
const CALL = '{"n":1,"at":0,"wire":"mcp","tool":"add","args":{"a":1},"meta":{}}\n';
const RESULT = '{"n":1,"at":1,"settled":{"kind":"answer","value":3}}\n';

/** Runs `work` with a folder whose file `calls.ndjson` has the text. */
async function withFile(text: string, work: (file: URL) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  const file = pathToFileURL(join(folder.path, "calls.ndjson"));
  await writeFile(file, text);
  await work(file);
}

test("a file is read at the first call, by its URL or its path", async () => {
  await withFile("", async (file) => {
    const clients = [file, fileURLToPath(file)].map((one) => createClient(replayTransport(one)));
    await writeFile(file, HEAD + CALL + RESULT);
    for (const { $ } of clients) {
      strictEqual(await $.call("add", { a: 1 }), 3);
      deepStrictEqual((await $.list()).map(({ name }) => name), ["add"]);
    }
  });
});

test("errors of calls say what a file lacks", async () => {
  const lacks: readonly (readonly [text: string, message: RegExp])[] = [
    ["", /^Cannot replay .*calls\.ndjson: Not a recording: its first line is not \{"toolwire":"record", …\}$/],
    ["[1]", /Not a recording/],
    ['{"toolwire":"record","v":2}', /is of version 2, and this program reads version 1$/],
    ['{"toolwire":"record","v":1}', /members server and tools of a recording are missing$/],
    [HEAD + RESULT, /Line 2: there is no call 1 before it$/],
    [HEAD + CALL, /^The recording ends before the result of this call of add: record it again$/],
    [HEAD, /^The recording has no call of add$/],
  ];
  for (const [text, message] of lacks) {
    await withFile(text, async (file) => {
      await rejects(createClient(replayTransport(file)).$.call("add", { a: 1 }), { name: "ToolError", message });
    });
  }
  const { $ } = createClient(replayTransport("no such folder/calls.ndjson"));
  const message =
    /^Cannot replay no such folder\/calls\.ndjson: there is no such file; make one with: toolwire record <target> --out calls\.ndjson$/;
  await rejects($.call("add"), { code: "invalid_request", message });
  await rejects($.list(), { code: "invalid_request", message });
});

test("a file that comes later is found, and one with a mark of its encoding is read", async () => {
  await withFile("not yet", async (file) => {
    const { $ } = createClient(replayTransport(file));
    await rejects($.call("add", { a: 1 }));
    await writeFile(file, `\uFEFF${HEAD}${CALL}${RESULT}`);
    strictEqual(await $.call("add", { a: 1 }), 3);
  });
});
