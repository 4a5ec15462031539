/** Changes one table of a TOML text, line by line: comments, order and all other tables stay. */
import { parse, TomlError } from "smol-toml";
import { ConfigError } from "./edit_jsonc.ts";
import { canonical, isRecord } from "./entries.ts";
import type { HostEntry } from "./host.ts";

/** Parses TOML, with or without a byte order mark. @throws {ConfigError} If it is not TOML. */
export function parseToml(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(withoutMark(text));
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [what = ""] = thrown.message.split("\n");
    throw new ConfigError(
      `line ${thrown.line}, column ${thrown.column}: ${what.replace(/^Invalid TOML document: /, "")}`,
    );
  }
}

/**
 * Returns the text with members of the table `[<table>.<name>]` set; `undefined` removes one. A missing table is appended.
 *
 * @throws {ConfigError} If the text is not TOML, or the table is written in a form that cannot be changed line by line.
 */
export function setTable(text: string, [table, name]: readonly [string, string], members: HostEntry): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const own = new Set([`[${table}.${name}]`, `[${table}."${name}"]`]);
  const start = lines.findIndex((line) => own.has(headerOf(line)));
  const changed = start === -1 ? append(lines, `[${table}.${name}]`, members) : replace(lines, start, name, members);
  if (changed === undefined) throw unchangeable(table, name);
  const result = changed.join(eol);
  checkResult(text, result, [table, name], members);
  return result;
}

/** TOML has no byte order mark, but editors write it. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

/** `[ a . "b" ] # comment`: `[a."b"]`. */
function headerOf(line: string): string {
  const header = /^\s*\[([^\][]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
  return header === undefined ? "" : `[${header.replaceAll("'", '"').split(".").map((key) => key.trim()).join(".")}]`;
}

function append(lines: readonly string[], header: string, members: HostEntry): string[] {
  const kept = [...lines];
  while (kept.at(-1)?.trim() === "") kept.pop();
  return [...kept, ...kept.length > 0 ? [""] : [], header, ...linesOf(members), ""];
}

function linesOf(members: HostEntry): string[] {
  return Object.entries(members).filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${keyOf(key)} = ${valueOf(value)}`);
}

/** Replaces the statements of the members where they are, and adds new ones after the last statement. */
function replace(
  lines: readonly string[],
  start: number,
  name: string,
  members: HostEntry,
): readonly string[] | undefined {
  const before = lines.slice(0, start + 1);
  const body = statementsOf(lines.slice(start + 1));
  if (body === undefined) return undefined;
  const left = new Map(Object.entries(members));
  const kept = body.statements.flatMap(({ key, text }) => {
    if (key === undefined || !left.has(key)) return text;
    const value = left.get(key);
    left.delete(key);
    return linesOf({ [key]: value });
  });
  while (kept.at(-1)?.trim() === "") kept.pop();
  const rest = withoutSubtables(body.rest, name, members);
  return [...before, ...kept, ...linesOf(Object.fromEntries(left)), ...rest.length > 0 ? ["", ...rest] : [""]];
}

/** A key with its value, a comment, or an empty line. */
interface Statement {
  /** `undefined` for comments and empty lines. */
  readonly key: string | undefined;
  readonly text: readonly string[];
}

/** Statements of a table, and the lines of the tables that follow it. */
interface TableBody {
  readonly statements: readonly Statement[];
  readonly rest: readonly string[];
}

/** Splits the lines of a table. A value may have several lines: a statement ends where it parses. `undefined` if none does. */
function statementsOf(lines: readonly string[]): TableBody | undefined {
  const statements: Statement[] = [];
  let at = 0;
  while (at < lines.length && !/^\s*\[/.test(lines[at] ?? "")) {
    const length = statementLength(lines.slice(at));
    if (length === undefined) return undefined;
    const text = lines.slice(at, at + length);
    const [key] = Object.keys(parseToml(text.join("\n")));
    statements.push({ key, text });
    at += length;
  }
  return { statements, rest: trimStart(lines.slice(at)) };
}

function statementLength(lines: readonly string[]): number | undefined {
  for (let length = 1; length <= lines.length; length++) {
    try {
      parse(lines.slice(0, length).join("\n"));
      return length;
    } catch {
      // The value continues on the next line.
    }
  }
  return undefined;
}

function trimStart(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first);
}

/** Removes `[<table>.<name>.<member>]` of the members that are set: they are written as inline tables. */
function withoutSubtables(lines: readonly string[], name: string, members: HostEntry): readonly string[] {
  let isRemoved = false;
  return lines.filter((line) => {
    if (/^\s*\[/.test(line)) {
      const keys = headerOf(line).slice(1, -1).split(".").map((key) => key.replaceAll('"', ""));
      isRemoved = keys.length === 3 && keys[1] === name && Object.hasOwn(members, keys[2] ?? "");
    }
    return !isRemoved;
  });
}

function keyOf(key: string): string {
  return /^[\w-]+$/.test(key) ? key : textOf(key);
}

function textOf(text: string): string {
  return JSON.stringify(text).replaceAll("\x7F", "\\u007f");
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueOf).join(", ")}]`;
  if (isRecord(value)) return `{ ${linesOf(value).join(", ")} }`;
  return typeof value === "string" ? textOf(value) : String(value);
}

function unchangeable(table: string, name: string): ConfigError {
  return new ConfigError(
    `[${table}.${name}] is written in a form that cannot be changed line by line; change it by hand`,
  );
}

/** The change must be what was asked for, and nothing else: text edits do not know all of TOML. */
function checkResult(
  before: string,
  after: string,
  [table, name]: readonly [string, string],
  members: HostEntry,
): void {
  const failed = unchangeable(table, name);
  const expected = parseToml(before) as Record<string, Record<string, unknown>>;
  const entry = { ...((expected[table] ??= {})[name] as HostEntry | undefined), ...members };
  expected[table][name] = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  let result: unknown;
  try {
    result = parse(withoutMark(after));
  } catch {
    throw failed;
  }
  if (canonical(result) !== canonical(expected)) throw failed;
}
