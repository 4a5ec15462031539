/** Skills as they are listed (SEP-2640), and the files that they consist of. */
import { toHex } from "../../internal/encoding.ts";
import { readFrontmatter, type SkillFrontmatter } from "./frontmatter.ts";

/** Identifier of the extension Skills, under which a server declares it to clients of MCP. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Name of the file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** A skill that a server is to serve: its path, and its files as text or bytes, not yet checked. */
export interface SkillSource {
  /** Path of its folder, such as `git/write-commits`; the last part is the name of the skill. */
  readonly path: string;
  /** Files of the skill by their path in its folder. One of them is `SKILL.md`. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** A file in the list of a skill: its URI, and the size and digest that its bytes have to have. */
export interface SkillResource {
  /** URI of the file. */
  readonly uri: string;
  /** `sha256:` and the digest of the bytes in hexadecimal. */
  readonly digest: string;
  /** Length in bytes. */
  readonly size: number;
}

/** A skill in the list of a server: its frontmatter, and the digests of its files without their bytes. */
export interface Skill {
  /** URI of its SKILL.md. */
  readonly uri: string;
  /** The frontmatter of its SKILL.md, unchanged. */
  readonly frontmatter: SkillFrontmatter;
  /** All files of the skill; `"dynamic"` if the server makes them when they are read. */
  readonly resources: readonly SkillResource[] | "dynamic";
  /** Metadata of the server. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A file of a skill that a server serves, with its bytes and media type. */
export interface LoadedFile extends SkillResource {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** The bytes as text, if they are UTF-8. */
  readonly text: string | undefined;
}

/** A checked skill: its entry in the list of the server, and its files with their bytes. */
export interface LoadedSkill {
  readonly entry: Skill & { readonly resources: readonly SkillResource[] };
  readonly files: readonly LoadedFile[];
}

const MAX_FILES = 512;
const MAX_BYTES = 16_777_216;

/**
 * Checks a skill: its paths, its SKILL.md, at most 512 files and 16 MiB. Computes URIs, media types and digests of the files.
 *
 * @throws {TypeError} If it is not a valid skill.
 */
export async function loadSkill({ path, files: given }: SkillSource): Promise<LoadedSkill> {
  const names = Object.keys(given).sort();
  const refuse = (reason: string) => new TypeError(`Cannot serve the skill "${path}": ${reason}`);
  if (names.length > MAX_FILES) throw refuse(`it has ${names.length} files; ${MAX_FILES} are allowed`);
  const wrong = [path, ...names].find((one) => !isPath(one));
  if (wrong !== undefined) throw refuse(`"${wrong}" is not a path such as references/forms.md`);
  const root = uriOf(path);
  const files = await Promise.all(names.map((name) => loadFile(`${root}/${uriPath(name)}`, given[name] ?? "")));
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > MAX_BYTES) throw refuse(`it has ${size} bytes; ${MAX_BYTES} are allowed`);
  const uri = `${root}/${SKILL_FILE}`;
  const text = files.find((file) => file.uri === uri)?.text;
  if (text === undefined) throw refuse(`it has no ${SKILL_FILE} in UTF-8`);
  const frontmatter = await frontmatterOf(text, refuse);
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (last !== frontmatter.name) {
    throw refuse(`its name is "${frontmatter.name}"; name its folder so, or change the name`);
  }
  return { entry: { uri, frontmatter, resources: files.map(pick) }, files };
}

/** Decodes bytes as UTF-8, and keeps a byte order mark; `undefined` if they are not UTF-8: a request for the file then gives bytes. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The SHA-256 digest of bytes as lists have it: `sha256:` and hexadecimal digits. */
export async function fileDigest(bytes: Uint8Array): Promise<string> {
  return `sha256:${toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource)))}`;
}

async function frontmatterOf(text: string, refuse: (reason: string) => TypeError): Promise<SkillFrontmatter> {
  try {
    return await readFrontmatter(text);
  } catch (error) {
    throw refuse(`${SKILL_FILE} is not valid: ${(error as Error).message}`);
  }
}

async function loadFile(uri: string, content: string | Uint8Array): Promise<LoadedFile> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const text = decodeText(bytes);
  return { uri, digest: await fileDigest(bytes), size: bytes.length, bytes, text, mimeType: mimeTypeOf(uri, text) };
}

function pick({ uri, digest, size }: LoadedFile): SkillResource {
  return { uri, digest, size };
}

function isPath(path: string): boolean {
  return path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function uriOf(path: string): string {
  return `skill://${uriPath(path)}`;
}

function uriPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  txt: "text/plain",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  js: "text/javascript",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  py: "text/x-python",
  sh: "application/x-sh",
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  svg: "image/svg+xml",
  webp: "image/webp",
};

function mimeTypeOf(uri: string, text: string | undefined): string {
  const extension = uri.slice(uri.lastIndexOf(".") + 1).toLowerCase();
  return MIME_TYPES[extension] ?? (text === undefined ? "application/octet-stream" : "text/plain");
}
