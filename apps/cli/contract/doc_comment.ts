/** Comments of types, from the titles, descriptions and limits of their schemas. */
import { asObject } from "../../../src/internal/json.ts";
import { cutText, escapeControls } from "../../../src/internal/text.ts";

/** Keywords that types do not express, with their labels. */
const NOTES: readonly (readonly [keyword: string, label: string])[] = [
  ["default", "Default"],
  ["format", "Format"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "More than"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "Less than"],
  ["multipleOf", "Multiple of"],
  ["minLength", "Minimum length"],
  ["maxLength", "Maximum length"],
  ["pattern", "Pattern"],
  ["minItems", "Minimum number of items"],
  ["maxItems", "Maximum number of items"],
  ["minProperties", "Minimum number of members"],
  ["maxProperties", "Maximum number of members"],
];

/** Maximum length of the JSON of one note. */
const MAX_NOTE = 200;

/** Returns the paragraphs of a comment on a schema: title, description, and one of default, format and limits. They are not escaped. */
export function describeSchema(schema: unknown): string[] {
  const members = asObject(schema);
  const { title, description, type, uniqueItems } = members;
  const lines = [title, description].filter((text) => typeof text === "string" && text.trim() !== "");
  const notes = NOTES.flatMap(([keyword, label]) => noteOf(label, members[keyword]));
  if (type === "integer") notes.unshift("An integer.");
  if (uniqueItems === true) notes.push("Items are unique.");
  return [...new Set(lines as string[]), ...(notes.length > 0 ? [notes.join(" ")] : [])];
}

function noteOf(label: string, value: unknown): string[] {
  if (value === undefined) return [];
  const text = JSON.stringify(value);
  return [`${label}: ${text.length > MAX_NOTE ? `${cutText(text, MAX_NOTE)}…` : text}.`];
}

/**
 * Returns a doc comment for a declaration, with its last line break. Texts of servers cannot end the comment, and have no tags or directives for
 * compilers. Empty without texts.
 */
export function docComment(texts: readonly string[], indent: string): string {
  const paragraphs = texts.map((text) => toInert(text).trim().split("\n").map((line) => line.trimEnd()));
  const lines = paragraphs.flatMap((paragraph, index) => (index === 0 ? paragraph : ["", ...paragraph]));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function toInert(text: string): string {
  return escapeControls(text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "  ").toWellFormed())
    .replaceAll("*/", "*\\/")
    .replaceAll("@", "\\@");
}
