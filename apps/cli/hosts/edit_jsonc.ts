/** Changes one member of a JSON text with comments. All other bytes stay, also line ends, indentation and the byte order mark. */
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** Thrown if a host's configuration file cannot be read, parsed, changed or written. The message has the reason and, if known, the line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const BOM = "\uFEFF";
const PARSE = { allowTrailingComma: true, disallowComments: false };

/** Parses JSON with comments. An empty text is an empty object. @throws {ConfigError} If it is not JSON, or not an object. */
export function parseJsonc(text: string): Readonly<Record<string, unknown>> {
  const root = parseRoot(withoutBom(text));
  return root === undefined ? {} : getNodeValue(root) as Readonly<Record<string, unknown>>;
}

/**
 * Returns the text with the member at a path set. Missing objects on the way are created; all other text stays as it is.
 *
 * @param value `undefined` removes the member.
 * @throws {ConfigError} If the text is not JSON, or a value on the way is not an object.
 */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  return editBare(text, (bare, style) => {
    const root = parseRoot(bare);
    if (root === undefined) return createObject(bare, path, value, style);
    checkParents(root, path);
    checkNames(bare, root, path);
    return applyEdits(bare, editsFor(bare, root, path, value, style));
  });
}

/** Returns the text with items appended to a top-level list, which is created if missing. @throws {ConfigError} If it is not a list. */
export function appendItems(text: string, member: string, items: readonly unknown[]): string {
  const list = parseJsonc(text)[member];
  if (list === undefined) return setMember(text, [member], items);
  if (!Array.isArray(list)) throw new ConfigError(`"${member}" is not a list`);
  return items.reduce<string>((result, item) =>
    editBare(result, (bare, style) => {
      const root = parseRoot(bare);
      const node = root && findNodeAtLocation(root, [member]);
      return node === undefined ? bare : applyEdits(bare, insertLast(bare, node, format(item, style), style));
    }), text);
}

/** Edits the text without its byte order mark. */
function editBare(text: string, edit: (bare: string, style: Style) => string): string {
  const bare = withoutBom(text);
  return (bare === text ? "" : BOM) + edit(bare, styleOf(text));
}

function editsFor(text: string, root: Node, path: readonly string[], value: unknown, style: Style): Edit[] {
  if (value === undefined) return modify(text, [...path], undefined, {});
  let parent = root;
  for (const [at, name] of path.entries()) {
    const node = findNodeAtLocation(root, path.slice(0, at + 1));
    if (node === undefined) {
      const member = `${JSON.stringify(name)}: ${format(nest(path.slice(at + 1), value), style)}`;
      return insertLast(text, parent, member, style);
    }
    parent = node;
  }
  const { offset, length } = parent;
  return [{ offset, length, content: indentLines(format(value, style), indentAt(text, offset), style) }];
}

function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

/** The object of a text; `undefined` if the text has nothing but white space and comments. */
function parseRoot(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseNested(text, errors);
  const [first] = errors.filter(({ error }) => root !== undefined || printParseErrorCode(error) !== "ValueExpected");
  if (first !== undefined) {
    throw new ConfigError(`${placeOf(text, first.offset)}: ${wordsOf(printParseErrorCode(first.error))}`);
  }
  if (root !== undefined && root.type !== "object") {
    throw new ConfigError(`line 1: expected an object, received ${root.type}`);
  }
  return root;
}

/** @throws {ConfigError} If the text is nested deeper than the parser's stack. */
function parseNested(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, PARSE);
  } catch (cause) {
    throw new ConfigError("it is nested too deeply to be read", { cause });
  }
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CloseBraceExpected`: "close brace expected". */
function wordsOf(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

/** White space of the file, which an edit keeps. */
interface Style {
  /** One level of indentation. */
  readonly indent: string;
  readonly eol: string;
}

function styleOf(text: string): Style {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { indent: indent.startsWith("\t") ? "\t" : indent, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function format(value: unknown, { indent, eol }: Style): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", eol);
}

/** White space at the start of the line of a place. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset) + 1))?.[0] ?? "";
}

function indentLines(text: string, indent: string, { eol }: Style): string {
  return text.split(eol).join(eol + indent);
}

/** A file without a value: its comments stay at the top. */
function createObject(text: string, path: readonly string[], value: unknown, style: Style): string {
  const comments = text.trimEnd();
  return `${comments === "" ? "" : comments + style.eol}${format(nest(path, value), style)}${style.eol}`;
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function checkParents(root: Node, path: readonly string[]): void {
  for (let length = 1; length < path.length; length++) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined && node.type !== "object") {
      throw new ConfigError(`"${path.slice(0, length).join(".")}" is not an object but ${node.type}`);
    }
  }
}

/** Whether the text begins with a comma, after white space and comments. */
function startsWithComma(text: string): boolean {
  const scanner = createScanner(text, true);
  scanner.scan();
  return text[scanner.getTokenOffset()] === ",";
}

/** @throws {ConfigError} If a name on the way is there twice: readers take the last one, and editors the first. */
function checkNames(text: string, root: Node, path: readonly string[]): void {
  for (const [at, name] of path.entries()) {
    const parent = findNodeAtLocation(root, path.slice(0, at));
    const named = parent?.children?.filter(({ children }) => children?.[0]?.value === name) ?? [];
    if (named.length > 1) {
      const [, second] = named;
      throw new ConfigError(`${placeOf(text, second?.offset ?? 0)}: "${name}" is there twice; remove one of them`);
    }
  }
}

/** Adds a member or an item at the end, after the comments there, so that none changes its subject. Other lines keep their format. */
function insertLast(text: string, parent: Node, item: string, style: Style): Edit[] {
  const { offset, length, children = [] } = parent;
  const last = children.at(-1);
  const from = last === undefined ? offset + 1 : last.offset + last.length;
  const tail = text.slice(from, offset + length - 1);
  const kept = tail.trimEnd();
  const outer = indentAt(text, offset);
  const inner = outer + style.indent;
  const content = `${style.eol}${inner}${indentLines(item, inner, style)}${style.eol}${outer}`;
  return [
    ...last !== undefined && !startsWithComma(tail) ? [{ offset: from, length: 0, content: "," }] : [],
    { offset: from + kept.length, length: tail.length - kept.length, content },
  ];
}
