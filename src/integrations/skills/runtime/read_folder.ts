/** Skills in a folder of the file system. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SKILL_FILE, type SkillSource } from "../skill.ts";

/**
 * Reads all skills below a folder. Files and folders whose name begins with a dot are left out.
 *
 * @throws {TypeError} If there is no skill, the folder itself is one, or a file is a symbolic link.
 * @throws The error of the file system if the folder cannot be read.
 */
export async function readFolder(folder: string | URL): Promise<readonly SkillSource[]> {
  const root = typeof folder === "string" ? folder : fileURLToPath(folder);
  const paths = await listFiles(root, "");
  if (paths.includes(SKILL_FILE)) {
    throw new TypeError(`Cannot serve skills of ${root}: it is a skill itself; pass the folder that it is in`);
  }
  const homes = paths.filter((path) => path.endsWith(`/${SKILL_FILE}`)).map((path) =>
    path.slice(0, -SKILL_FILE.length)
  );
  if (homes.length === 0) throw new TypeError(`Cannot serve skills of ${root}: no folder in it has a ${SKILL_FILE}`);
  return await Promise.all(homes.map(async (home) => ({
    path: home.slice(0, -1),
    files: Object.fromEntries(
      await Promise.all(
        paths.filter((path) => path.startsWith(home)).map(async (path) =>
          [path.slice(home.length), new Uint8Array(await readFile(join(root, path)))] as const
        ),
      ),
    ),
  })));
}

async function listFiles(root: string, below: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  const lists = entries.filter(({ name }) => !name.startsWith(".")).map(async (entry) => {
    const path = below + entry.name;
    if (entry.isSymbolicLink()) {
      throw new TypeError(`Cannot serve skills of ${root}: ${path} is a symbolic link; put a copy in its place`);
    }
    return entry.isDirectory() ? await listFiles(root, `${path}/`) : [path];
  });
  return (await Promise.all(lists)).flat();
}
