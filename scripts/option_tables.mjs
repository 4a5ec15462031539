// Tables of options in the pages of docs/, made from the declarations: below a line `<!-- options src/file.ts Interface … -->` is the table of
// these interfaces. `node scripts/option_tables.mjs` lists the pages whose tables differ, `--write` writes them.
import { parse } from "@babel/parser";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DIRECTIVE = /^(<!-- options (\S+) ([\w ]+) -->\n\n)((?:\|.*\n)*)/gm;

/** Units by the ends of names. */
const UNITS = [[/Ms$/, "ms"], [/Seconds$/, "s"], [/perSecond$/, "per second"], [/Bytes$/, "bytes"], [
  /Chars$/,
  "UTF-16 code units",
]];

/** Texts of all pages with tables, by path from the root. */
export function buildPages(root = ROOT) {
  const files = readdirSync(join(root, "docs"), { recursive: true }).filter((name) => name.endsWith(".md"));
  const pages = files.map((name) => [`docs/${name}`, readFileSync(join(root, "docs", name), "utf8")]);
  return new Map(
    pages.filter(([, text]) => text.search(DIRECTIVE) >= 0).map(([path, text]) => [path, withTables(text, root)]),
  );
}

function withTables(text, root) {
  return text.replaceAll(DIRECTIVE, (_, head, file, names, before) => {
    const source = readFileSync(join(root, file), "utf8");
    return `${head}${renderTable(source, names.split(" "), file)}\n${before === "" ? "\n" : ""}`;
  });
}

/**
 * The table of interfaces of a source: name, type with unit, default and description of each member.
 *
 * @throws {Error} If an interface is missing, or the source sets another default than the one that it documents.
 */
export function renderTable(source, names, file) {
  const { program } = parse(source, { sourceType: "module", plugins: ["typescript"] });
  const defaults = findDefaults(program, source);
  const rows = names.flatMap((name) => {
    const found = program.body.map(({ declaration }) => declaration)
      .find((one) => one?.type === "TSInterfaceDeclaration" && one.id.name === name);
    if (found === undefined) throw new Error(`${file} exports no interface ${name}`);
    return found.body.body.map((member) => renderRow(member, source, defaults, file));
  });
  return ["| option | type | default | what it is |", "|---|---|---|---|", ...rows].join("\n");
}

function renderRow(member, source, defaults, file) {
  const name = member.key.name;
  const comment = member.leadingComments?.at(-1)?.value.replaceAll(/^\s*\*+ ?/gm, "").replaceAll(/\s+/g, " ").trim() ??
    "";
  const [, text = "", documented] = /^(.*?)(?: Default: (.*))?$/.exec(comment);
  const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1];
  const type = typeOf(member, source);
  const set = defaults.get(name);
  const value = documented?.replace(/\.$/, "") ?? (member.optional ? "none" : "**required**");
  if (set !== undefined && documented !== undefined && /^[\d"'`]/.test(documented) && !isSame(value, set)) {
    throw new Error(`${file}: the default of ${name} is ${set}, and its comment has ${value}`);
  }
  const cells = [
    `\`${name}\``,
    `\`${type}\`${unit === undefined ? "" : `, ${unit}`}`,
    value,
    text.replaceAll(/\{@link ([^}]+)\}/g, "`$1`"),
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The type of a member as it is written, without `undefined`. */
function typeOf({ typeAnnotation, type, start, end }, source) {
  if (type === "TSMethodSignature") return source.slice(start, end).replace(/;$/, "");
  const { typeAnnotation: node } = typeAnnotation;
  const parts = node.type === "TSUnionType" ? node.types.filter((one) => one.type !== "TSUndefinedKeyword") : [node];
  const texts = parts.map((one) => one.type === "TSParenthesizedType" && parts.length === 1 ? one.typeAnnotation : one)
    .map((one) => source.slice(one.start, one.end));
  return texts.join(" | ").replaceAll(/\s+/g, " ").replaceAll("readonly ", "");
}

/** Defaults that destructuring sets, such as `{ queue = 0 }`, by name, and constants that are named there. */
function findDefaults(program, source) {
  const constants = new Map(
    program.body.filter(({ type }) => type === "VariableDeclaration").flatMap(({ declarations }) => declarations)
      .filter(({ init }) => init?.type === "NumericLiteral" || init?.type === "StringLiteral")
      .map(({ id, init }) => [id.name, source.slice(init.start, init.end)]),
  );
  const found = new Map();
  visit(program, (node) => {
    if (node.type !== "ObjectPattern") return;
    for (const { key, value } of node.properties) {
      if (value?.type !== "AssignmentPattern") continue;
      const text = source.slice(value.right.start, value.right.end);
      const known = constants.get(text) ?? text;
      if (/^(?:[\d_]+|".*")$/.test(known)) found.set(key.name, known);
    }
  });
  return found;
}

function visit(node, call) {
  if (typeof node !== "object" || node === null) return;
  if (typeof node.type === "string") call(node);
  for (const value of Object.values(node)) visit(value, call);
}

/** Whether a documented default, such as `1,000`, is the one that the code sets, such as `1_000`. */
function isSame(documented, set) {
  const plain = (text) => text.replaceAll(/[`,_]/g, "");
  return plain(documented).startsWith(plain(set));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of buildPages()) {
    if (readFileSync(join(ROOT, path), "utf8") === text) continue;
    console.log(path);
    if (process.argv.includes("--write")) writeFileSync(join(ROOT, path), text);
    else process.exitCode = 1;
  }
}
