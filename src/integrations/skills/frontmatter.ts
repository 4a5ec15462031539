/**
 * The head of a SKILL.md, between two lines `---`.
 *
 * Source: SEP-2640 and the Agent Skills specification, sections "Frontmatter".
 */
import { isJsonObject } from "../../internal/json.ts";

/** Fields of a skill as its author wrote them: `name`, `description`, and any others. */
export interface SkillFrontmatter {
  /** Name: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** What the skill does, and when a model needs it. */
  readonly description: string;
  /** Other fields, such as `license`, `compatibility`, `metadata` and `allowed-tools`. */
  readonly [field: string]: unknown;
}

const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const NAME = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const RESERVED = "io.modelcontextprotocol/";

/**
 * Reads the frontmatter of a SKILL.md.
 *
 * @throws {TypeError} If it is missing or not valid.
 */
export async function readFrontmatter(text: string): Promise<SkillFrontmatter> {
  const yaml = HEAD.exec(text)?.[1];
  if (yaml === undefined) throw new TypeError("it does not begin with frontmatter between two lines ---");
  // Loaded here, so that programs without skills do not bundle it.
  const { parse } = await import("yaml");
  let fields: unknown;
  try {
    fields = parse(yaml, { schema: "core" });
  } catch (cause) {
    throw new TypeError(`its frontmatter is not YAML: ${(cause as Error).message}`, { cause });
  }
  if (!isJsonObject(fields)) throw new TypeError("its frontmatter has no fields");
  const problem = problemOf(fields);
  if (problem !== undefined) throw new TypeError(problem);
  return fields as SkillFrontmatter;
}

function problemOf(
  { name, description, compatibility, metadata }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (typeof name !== "string" || !NAME.test(name)) {
    return "its field name has to be 1 to 64 lower-case letters and digits, with single hyphens between them";
  }
  if (!isText(description, 1_024)) return "its field description has to be 1 to 1,024 characters";
  if (compatibility !== undefined && !isText(compatibility, 500)) {
    return "its field compatibility has to be 1 to 500 characters";
  }
  if (metadata === undefined) return undefined;
  const entries = isJsonObject(metadata) ? Object.entries(metadata) : [];
  if (!isJsonObject(metadata) || entries.some(([, value]) => typeof value !== "string")) {
    return "its field metadata has to have texts only; write numbers and dates in quotes";
  }
  const reserved = entries.find(([key]) => key.startsWith(RESERVED));
  return reserved && `its field metadata has the key ${reserved[0]}, which is reserved for the protocol`;
}

function isText(value: unknown, most: number): boolean {
  return typeof value === "string" && value.length >= 1 && value.length <= most;
}
