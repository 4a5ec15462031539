import { ToolError } from "../../core/errors/tool_error.ts";
import { canonicalJson, isJsonObject } from "../../internal/json.ts";
import type { McpRequestOptions, McpResourceContents, McpTransport } from "../../wires/mcp/client/types.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { decodeText, fileDigest, type Skill, type SkillResource } from "./skill.ts";

/** A file of a skill whose size and digest were compared with those that the server lists. */
export interface SkillFile {
  /** URI of the file. */
  readonly uri: string;
  /** Media type, as the server says. */
  readonly mimeType: string | undefined;
  /** The bytes. They have the size and the digest of the list. */
  readonly bytes: Uint8Array;
  /** The bytes as text; `undefined` if they are not UTF-8. */
  readonly text: string | undefined;
}

/** Lists and reads the skills of a server, and verifies their files. All methods reject with `ToolError`. */
export interface SkillReader {
  /** Lists the skills. Nothing else is read. */
  list(options?: McpRequestOptions): Promise<readonly Skill[]>;
  /** Reads the entry of one skill, which may not be listed. */
  get(uri: string, options?: McpRequestOptions): Promise<Skill>;
  /**
   * Reads a file of a skill, and verifies it: the entry lists it, and it has the size and the digest there. The frontmatter of a SKILL.md is
   * that of the entry. A difference is `permission_denied`, and so is a skill whose files are `"dynamic"`.
   *
   * @param skill The entry that the user approved.
   * @param uri The file. Default: the SKILL.md.
   */
  read(skill: Skill, uri?: string, options?: McpRequestOptions): Promise<SkillFile>;
}

/** Pages that are read of one list. */
const MAX_PAGES = 1_000;

/**
 * Reads the skills of a server over MCP (SEP-2640).
 *
 * That a file has its digest proves that it is what was listed, and not that it is safe: show a skill to the user before a model gets it.
 *
 * @example List skills, and read one
 * ```ts
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { mcp, mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 * import { readSkills, skills } from "jsr:@toolwire/toolwire/skills";
 *
 * const text = "---\nname: greet\ndescription: How to greet\n---\nSay hello.\n";
 * const resources = await skills([{ path: "greet", files: { "SKILL.md": text } }]);
 * const server = createServer({ tools: [], resources, wires: [mcp()] });
 *
 * const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init)); // left out: the network
 * const reader = readSkills(mcpTransport("http://localhost/mcp", { fetch }));
 * const [greet] = await reader.list();
 * console.log(greet?.frontmatter.description); // → How to greet
 * console.log((await reader.read(greet!)).text === text); // → true
 * ```
 * @param transport A transport of MCP, such as `mcpTransport(url)` and `stdioTransport(command)`.
 */
export function readSkills(transport: Pick<McpTransport, "request" | "resources">): SkillReader {
  return {
    list: (options) => listSkills(transport, options),
    async get(uri, options) {
      const { skill } = await transport.request("skills/get", { uri }, options);
      const found = toSkill(skill);
      if (found.uri !== uri) throw refusal(uri, `the server sent the skill ${found.uri} in its place`);
      return found;
    },
    async read(skill, uri = skill.uri, options) {
      const listed = listedFile(skill, uri);
      const contents = await transport.resources.read(uri, options);
      return await verify(skill, listed, contents);
    },
  };
}

async function listSkills(
  transport: Pick<McpTransport, "request">,
  options: McpRequestOptions | undefined,
): Promise<readonly Skill[]> {
  const found: Skill[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { skills, nextCursor } = await transport.request(
      "skills/list",
      cursor === undefined ? {} : { cursor },
      options,
    );
    if (!Array.isArray(skills)) throw invalid("a list without skills");
    found.push(...skills.map(toSkill));
    if (nextCursor === undefined) return found;
    cursor = nextCursor;
  }
  throw invalid(`more than ${MAX_PAGES} pages of skills`);
}

function listedFile({ resources }: Skill, uri: string): SkillResource {
  if (resources === "dynamic") throw refusal(uri, "its skill is made as it is read, so that it cannot be verified");
  const listed = resources.find((resource) => resource.uri === uri);
  if (listed === undefined) throw refusal(uri, "its skill does not list it");
  return listed;
}

async function verify(
  skill: Skill,
  { uri, size, digest }: SkillResource,
  contents: readonly McpResourceContents[],
): Promise<SkillFile> {
  const [content, ...others] = contents;
  const bytes = content === undefined || others.length > 0 ? undefined : bytesOf(content);
  if (bytes === undefined) throw refusal(uri, "the server did not send one file");
  if (bytes.length !== size) throw refusal(uri, `it has ${bytes.length} bytes, and ${size} are listed`);
  if (await fileDigest(bytes) !== digest) throw refusal(uri, "it does not have the digest that is listed");
  const text = decodeText(bytes);
  if (uri === skill.uri) await compareFrontmatter(skill, text ?? "");
  return { uri, mimeType: content?.mimeType, bytes, text };
}

async function compareFrontmatter({ uri, frontmatter }: Skill, text: string): Promise<void> {
  let own: unknown;
  try {
    own = await readFrontmatter(text);
  } catch (error) {
    throw refusal(uri, (error as Error).message);
  }
  if (canonicalJson(own) !== canonicalJson(frontmatter)) throw refusal(uri, "its frontmatter is not that of the list");
}

function bytesOf({ text, blob }: McpResourceContents): Uint8Array | undefined {
  if (typeof text === "string") return new TextEncoder().encode(text);
  if (typeof blob !== "string") return undefined;
  try {
    return Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Checks what a server sent as a skill. */
function toSkill(value: unknown): Skill {
  if (!isJsonObject(value)) throw invalid("a skill that is no object");
  const { uri, frontmatter, resources } = value;
  const fields = isJsonObject(frontmatter) ? frontmatter : {};
  if (typeof uri !== "string" || typeof fields["name"] !== "string" || typeof fields["description"] !== "string") {
    throw invalid("a skill without uri, name or description");
  }
  const folder = uri.slice(0, uri.lastIndexOf("/") + 1);
  if (resources !== "dynamic" && !(Array.isArray(resources) && resources.every((file) => isFileIn(file, folder)))) {
    throw invalid(`files of ${uri} that have no valid uri, digest and size`);
  }
  return value as unknown as Skill;
}

function isFileIn(file: unknown, folder: string): boolean {
  if (!isJsonObject(file)) return false;
  const { uri, digest, size } = file;
  return typeof uri === "string" && uri.startsWith(folder) && Number.isSafeInteger(size) &&
    typeof digest === "string" &&
    /^sha256:[0-9a-f]{64}$/.test(digest);
}

function invalid(what: string): ToolError {
  return new ToolError("internal", `The server sent ${what}`);
}

function refusal(uri: string, reason: string): ToolError {
  const message = `${uri} is refused: ${reason}. List the skills again, and have the user approve the change`;
  return new ToolError("permission_denied", message, { details: { uri } });
}
