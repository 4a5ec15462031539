/** One file that is converted: its nodes, its edits, its imports, and what is left. */
import { type Identifier, Node, type SourceFile } from "ts-morph";
import { Edits } from "./edits.ts";
import { Imports } from "./imports.ts";
import { type NoteCode, type TodoCode, TODOS } from "./tables.ts";

/** Start of the comment above each place that is left for a person, by which such places are found. */
export const MARKER = "@toolwire-todo";

/** Facts about a file, or about its package if it serves nothing: found before any file is converted. */
export interface PackageFacts {
  /** Whether a transport keeps sessions. */
  readonly hasSessions: boolean;
  /** Time limit of questions in milliseconds, as the text of a number, if one is given. */
  readonly askTimeoutMs: string | undefined;
  /** Names of hosts, as the text of a list, that an app of the SDK checks. */
  readonly hosts: string | undefined;
  /** Path of MCP that FastMCP is given, as the text of a string, if it is not the default. */
  readonly path: string | undefined;
}

/** Code and line of a difference by design: a place whose converted code behaves in another way. */
export interface Note {
  readonly code: NoteCode;
  readonly line: number;
}

/** Returns functions that converted code calls: their names and their lines, which `Draft.helper()` writes into the file once. */
export type HelperWriter = (draft: Draft, isScript: boolean) => {
  readonly names: readonly string[];
  readonly lines: readonly string[];
};

/** A file that is converted, with the edits, imports and notes so far. */
export class Draft {
  readonly source: SourceFile;
  readonly facts: PackageFacts;
  readonly edits: Edits;
  readonly imports: Imports;
  readonly notes: Note[] = [];
  /** Function of the server that is converted, which makes JSON Schema of its schemas. */
  schemaAdapter: string | undefined;
  /** Text of the type of a session, of `new FastMCP<Session>()`. */
  sessionType: string | undefined;
  /** Name of the function that `authenticate` of FastMCP was. */
  identify: string | undefined;
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  readonly #names: Set<string>;
  readonly #helpers = new Map<HelperWriter, readonly string[]>();

  constructor(source: SourceFile, facts: PackageFacts) {
    const text = source.getFullText();
    this.source = source;
    this.facts = facts;
    this.edits = new Edits(text);
    this.eol = text.includes("\r\n") ? "\r\n" : "\n";
    this.unit = /^([ \t]+)[^\s*]/m.exec(text)?.[1]?.slice(0, 8) ?? "  ";
    this.#names = new Set(identifiersOf(source).filter(isName).map((identifier) => identifier.getText()));
    this.imports = new Imports(this);
  }

