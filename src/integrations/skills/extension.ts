/** The methods of the extension, on a server with skills (SEP-2640). */
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import type { ContentExtension, ExtensionAnswer } from "../../core/content/extension.ts";
import { type LoadedFile, type LoadedSkill, type Skill, SKILLS_EXTENSION } from "./skill.ts";

/** Data that the resource of a skill's file has for the extension: the file, and the skill, if the file is its SKILL.md. */
export interface SkillData {
  readonly file: LoadedFile;
  readonly skill: LoadedSkill | undefined;
}

/** A file or a folder in the list of a folder. */
interface Child {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size?: number;
  readonly [member: string]: unknown;
}

const FOLDER_TYPE = "inode/directory";

/** Creates the extension of a server from the files of all its skills: the methods that list and get skills, and list folders. */
export function joinSkills(found: readonly unknown[]): ContentExtension {
  // The one cast: resources of this extension are made with this data.
  const data = found as readonly SkillData[];
  const items = data.flatMap(({ skill }) => skill === undefined ? [] : [{ ...skill.entry }]);
  const skills: ReadonlyMap<string, Skill> = new Map(items.map((skill) => [skill.uri, skill]));
  const folders = listFolders(data.map(({ file }) => file), [...skills.keys()]);
  return {
    id: SKILLS_EXTENSION,
    settings: { directoryRead: true },
    methods: {
      "skills/list": () => ({ list: "skills", items }),
      "skills/get": ({ uri }) => answer(skills.get(String(uri)), (skill) => ({ members: { skill } }), "skill", uri),
      "resources/directory/read": ({ uri }) =>
        answer(folders.get(String(uri)), (items) => ({ list: "resources", items }), "folder", uri),
    },
  };
}

function answer<Found>(
  found: Found | undefined,
  encode: (found: Found) => ExtensionAnswer,
  what: string,
  uri: unknown,
): ExtensionAnswer {
  return found === undefined ? unknown(what, uri) : encode(found);
}

function unknown(what: string, uri: unknown): ErrorResult {
  if (typeof uri !== "string") return errorResult("invalid_input", "params.uri has to be a string");
  return errorResult("resource_not_found", `There is no such ${what}`, { uri });
}

/** The direct children of each folder of a skill, by the folder's URI. */
function listFolders(files: readonly LoadedFile[], skills: readonly string[]): ReadonlyMap<string, readonly Child[]> {
  const roots = skills.map(parentOf);
  const folders = new Map<string, Map<string, Child>>();
  for (const { uri, mimeType, size } of files) {
    let child: Child = { uri, name: nameOf(uri), mimeType, size };
    for (let folder = parentOf(uri); roots.some((root) => isIn(folder, root)); folder = parentOf(folder)) {
      const children = folders.get(folder) ?? new Map<string, Child>();
      folders.set(folder, children.set(child.uri, child));
      child = { uri: folder, name: nameOf(folder), mimeType: FOLDER_TYPE };
    }
  }
  return new Map([...folders].map(([uri, children]) => [uri, [...children.values()]]));
}

function parentOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/"));
}

function nameOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}

function isIn(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}
