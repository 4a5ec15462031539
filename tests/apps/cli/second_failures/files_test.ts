/**
 * Files that commands write: each call of the file system fails once, and then each clean-up after it fails, too. The error is the first
 * cause, with the other beside it; the file has its old text or the new one; nothing is left where it can be removed; and the next
 * command neither waits nor stumbles over what could not be removed.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { CliError } from "../../../../apps/cli/cli_error.ts";
import { EXIT } from "../../../../apps/cli/exit_codes.ts";
import { createFiles, openLines, updateFile, whileUsed, writeFile } from "../../../../apps/cli/files/write_file.ts";
import { releasing } from "../../../../src/internal/clean_up.ts";
import { NO_REPLACING, withBuiltin } from "../../../faulty_builtin.ts";
import { FIRST, SECOND } from "../../../server/second_failures/faulty.ts";
import { messagesOf } from "../../../server/second_failures/messages.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { runHere } from "../run_here.ts";
import { type FileFault, runWithFault } from "./faulty_files.ts";

const skip = NO_REPLACING;

interface Scenario {
  /** Text of the file before. */
  readonly old?: string;
  /** Prepares the folder. */
  prepare?(folder: string): void;
  /** Writes `new` into the file. */
  write(file: string): Promise<unknown>;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a new file": { write: (file) => writeFile(file, "new", { mode: 0o600 }) },
  "a replaced file": { old: "old", write: (file) => writeFile(file, "new") },
  "a replaced file without a copy": {
    old: "old",
    write: (file) => updateFile(file, () => "new", { isDisposable: () => true }),
  },
  "a file that is written while it is used": {
    old: "old",
    write: (file) => whileUsed(file, () => writeFile(file, "new")),
  },
  "a file behind the lock of a process that has ended": {
    old: "old",
    // Above the largest id of Linux.
    prepare: (folder) => writeLock(folder, { pid: 4_999_999, host: hostname(), lock: "0" }),
    write: (file) => writeFile(file, "new"),
  },
  "lines": { old: "old", write: (file) => writeLines(file) },
  "the files of a project": {
    write(file) {
      createFiles(join(file, ".."), { "sub/one": "1", "sub/deep/two": "2", "file": "new" });
      return Promise.resolve();
    },
  },
};

function writeLock(folder: string, owner: object): void {
  writeFileSync(join(folder, ".file.toolwire-lock"), JSON.stringify(owner));
}

async function writeLines(file: string): Promise<void> {
  const lines = await openLines(file, true);
  await releasing(() => lines.write("new"), () => lines.close());
}

/** Names of what a command leaves beside a file: locks, and texts that were not renamed. */
const leftIn = (folder: string) => readdirSync(folder).filter((name) => /^\.|lock/.test(name));

/** Runs a scenario with a fault, checks what it leaves, and runs it again without one. Returns whether the fault was met. */
async function check({ old, prepare, write }: Scenario, fault: FileFault): Promise<boolean> {
  await using folder = await temporaryFolder();
  const [file, work] = [join(folder.path, "file"), () => Promise.resolve().then(() => write(file))];
  if (old !== undefined) writeFileSync(file, old);
  prepare?.(folder.path);
  const { thrown, failed, hasFailedAgain, open } = await runWithFault(fault, work);
  const label = `call ${fault.call}, ${failed}, again: ${fault.failsAgain}: ${messagesOf(thrown).join(" / ")}`;
  strictEqual(open, 0, `each file is closed: ${label}`);
  const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (failed === undefined) {
    deepStrictEqual([thrown, text, leftIn(folder.path)], [undefined, "new", []], label);
    return false;
  }
  if (thrown === undefined) strictEqual(text, "new", label);
  else {
    ok(thrown instanceof CliError, label);
    const messages = messagesOf(thrown).filter((message) => message === FIRST || message === SECOND);
    // Where the work has succeeded in another way, as without links, or a lock was taken over at the second attempt, the clean-up is what
    // failed first.
    const isSecond = prepare !== undefined && /^(open|readFile|rename|rm)Sync$/.test(failed);
    const isDone = !messages.includes(FIRST) && (text === "new" || isSecond);
    const expected = [...(isDone ? [] : [FIRST]), ...(hasFailedAgain ? [SECOND] : [])];
    deepStrictEqual([...new Set(messages)], expected, label);
    const isEmpty = text === "" && (old === undefined ? fault.failsAgain : readdirSync(folder.path).some(isCopy));
    ok(text === "new" || text === old || isEmpty, `${text}: ${label}`);
    if (text === old && !fault.failsAgain) deepStrictEqual(readdirSync(folder.path).filter(isCopy), [], label);
  }
  const isLeft = prepare !== undefined || fault.failsAgain || failed === "rmSync" ||
    label.includes("Cannot delete the file");
  if (!isLeft) deepStrictEqual(leftIn(folder.path), [], label);
  await checkNext(file, folder.path, label);
  return true;
}

