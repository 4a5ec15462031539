/**
 * All error messages and log lines of the sources, to be read from top to bottom: `node scripts/messages.mjs` writes
 * `tests/docs/messages.txt`. A computed part of a text is `{…}` with its code.
 *
 * @module
 */
import { parse } from "@babel/parser";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);

/** The checked-in list. */
export const MESSAGES = new URL("tests/docs/messages.txt", ROOT);

/** Functions whose text argument reaches a user, by their names: those that make errors, and those of loggers. */
const ERRORS = /^(?:\w*Error|refused?|errorResult|invalid\w*|problem\w*)$/;
const LEVELS = new Set(["error", "warn", "info", "debug"]);

/** The text of the list: for each file its messages, in the order of the file. */
export function listMessages() {
  const files = ["src", "apps/cli"].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true }).map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
  ).filter((file) => file.endsWith(".ts") && !file.includes("/gen/") && file !== "src/console/page.ts").sort();
  const sections = files.map((file) => [file, messagesOf(readFileSync(new URL(file, ROOT), "utf8"))])
    .filter(([, messages]) => messages.length > 0);
  return sections.map(([file, messages]) => `${file}\n${messages.map((text) => `  ${text}`).join("\n")}\n`).join("\n");
}

/** The messages of a source: the sentences among the arguments of calls that make errors, or log, and those in constants. */
export function messagesOf(text) {
  const found = new Set();
  visit(parse(text, { sourceType: "module", plugins: ["typescript", "decoratorAutoAccessors"] }).program, (node) => {
    if (node.type === "VariableDeclarator" && /^[A-Z_]+$/.test(node.id.name) && node.init !== null) {
      const constant = textOf(node.init, text);
      if (/^[A-Z][a-z]+ [^<>]+ /.test(constant ?? "")) found.add(constant.replaceAll("\n", "\\n"));
    }
    if (!/^(?:New|Call|OptionalCall)Expression$/.test(node.type) || !reports(node.callee)) return;
    for (const argument of node.arguments) {
      const message = textOf(argument, text);
      if (message !== undefined && /[a-z] /.test(message)) found.add(message.replaceAll("\n", "\\n"));
    }
  });
  return [...found];
}

function reports({ type, name, property, object }) {
  if (type === "Identifier") return ERRORS.test(name);
  if (!type.endsWith("MemberExpression")) return false;
  const owner = object.name ?? object.property?.name ?? object.property?.id?.name ?? "";
  return property.name === "fail" || LEVELS.has(property.name) && /(?:logger|log)$/i.test(owner);
}

/** The text of a literal, of a template, of texts that are joined; the first of two texts that a condition chooses from, and the other. */
function textOf(node, source) {
  if (node.type === "StringLiteral") return node.value;
  if (node.type === "TemplateLiteral") {
    return node.quasis.map(({ value }, index) => {
      const expression = node.expressions[index];
      return value.cooked + (expression === undefined ? "" : `{${source.slice(expression.start, expression.end)}}`);
    }).join("");
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [textOf(node.left, source), textOf(node.right, source)];
    return left === undefined && right === undefined ? undefined : `${left ?? "{…}"}${right ?? "{…}"}`;
  }
  if (node.type === "ConditionalExpression") {
    const texts = [textOf(node.consequent, source), textOf(node.alternate, source)].filter((text) =>
      text !== undefined
    );
    return texts.length === 0 ? undefined : texts.join(" | ");
  }
  return undefined;
}

function visit(node, see) {
  see(node);
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || key.endsWith("omments")) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === "string") visit(child, see);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(MESSAGES, listMessages());
