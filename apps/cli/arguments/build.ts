/** Builds the arguments of a call from words, by the schema of the tool. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type Members } from "../../../src/internal/json.ts";
import { closestMatch } from "../../../src/internal/closest_match.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { APPENDED_ITEM, type Assignment, formatArgumentPath, parseAssignment, type PathStep } from "./assignments.ts";
import { convertText, parseExactJson } from "./convert.ts";
import { isClosed, memberNames, schemaAt, type SchemaNode } from "./schema_at.ts";

/** Folder of the files that words name, and the receiver of warnings. */
export interface ArgumentSource {
  /** Folder of the files of `@file`. */
  readonly cwd: string;
  /** Receives warnings, such as an unknown name that the schema does not refuse. */
  warn(message: string): void;
}

/** Arguments under construction. */
type Draft = Record<string, unknown> | unknown[];

/**
 * Returns the arguments of a call. Text is converted by the schema; the server validates the result.
 *
 * @param words Words after the tool's name: assignments, or a JSON object.
 * @param whole The object of `--args`, which the words override.
 * @param schema Input schema of the tool.
 * @throws {CliError} If a word is invalid, a name is unknown and the schema refuses it, a name is given twice, or a file cannot be read.
 */
export function buildArguments(
  words: readonly string[],
  whole: Members | undefined,
  schema: Members,
  source: ArgumentSource,
): Members {
  const draft: Record<string, unknown> = structuredClone({ ...whole });
  const assigned = new Set<string>();
  for (const word of words) {
    if (word.trimStart().startsWith("{")) Object.assign(draft, parseObject(word, "The argument"));
    else assign(draft, parseAssignment(word), schema, source, assigned);
  }
  return draft;
}

/**
 * Parses a JSON object. Throws a `CliError` if the text is not one, or has a number that JSON cannot carry exactly.
 *
 * @param where What it is, for the error: `--args`.
 */
export function parseObject(text: string, where: string): Members {
  const value = parseExactJson(text, where);
  if (isJsonObject(value)) return value;
  throw new CliError(EXIT.usage, `${where} is not a JSON object`, { hint: `Write it like '{"name": "value"}'` });
}

function assign(
  draft: Record<string, unknown>,
  assignment: Assignment,
  root: Members,
  source: ArgumentSource,
  assigned: Set<string>,
): void {
  // A member may have dots in its name.
  const isWholeName = memberNames(root, root).includes(assignment.name);
  const path = isWholeName ? [assignment.name] : assignment.path;
  assertOnce(path, assigned);
  let at: Draft = draft;
  let schema: SchemaNode | undefined = root;
  path.forEach((step, depth) => {
    const key = keyOf(step, at, assignment);
    const parent = schema;
    schema = parent === undefined ? undefined : schemaAt(parent, key, root);
    if (parent !== undefined && schema === undefined) reportUnknown(parent, path.slice(0, depth + 1), root, source);
    if (depth === path.length - 1) setMember(at, key, valueOf(assignment, schema, root, source));
    else at = childOf(at, key, path[depth + 1]);
  });
}

/** A name that is assigned twice would lose a value. */
function assertOnce(path: readonly PathStep[], assigned: Set<string>): void {
  if (path.includes(APPENDED_ITEM)) return;
  const name = formatArgumentPath(path);
  if (assigned.has(name)) {
    throw new CliError(EXIT.usage, `The argument ${name} is given twice`, {
      hint: `To make a list, write ${name}[]=… for each item`,
    });
  }
  assigned.add(name);
}

function keyOf(step: PathStep, at: Draft, { word }: Assignment): string | number {
  const isList = Array.isArray(at);
  if (step === APPENDED_ITEM && isList) return at.length;
  if (typeof step === "number" && isList && step <= at.length) return step;
  if (typeof step === "string" && !isList) return step;
  const problem = isList
    ? `an index is at most ${at.length}, or [] for the next item`
    : "the value before it is not a list";
  throw new CliError(EXIT.usage, `The argument ${JSON.stringify(word)} has no place: ${problem}`);
}

function childOf(at: Draft, key: string | number, next: PathStep | undefined): Draft {
  const child = memberOf(at, key);
  if (Array.isArray(child) || isJsonObject(child)) return child as Draft;
  const created: Draft = typeof next === "string" ? {} : [];
  setMember(at, key, created);
  return created;
}

function memberOf(at: Draft, key: string | number): unknown {
  return Object.hasOwn(at, key) ? (at as Record<string | number, unknown>)[key] : undefined;
}

/** Sets an own member, also one called `__proto__`. */
function setMember(at: Draft, key: string | number, value: unknown): void {
  Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
}

function valueOf(
  { isJson, value, name }: Assignment,
  schema: SchemaNode | undefined,
  root: Members,
  { cwd }: ArgumentSource,
): unknown {
  const text = "file" in value ? readText(value.file, cwd, name) : value.text;
  if (isJson) return parseExactJson(text, `The value of ${name}`);
  // The text of a file is not a number.
  return "file" in value ? text : convertText(text, schema, root);
}

function readText(file: string, cwd: string, name: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (cause) {
    throw new CliError(EXIT.usage, `Cannot read the file ${resolve(cwd, file)} of the argument ${name}`, {
      hint: `For text that begins with @, write ${name}=@@…`,
      cause,
    });
  }
}

/** Refuses an unknown name if the schema does; otherwise warns, if the schema has names at all. */
function reportUnknown(
  parent: SchemaNode,
  path: readonly PathStep[],
  root: Members,
  source: ArgumentSource,
): void {
  const last = path.at(-1);
  const known = memberNames(parent, root);
  if (typeof last !== "string" || (known.length === 0 && !isClosed(parent, root))) return;
  const similar = closestMatch(last, known);
  const suggestion = similar === undefined ? undefined : `Did you mean ${similar}?`;
  const message = `There is no argument ${formatArgumentPath(path)}`;
  if (isClosed(parent, root)) {
    const hint = suggestion ?? (known.length === 0 ? "The tool takes no arguments" : `There are: ${known.join(", ")}`);
    throw new CliError(EXIT.usage, message, { hint });
  }
  source.warn(`${message} in the tool's schema. It is sent all the same. ${suggestion ?? ""}`.trimEnd());
}