const isCopy = (name: string) => name.endsWith(".bak");

/** The next command does not wait for a lock, and removes what is left. */
async function checkNext(file: string, folder: string, label: string): Promise<void> {
  const next = await runWithFault({ call: 0, failsAgain: false }, () => writeFile(file, "next"));
  deepStrictEqual([next.thrown, readFileSync(file, "utf8")], [undefined, "next"], label);
  ok(next.count < 60, `${next.count} calls: ${label}`);
  // A lock of another use, and one that was taken over, hinder no later command.
  deepStrictEqual(leftIn(folder).filter((name) => !/\.used|-lock-\d+$/.test(name)), [], label);
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  for (const failsAgain of [false, true]) {
    test(`${name}: each call fails once${failsAgain ? ", and then the clean-up" : ""}`, { skip }, async () => {
      let call = 1;
      while (await check(scenario, { call, failsAgain })) call++;
      ok(call > 3, `${call} calls`);
    });
  }
}

test(
  "a lock that cannot be read or removed, as that of another user, is waited for without spinning",
  { skip },
  async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "file");
    writeLock(folder.path, { pid: 4_999_999, host: hostname(), lock: "0" });
    const fail = (): never => {
      throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    };
    for (const name of ["readFileSync", "renameSync"]) {
      await withBuiltin("node:fs", () => ({ [name]: fail }), async () => {
        await rejects(openLines(file, true), /another process is writing it; if there is none, delete /, name);
      });
    }
  },
);

test("a lock with the id of this process that is not its own is taken over, as after the restart of a container", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "file");
  writeLock(folder.path, { pid: process.pid, host: hostname(), lock: "of the process before" });
  utimesSync(join(folder.path, ".file.toolwire-lock"), 0, 0);
  const lines = await openLines(file, true);
  await rejects(openLines(file, true), /another process is writing it/);
  lines.close();
  deepStrictEqual(readdirSync(folder.path), ["file"]);
});

test(
  "a command prints why a file was not written, and why it could not remove its temporary file",
  { skip },
  async () => {
    await using folder = await temporaryFolder();
    writeFileSync(join(folder.path, "tools.json"), JSON.stringify([{ name: "ping", inputSchema: { type: "object" } }]));
    const fail = (message: string) => (): never => {
      throw new Error(message);
    };
    const replaced = { linkSync: fail("no links"), renameSync: fail(FIRST), rmSync: fail(SECOND) };
    let removed = 0;
    const command = ["types", "tools.json", "--out"] as const;
    // Modules are loaded before the file system fails.
    strictEqual((await runHere({ cwd: folder.path }, ...command, "first.ts")).code, EXIT.ok);
    await withBuiltin("node:fs", (own) => ({
      ...replaced,
      // The place of the temporary file is cleared first.
      rmSync: (...args) => removed++ === 0 ? own["rmSync"]?.(...args) : replaced.rmSync(),
    }), async () => {
      const { errors, code } = await runHere({ cwd: folder.path }, ...command, "tools.ts");
      match(errors, /^Cannot write the file .*tools\.ts: the first cause \(file\)\n/);
      match(
        errors,
        /\n {2}The clean-up failed, too: Cannot delete the file .*-lock: the clean-up failed, too; the clean-up failed, too\n$/,
      );
      strictEqual(code, EXIT.usage);
      removed = 0;
      const { errors: line } = await runHere({ cwd: folder.path }, ...command, "other.ts", "--json");
      match(JSON.parse(line).error.cleanUp, /^Cannot delete the file /);
    });
  },
);
