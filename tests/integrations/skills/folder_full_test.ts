/** Skills in a folder of the file system. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "../../temporary_folder.ts";
import { skills } from "../../../src/entries/skills.ts";

const HEAD = "---\nname: NAME\ndescription: A skill\n---\n";

function write(root: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

test("skills() reads skills at any depth, with the bytes of their files, and leaves out hidden files", async () => {
  await using folder = await temporaryFolder();
  write(folder.path, "one/SKILL.md", HEAD.replace("NAME", "one"));
  write(folder.path, "one/image.png", Uint8Array.of(0x89, 0x50));
  write(folder.path, "one/.git/config", "hidden");
  write(folder.path, "deep/er/two/SKILL.md", HEAD.replace("NAME", "two"));
  write(folder.path, "deep/er/two/inner/three/SKILL.md", HEAD.replace("NAME", "three"));
  write(folder.path, "README.md", "in no skill");
  const uris = [
    "skill://deep/er/two/SKILL.md",
    "skill://deep/er/two/inner/three/SKILL.md",
    "skill://one/SKILL.md",
    "skill://one/image.png",
  ];
  for (const source of [folder.path, pathToFileURL(folder.path)]) {
    deepStrictEqual((await skills(source)).map(({ uri }) => uri).sort(), uris);
  }
});

test("skills() refuses a folder that is a skill, one without skills, links, and what is no folder", async () => {
  await using folder = await temporaryFolder();
  await rejects(skills(folder.path), /no folder in it has a SKILL\.md/);
  write(folder.path, "one/SKILL.md", HEAD.replace("NAME", "one"));
  await rejects(skills(join(folder.path, "one")), /it is a skill itself; pass the folder that it is in/);
  strictEqual((await skills(folder.path)).length, 1);
  symlinkSync("/etc/hostname", join(folder.path, "one/link"));
  await rejects(skills(folder.path), /one\/link is a symbolic link/);
  await rejects(skills(join(folder.path, "missing")), { code: "ENOENT" });
  await rejects(skills(undefined as never), /pass a folder, or an array/);
});
