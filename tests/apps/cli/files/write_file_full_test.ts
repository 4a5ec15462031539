/** Files that commands write: regular ones alone, links resolved, at once, under a lock, with a copy of what is replaced. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withLock } from "../../../../apps/cli/files/lock.ts";
import { openLines, updateFile, writeFile } from "../../../../apps/cli/files/write_file.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { linkDevice } from "./device.ts";

const UNIX = { skip: process.platform === "win32" && "links and modes are those of Unix" };

test("a file is replaced at once: a copy of the old one, its mode and its links stay", UNIX, async () => {
  await using folder = await temporaryFolder();
  const [real, link] = [join(folder.path, "dotfiles.json"), join(folder.path, "mcp.json")];
  writeFileSync(real, "old");
  chmodSync(real, 0o640);
  symlinkSync(real, link);
  const { backup = "", link: shown, isChanged } = await writeFile(link, "new", { copiesBesideLink: true });
  match(backup, /\/mcp\.json\.toolwire-\d{8}T\d{6}Z\.bak$/);
  deepStrictEqual([readFileSync(backup, "utf8"), readFileSync(real, "utf8"), isChanged], ["old", "new", true]);
  strictEqual(shown, `, a link to ${real}`);
  strictEqual(statSync(real).mode & 0o777, 0o640);
  strictEqual(readdirSync(folder.path).length, 3);
  deepStrictEqual(await writeFile(link, "new"), { link: shown, isChanged: false, backup: undefined });
});

test(
  "copies of one second do not overwrite each other, and stay beside the file that a link leads to",
  UNIX,
  async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, "away"));
    const [real, link] = [join(folder.path, "away/file"), join(folder.path, "link")];
    writeFileSync(real, "0");
    symlinkSync(real, link);
    const copies: string[] = [];
    for (const text of ["1", "2", "3"]) copies.push((await writeFile(link, text)).backup ?? "");
    deepStrictEqual(copies.map((copy) => [dirname(copy), readFileSync(copy, "utf8")]), [
      [dirname(real), "0"],
      [dirname(real), "1"],
      [dirname(real), "2"],
    ]);
  },
);

test("what is not a regular file is refused, and a pipe does not hang", UNIX, async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  execFileSync("mkfifo", [at("pipe")]);
  const device = linkDevice(folder.path, "device");
  symlinkSync(at("nothing"), at("dangling"));
  mkdirSync(at("folder"));
  for (
    const [name, reason] of [
      ["pipe", /it is a pipe, not a regular file/],
      ["device", /it is a device, not a regular file/],
      ["dangling", /it is a link to a file that does not exist/],
      ["folder", /it is a folder, not a regular file/],
      ["none/file", /its folder does not exist/],
    ] as const
  ) {
    await rejects(writeFile(at(name), "x"), reason, name);
    await rejects(openLines(at(name === "none/file" ? "pipe/file" : name), true), /^CliError: Cannot write/);
  }
  ok(statSync(device).isCharacterDevice());
});

test("a name that the user did not write does not lead outside of its folder", UNIX, async () => {
  await using folder = await temporaryFolder();
  const project = join(folder.path, "project");
  mkdirSync(project);
  writeFileSync(join(folder.path, "own"), "secret");
  symlinkSync(join(folder.path, "own"), join(project, "link"));
  symlinkSync(folder.path, join(project, "up"));
  for (const name of ["link", "up/file", "../file", "up/project/../file"]) {
    await rejects(writeFile(join(project, name), "x", { within: project }), /it leads to .*, outside of /, name);
  }
  deepStrictEqual(readdirSync(folder.path).sort(), ["own", "project"]);
  await writeFile(join(project, "up/project/file"), "x", { within: project });
  strictEqual(readFileSync(join(project, "file"), "utf8"), "x");
});

test("changes at the same time are all kept", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "list");
  const numbers = [...Array(20).keys()];
  await Promise.all(numbers.map((number) =>
    updateFile(file, async (old) => {
      const text = new TextDecoder().decode(old);
      await Promise.resolve();
      return `${text}${number}\n`;
    }, { isDisposable: () => true })
  ));
  deepStrictEqual(readFileSync(file, "utf8").trim().split("\n").map(Number).sort((a, b) => a - b), numbers);
  deepStrictEqual(readdirSync(folder.path), ["list"]);
});

test("the lock of a process that has ended is taken over, that of a living one is not", async () => {
  await using folder = await temporaryFolder();
  const [file, lock] = [join(folder.path, "file"), join(folder.path, ".file.toolwire-lock")];
  // Above the largest id of Linux.
  writeFileSync(lock, JSON.stringify({ pid: 4_999_999, host: hostname(), lock: 0 }));
  await writeFile(file, "x");
  deepStrictEqual(readdirSync(folder.path), ["file"]);
  await withLock(
    file,
    () => rejects(openLines(file, true), /another process is writing it; if there is none, delete /),
  );
  strictEqual(existsSync(lock), false);
});

test("a failed change leaves the file as it was, and no other file", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "file");
  writeFileSync(file, "old");
  const failing = updateFile(file, () => {
    throw new Error("Not today");
  });
  await rejects(failing, /Not today/);
  await rejects(
    updateFile(file, () => {
      writeFileSync(file, "another program");
      return "new";
    }),
    /another program has changed it meanwhile/,
  );
  deepStrictEqual([readFileSync(file, "utf8"), readdirSync(folder.path)], ["another program", ["file"]]);
});

test("a recording is new and for its owner alone; an existing file is replaced on demand, and kept", UNIX, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "sub/calls.ndjson");
  const lines = await openLines(file, false);
  lines.write("1\n");
  lines.close();
  strictEqual(statSync(file).mode & 0o777, 0o600);
  await rejects(openLines(file, false), /it exists/);
  const other = await openLines(file, true);
  other.write("2\n");
  await rejects(openLines(file, true), /another process is writing it/);
  other.close();
  deepStrictEqual([readFileSync(file, "utf8"), readFileSync(other.backup ?? "", "utf8")], ["2\n", "1\n"]);
});