  /** A name that the file does not use yet. It is used from now on. */
  freeName(...wanted: readonly string[]): string {
    const last = wanted.at(-1) ?? "value";
    const numbered = Array.from({ length: 100 }, (_, index) => `${last}${index + 2}`);
    const name = [...wanted, ...numbered].find((name) => !this.#names.has(name)) ?? last;
    this.#names.add(name);
    return name;
  }

  /** Names of what a function of a conversion needs in this file. It is written once, after the imports. */
  helper(write: HelperWriter): readonly string[] {
    const earlier = this.#helpers.get(write);
    if (earlier !== undefined) return earlier;
    const isScript = /\.[cm]?jsx?$/.test(this.source.getFilePath());
    const { names, lines } = write(this, isScript);
    this.#helpers.set(write, names);
    const last = this.source.getImportDeclarations().at(-1);
    this.edits.append(last?.getEnd() ?? 0, ["", "", ...lines].join(this.eol));
    return names;
  }

  /** Whether the file has this name anywhere. */
  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** Puts a comment above the line of a node. */
  todo(node: Node, code: TodoCode): void {
    const start = lineStart(this.source.getFullText(), statementOf(node).getStart());
    const [indent = ""] = /^[ \t]*/.exec(this.source.getFullText().slice(start)) ?? [];
    const comment = `// ${MARKER} ${TODOS[code]}`;
    const before = this.source.getFullText().slice(0, start).trimEnd();
    if (!before.endsWith(comment)) this.edits.insert(start, `${indent}${comment}${this.eol}`);
  }

  /** Comments a statement out that would fail, with the reason above it. */
  commentOut(statement: Node, code: TodoCode): void {
    this.todo(statement, code);
    const indent = this.indentOf(statement);
    const lines = statement.getText().split(this.eol).map((line) =>
      line.startsWith(indent) ? line.slice(indent.length) : line
    );
    this.replace(statement, lines.map((line) => `// ${line}`.trimEnd()).join(`${this.eol}${indent}`));
  }

  /** Puts a comment with the old text of a node above its line, for code that no conversion replaces. */
  keepText(node: Node, code: TodoCode): void {
    this.todo(node, code);
    const start = lineStart(this.source.getFullText(), statementOf(node).getStart());
    const indent = this.indentOf(statementOf(node));
    const lines = node.getText().split(/\r?\n/).map((line) =>
      line.startsWith(indent) ? line.slice(indent.length) : line
    );
    this.edits.insert(start, lines.map((line) => `${indent}// ${line}`.trimEnd() + this.eol).join(""));
  }

  /** Inserts a text above a statement and its comments, so that it stays if the statement is removed. */
  insertBefore(statement: Node, text: string): void {
    const [comment] = statement.getLeadingCommentRanges();
    this.edits.insert(lineStart(this.source.getFullText(), comment?.getPos() ?? statement.getStart()), text);
  }

  /** Lists a difference by design. */
  note(node: Node, code: NoteCode): void {
    this.notes.push({ code, line: node.getStartLineNumber() });
  }

  /** Indentation of the line of a node. */
  indentOf(node: Node): string {
    const text = this.source.getFullText();
    return /^[ \t]*/.exec(text.slice(lineStart(text, node.getStart())))?.[0] ?? "";
  }

  /** The text of a node with its edits. */
  render(node: Node): string {
    return this.edits.render(node);
  }

  /** The text of a node, its lines indented so that the last one begins at `indent`. */
  renderAt(node: Node, indent: string): string {
    const text = this.render(node);
    const lines = text.split("\n");
    const last = /^[ \t]*/.exec(lines.at(-1) ?? "")?.[0] ?? "";
    // The lines of a template are its text.
    const hasLines = node.getDescendants().some((one) => isTemplate(one) && one.getText().includes("\n"));
    if (lines.length === 1 || last === indent || hasLines) return text;
    return lines.map((line, index) => index > 0 && line.startsWith(last) ? indent + line.slice(last.length) : line)
      .join("\n");
  }

  replace(node: Node, text: string): void {
    this.edits.replace(node, text);
  }

  /** Removes a statement with its line and the comments above it. */
  remove(statement: Node): void {
    const text = this.source.getFullText();
    const [comment] = statement.getLeadingCommentRanges();
    const start = comment?.getPos() ?? statement.getStart();
    const from = lineStart(text, start);
    const isWhole = text.slice(from, start).trim() === "";
    // A blank line goes, too, unless it is the only one between two statements.
    const isAfterBlank = /(^|[{\n])[ \t]*\r?\n$/.test(text.slice(0, from));
    const blank = isAfterBlank ? /^[ \t]*(\r?\n([ \t]*\r?\n)?)?/ : /^[ \t]*(\r?\n)?/;
    const rest = blank.exec(text.slice(statement.getEnd()))?.[0].length ?? 0;
    this.edits.overwrite(isWhole ? from : statement.getStart(), statement.getEnd() + (isWhole ? rest : 0), "");
  }

  /** Identifiers of the file with the same symbol, the declaration left out. */
  uses(name: Identifier): readonly Identifier[] {
    const symbol = name.getSymbol();
    return identifiersOf(this.source).filter((one) => {
      if (one === name || one.getText() !== name.getText() || symbol === undefined) return false;
      const parent = one.getParent();
      if (Node.isShorthandPropertyAssignment(parent)) return parent.getValueSymbol() === symbol;
      return one.getSymbol() === symbol;
    });
  }
}

/** The statement, class member or property whose line a node begins on. */
function statementOf(node: Node): Node {
  return node.getFirstAncestor((one) => Node.isStatement(one) && !Node.isBlock(one)) === undefined ||
      Node.isStatement(node)
    ? node
    : node.getFirstAncestorOrThrow((one) => Node.isStatement(one) && !Node.isBlock(one));
}

/** Whether an identifier is a name of the scope: not that of a member of an object. */
function isName(identifier: Identifier): boolean {
  const parent = identifier.getParent();
  if (Node.isPropertyAccessExpression(parent)) return parent.getNameNode() !== identifier;
  return !(Node.isPropertyAssignment(parent) && parent.getNameNode() === identifier);
}

function identifiersOf(source: SourceFile): readonly Identifier[] {
  return source.getDescendants().filter(Node.isIdentifier);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function isTemplate(node: Node): boolean {
  return Node.isTemplateExpression(node) || Node.isNoSubstitutionTemplateLiteral(node);
}
