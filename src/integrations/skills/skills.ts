import type { Resource } from "../../core/content/content_catalog.ts";
import { defineResource } from "../../core/content/define_resource.ts";
import { joinSkills, type SkillData } from "./extension.ts";
import { type LoadedFile, type LoadedSkill, loadSkill, SKILL_FILE, type SkillSource } from "./skill.ts";

/**
 * Skills for `createServer({ resources })`: instructions for models, which callers over MCP list, read and verify (SEP-2640).
 *
 * A skill is a folder with a `SKILL.md`, whose name is that of the folder. All files are read now, so that what callers get always has
 * the digest that was listed; a file that changes needs a new server.
 *
 * @example A skill in the program
 * ```ts
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { skills } from "jsr:@toolwire/toolwire/skills";
 *
 * const text = "---\nname: write-commits\ndescription: How we write commit messages. Use it before each commit.\n---\n\n# Commits\n…";
 * createServer({ tools: [], resources: await skills([{ path: "git/write-commits", files: { "SKILL.md": text } }]) });
 * ```
 * @param source A folder with skills at any depth (Bun, Deno and Node), or skills as text and bytes.
 * @throws {TypeError} If a skill is not valid: its frontmatter, its name, more than 512 files or 16 MiB.
 * @throws The error of the file system if the folder cannot be read.
 */
export async function skills(source: string | URL | readonly SkillSource[]): Promise<readonly Resource[]> {
  const sources = Array.isArray(source) ? source as readonly SkillSource[] : await readSources(source as string | URL);
  const loaded = await Promise.all(sources.map(loadSkill));
  // A skill within another one has its files in both.
  const files = new Map(loaded.flatMap((skill) => skill.files.map((file) => [file.uri, file])));
  const byUri = new Map(loaded.map((skill) => [skill.entry.uri, skill]));
  return [...files.values()].map((file) => toResource(file, byUri.get(file.uri)));
}

async function readSources(folder: string | URL): Promise<readonly SkillSource[]> {
  if (typeof folder !== "string" && !(folder instanceof URL)) {
    throw new TypeError("Cannot serve skills: pass a folder, or an array of { path, files }");
  }
  const { readFolder } = await import("./runtime/read_folder.ts");
  return await readFolder(folder);
}

function toResource(file: LoadedFile, skill: LoadedSkill | undefined): Resource {
  const { uri, mimeType, size, text, bytes } = file;
  const named = defineResource(uri).mimeType(mimeType).size(size).name(uri.slice(uri.lastIndexOf("/") + 1));
  const { name = SKILL_FILE, description = "" } = skill?.entry.frontmatter ?? {};
  const builder = skill === undefined ? named : named.name(name).describe(description);
  const resource = builder.read(() => text === undefined ? bytes : text);
  const data: SkillData = { file, skill };
  const definition = { ...resource["~resource"], isListed: skill !== undefined, extension: { join: joinSkills, data } };
  return { ...resource, "~resource": definition };
}
