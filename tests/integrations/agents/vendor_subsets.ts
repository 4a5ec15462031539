/**
 * Checks a schema against the subset of JSON Schema that a vendor documents. Written from the vendors' pages and the reference's table,
 * without the code that reduces schemas: keywords are listed here again.
 */

type Schema = Readonly<Record<string, unknown>>;

/** What a vendor takes. */
interface Subset {
  readonly keywords: readonly string[];
  readonly isClosed: boolean;
  readonly isAllRequired: boolean;
  readonly formats: readonly string[] | undefined;
  readonly isRecursive: boolean;
  readonly levels: number;
}

const COMMON = ["type", "enum", "anyOf", "$ref", "$defs", "properties", "required", "additionalProperties", "items"];
const TEXT_FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const BOUNDS = ["minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format"];

/** Subsets, by vendor. */
export const SUBSETS = {
  openai: {
    keywords: [...COMMON, ...BOUNDS, "const", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "description"],
    isClosed: true,
    isAllRequired: true,
    formats: TEXT_FORMATS,
    isRecursive: true,
    levels: 10,
  },
  anthropic: {
    keywords: [...COMMON, "const", "format", "minItems", "description", "title", "default"],
    isClosed: true,
    isAllRequired: false,
    formats: [...TEXT_FORMATS, "uri"],
    isRecursive: false,
    levels: Infinity,
  },
  gemini: {
    keywords: [...COMMON, ...BOUNDS, "prefixItems", "description", "title", "default", "examples"],
    isClosed: false,
    isAllRequired: false,
    formats: ["date-time", "date", "time"],
    isRecursive: true,
    levels: Infinity,
  },
} as const satisfies Readonly<Record<string, Subset>>;

/** Lists what a vendor would refuse or ignore in a schema; empty if all of it is taken. */
export function violations(root: Schema, subset: Subset): readonly string[] {
  const found: string[] = [];
  const say = (at: string, what: string) => void found.push(`${at}: ${what}`);
  if (root["type"] !== "object") say("", "the root is not an object");
  for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum"]) {
    if (keyword in root) say("", `${keyword} at the root`);
  }
  checkNode(root, "", 0, { root, subset, say, open: [] });
  return found;
}

interface Walk {
  readonly root: Schema;
  readonly subset: Subset;
  readonly say: (at: string, what: string) => void;
  readonly open: readonly string[];
}

function checkNode(schema: unknown, at: string, level: number, walk: Walk): void {
  const { subset, say } = walk;
  if (typeof schema !== "object" || schema === null) {
    if (subset.isClosed || schema !== true) say(at, "it is not an object");
    return;
  }
  const node = schema as Schema;
  if (level > subset.levels) say(at, "too deep");
  for (const keyword of Object.keys(node)) if (!subset.keywords.includes(keyword)) say(at, `${keyword} is not taken`);
  if (node["format"] !== undefined && !subset.formats?.includes(String(node["format"]))) say(at, "unknown format");
  if (subset === SUBSETS.anthropic && Number(node["minItems"] ?? 0) > 1) say(at, "minItems above 1");
  if (subset.isClosed && /\(\?<?[=!]/.test(String(node["pattern"] ?? ""))) say(at, "look-around");
  if (subset.isClosed && !["type", "enum", "const", "anyOf", "$ref"].some((keyword) => keyword in node)) {
    say(at, "any value");
  }
  if (node["$ref"] !== undefined) return checkReference(node, at, walk);
  checkObject(node, at, level, walk);
  const items = node["items"];
  if (subset.isAllRequired && [node["type"]].flat().includes("array") && items === undefined) say(at, "no items");
  if (items !== undefined) checkNode(items, `${at}/items`, level + 1, walk);
  for (const keyword of ["anyOf", "prefixItems"]) {
    for (const [index, part] of ((node[keyword] ?? []) as unknown[]).entries()) {
      checkNode(part, `${at}/${keyword}/${index}`, level, walk);
    }
  }
}

function checkReference(node: Schema, at: string, walk: Walk): void {
  const { root, subset, say, open } = walk;
  const reference = String(node["$ref"]);
  if (Object.keys(node).length > 1) say(at, "keywords beside a reference");
  const name = /^#\/\$defs\/([\w.-]+)$/.exec(reference)?.[1] ?? "";
  const target = ((root["$defs"] ?? {}) as Schema)[name];
  if (target === undefined) say(at, `no definition ${reference}`);
  else if (open.includes(name)) {
    if (!subset.isRecursive) say(at, "recursion");
  } else checkNode(target, `/$defs/${name}`, 0, { ...walk, open: [...open, name] });
}

function checkObject(node: Schema, at: string, level: number, walk: Walk): void {
  const { subset, say } = walk;
  const { properties, required = [], additionalProperties } = node;
  const isObject = [node["type"]].flat().includes("object");
  if (subset.isClosed && isObject && additionalProperties !== false) say(at, "an open object");
  const names = Object.keys((properties ?? {}) as Schema);
  if (subset.isAllRequired && isObject && !names.every((name) => (required as unknown[]).includes(name))) {
    say(at, "optional");
  }
  if (subset.isClosed && !(required as string[]).every((name) => names.includes(name))) {
    say(at, "required and not described");
  }
  for (const name of names) checkNode((properties as Schema)[name], `${at}/properties/${name}`, level + 1, walk);
  if (typeof additionalProperties === "object") {
    checkNode(additionalProperties, `${at}/additionalProperties`, level + 1, walk);
  }
}
