/**
 * The reference: a page for each entry of the package, from its doc comments as `deno doc` reads them. Signatures are the text of the
 * sources, without bodies.
 *
 * @module
 */
import { parse } from "@babel/parser";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** @typedef {{ file: string, title: string, description: string, markdown: string }} ReferencePage */

/** Pages of all entries of `deno.json`. @returns {readonly ReferencePage[]} */
export function renderReference(root) {
  const entries = Object.entries(
    JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).exports,
  );
  const files = entries.map(([, source]) => source);
  const deno = join(root, "node_modules/.bin/deno");
  const output = execFileSync(deno, ["doc", "--json", "--quiet", ...files], {
    cwd: root,
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  const { nodes } = JSON.parse(output);
  const readSource = createReader();
  return entries.map(([entry, source]) => {
    const node = nodes[pathToFileURL(join(root, source)).href];
    return renderEntry(`toolwire${entry.slice(1)}`, node, readSource);
  });
}

const KINDS = [
  ["function", "Functions"],
  ["variable", "Values"],
  ["class", "Classes"],
  ["interface", "Interfaces"],
  ["typeAlias", "Types"],
  ["namespace", "Namespaces"],
];

function renderEntry(name, { module_doc: about, symbols }, readSource) {
  const rows = symbols.flatMap(({ name, declarations }) =>
    declarations.slice(0, 1).map((first) => ({ name, first, declarations }))
  )
    .filter(({ first }) => !hasTag(first, "internal"));
  const isForeign = ({ first }) => first.location?.filename.includes("/node_modules/") ?? false;
  const foreign = rows.filter(isForeign).map(({ name }) => `\`${name}\``);
  const sections = KINDS.flatMap(([kind, title]) => {
    const found = rows.filter((row) => row.first.kind === kind && !isForeign(row));
    return found.length === 0 ? [] : [`## ${title}`, ...found.map((row) => renderSymbol(row, readSource))];
  });
  const description = sentenceOf(about?.doc) ?? `What ${name} exports.`;
  const markdown = [
    `# ${name}`,
    '```ts signature\nimport { … } from "' + name + '";\n```',
    text(about?.doc),
    ...examples(about),
    ...sections,
    ...(foreign.length > 0 ? ["## Of other packages", `Exported as they are: ${foreign.join(", ")}.`] : []),
  ];
  return {
    file: `${slugOf(name)}.md`,
    title: name,
    description,
    markdown: `${markdown.filter(Boolean).join("\n\n")}\n`,
  };
}

/** The file name of an entry. */
function slugOf(name) {
  return name === "toolwire" ? "toolwire" : name.replace("toolwire/", "").replaceAll("/", "-");
}

function renderSymbol({ name, first, declarations }, readSource) {
  const signatures = declarations.filter(({ location }) => location !== undefined).map(({ location }) =>
    readSource(location, name)
  );
  return [
    `### ${name.replaceAll("~", "\\~")}`,
    "```ts signature\n" + [...new Set(signatures)].filter(Boolean).join("\n\n") + "\n```",
    text(first.jsDoc?.doc),
    ...table(first, "param", "parameter"),
    ...listOf(first, "throws", "Throws"),
    ...listOf(first, "returns", "Returns"),
    ...listOf(first, "deprecated", "Deprecated"),
    ...examples(first.jsDoc),
  ].filter(Boolean).join("\n\n");
}

const tagsOf = (node, kind) => (node.jsDoc?.tags ?? node.tags ?? []).filter((tag) => tag.kind === kind);
const hasTag = (node, name) =>
  (node.jsDoc?.tags ?? []).some(({ kind, value }) => kind === name || value === `@${name}`);

function table(node, kind, heading) {
  const rows = tagsOf(node, kind).filter(({ doc }) => doc).map((
    { name, doc },
  ) => `| \`${name}\` | ${cell(doc)} |`);
  return rows.length === 0 ? [] : [`| ${heading} | |\n|---|---|\n${rows.join("\n")}`];
}

function listOf(node, kind, title) {
  return tagsOf(node, kind).map((tag) => {
    const type = tag.tsType?.repr ? ` \`${tag.tsType.repr}\`` : "";
    return `**${title}**${type}${tag.doc ? `: ${text(tag.doc)}` : ""}`;
  });
}

function examples(node) {
  return (node?.tags ?? []).filter(({ kind }) => kind === "example").map(
    ({ doc }) => {
      const [, title = "", rest = doc] = /^\n*([^\n`]*)\n([^]*)$/.exec(doc) ??
        [];
      return `**Example**${title ? `: ${text(title)}` : ""}\n\n${text(rest)}`;
    },
  );
}

/** A doc comment as Markdown: links as code, imports from npm, and no HTML outside of code. */
function text(doc) {
  if (!doc) return "";
  const linked = doc.replaceAll(
    /\{@link(?:code)?\s+([^}|\s]+)(?:[\s|]+([^}]+))?\}/g,
    (_, to, label) => label ?? `\`${to}\``,
  )
    .replaceAll("jsr:@toolwire/toolwire", "toolwire").trim();
  return linked.split(/(^ *`{3,}[^]*?^ *`{3,} *$|`[^`\n]+`)/m).map((part, at) => at % 2 === 0 ? escape(part) : part)
    .join("");
}

const escape = (part) => part.replaceAll("<", "&lt;").replaceAll("{{", "{\u200b{");
const cell = (doc) => text(doc).replaceAll("|", "\\|").replaceAll("\n", " ");

/** The first sentence of a doc comment, of at most 160 characters. */
function sentenceOf(doc) {
  if (!doc) return undefined;
  const line = doc.split("\n\n")[0].replaceAll(/\{@link\s+([^}]+)\}/g, "$1").replaceAll("`", "").replaceAll(/\s+/g, " ")
    .trim();
  const sentence = line.match(/^.*?\.(?= |$)/)?.[0] ?? line.replace(/:$/, ".");
  return sentence.length > 160 ? `${sentence.slice(0, 157)}…` : sentence;
}

/** Reads the text of a declaration, without bodies of functions. */
function createReader() {
  const parsed = new Map();
  return ({ filename, line }, name) => {
    if (!filename.startsWith("file:")) return "";
    const file = fileURLToPath(filename);
    if (!parsed.has(file)) {
      parsed.set(file, declarationsOf(readFileSync(file, "utf8")));
    }
    const found = parsed.get(file).filter((declaration) => declaration.name === name || declaration.line === line);
    return found.find((declaration) => declaration.line === line)?.text ??
      found[0]?.text ?? "";
  };
}

function declarationsOf(source) {
  const { program } = parse(source, {
    sourceType: "module",
    plugins: ["typescript", "explicitResourceManagement"],
  });
  return program.body.flatMap((statement) => {
    const node = statement.declaration ?? statement;
    const names = node.declarations?.map(({ id }) => id.name) ??
      [node.id?.name];
    return names.filter(Boolean).map((name) => ({
      name,
      line: statement.loc.start.line,
      text: signatureOf(node, source),
    }));
  });
}

/** The text of a declaration without bodies and initial values. */
function signatureOf(node, source) {
  const cut = [];
  const visit = (part) => {
    if (part.type === "FunctionDeclaration" && part.body) {
      cut.push([part.body.start, part.body.end, ";"]);
    } else if (
      part.type === "VariableDeclarator" && part.init && part.id.typeAnnotation
    ) {
      cut.push([part.id.end, part.init.end, ""]);
    } else if (part.type === "ClassBody") {
      part.body.forEach((member) => cutMember(member, cut));
    } else if (part.type === "VariableDeclaration") {
      part.declarations.forEach(visit);
    } else if (part.type === "ClassDeclaration") visit(part.body);
  };
  visit(node);
  let text = source.slice(node.start, node.end);
  for (const [start, end, instead] of cut.toReversed()) {
    text = text.slice(0, start - node.start).trimEnd() + instead +
      text.slice(end - node.start);
  }
  return text.replaceAll(/\n\s*\n+/g, "\n").replaceAll(
    /^ *\/\/ deno-lint.*\n/gm,
    "",
  );
}

function cutMember(member, cut) {
  const isHidden = member.key?.type === "PrivateName" ||
    member.accessibility === "private" ||
    member.type === "StaticBlock";
  const start = member.leadingComments?.[0]?.start ?? member.start;
  if (isHidden) cut.push([start, member.end, ""]);
  else if (member.body) cut.push([member.body.start, member.body.end, ";"]);
  else if (member.value) {
    cut.push([
      member.typeAnnotation?.end ?? member.key.end,
      member.value.end,
      "",
    ]);
  }
}
