/** What handlers of tools return: results of MCP become values, failures and blocks. */
import { Node, type TryStatement } from "ts-morph";
import type { Draft } from "./draft.ts";
import { dropReturnType, expressionBody, type Fn, isFn, mentionsResult, resolveFn, returnsOf } from "./functions.ts";
import { bare, membersOf } from "./registrations.ts";
import { isRound } from "./questions.ts";
import { resultReader, textKeeper } from "./helpers.ts";

/** Marks a text of a result that does not follow from the structured value, so that no `.render()` can make it. */
const OTHER_TEXT = "other";

/** Converts what a tool's handler returns to plain values and failures, and derives `.render()` from the texts of all results. */
export class ToolResults {
  readonly #draft: Draft;
  readonly #hasOutput: boolean;
  readonly #handler: Fn;
  /** Name of the context, for `_meta`. It adds the parameter if it is missing. */
  readonly #context: () => string;
  readonly #converted = new Set<Fn>();
  readonly #renders = new Set<string | undefined>();
  /** Whether texts are only compared yet, and nothing is changed. */
  #isScan = false;
  #keepsTexts = false;

  constructor(draft: Draft, handler: Fn, hasOutput: boolean, context: () => string) {
    this.#draft = draft;
    this.#handler = handler;
    this.#hasOutput = hasOutput;
    this.#context = context;
  }

  /** The function for `.render()`, if all answers have a text that is made of them in the same way. */
  get render(): string | undefined {
    if (this.#keepsTexts) {
      const [map] = this.#draft.helper(textKeeper);
      return `(output) => ${map}.get(output) ?? JSON.stringify(output)`;
    }
    const [render] = this.#renders;
    return render;
  }

  /** Converts all results of the handler. */
  convertAll(): void {
    this.#isScan = true;
    this.convert(this.#handler);
    this.#isScan = false;
    this.#converted.clear();
    this.#keepsTexts = this.#renders.size > 1 || this.#renders.has(OTHER_TEXT);
    this.convert(this.#handler);
  }

  /** Converts all results of a function. */
  convert(fn: Fn): void {
    if (this.#converted.has(fn)) return;
    this.#converted.add(fn);
    if (!this.#isScan) dropReturnType(this.#draft, fn);
    const expression = expressionBody(fn);
    if (expression !== undefined) this.#returned(expression, (text) => text, fn);
    for (const statement of returnsOf(fn)) {
      const value = statement.getExpression();
      if (value !== undefined) this.#returned(value, (text) => text, statement);
    }
  }

  /** Converts one returned expression. `owner` is the `return` statement, or the arrow function that it is the body of. */
  #returned(expression: Node, wrap: (text: string) => string, owner: Node): void {
    const value = bare(expression);
    const members = membersOf(value);
    if (members?.has("content") === true || members?.has("structuredContent") === true) {
      if (this.#isScan) return this.#renderOf(members);
      return this.#literal(expression, members, wrap, owner);
    }
    if (Node.isConditionalExpression(value)) {
      for (const branch of [value.getWhenTrue(), value.getWhenFalse()]) this.#returned(branch, wrap, branch);
      return;
    }
    if (isRound(this.#draft, value) || (Node.isIdentifier(value) && this.#constant(value))) return;
    const call = bare(Node.isAwaitExpression(value) ? value.getExpression() : value);
    const helper = Node.isCallExpression(call) ? resolveFn(this.#draft, call.getExpression()) : undefined;
    if (helper !== undefined) return this.convert(helper);
    // An error that a generator or another library throws has no result.
    if (!this.#isScan) this.#unknown(expression, owner);
  }

  /** A result that comes from elsewhere becomes a value or a failure at run time. */
  #unknown(expression: Node, owner: Node): void {
    for (const type of expression.getDescendants().filter(Node.isTypeReference)) {
      // What it gives may be converted by then.
      if (mentionsResult(this.#draft, type.getTypeName())) this.#draft.replace(type, "any");
    }
    const text = this.#draft.render(expression);
    const isAsync = expression.getFirstAncestor(isFn)?.isAsync() === true;
    const isAwaited = !isAsync || Node.isAwaitExpression(bare(expression)) ||
      Node.isObjectLiteralExpression(bare(expression));
    const [answerOf] = this.#draft.helper(resultReader);
    this.#draft.note(expression, "run-time");
    this.#draft.replace(expression, `${answerOf}(${isAwaited ? text : `await ${text}`})`);
    if (Node.isReturnStatement(owner)) this.#passThrough(owner, this.#draft.imports.use("toolwire", "Failure"));
  }

  /** `const result = { content }; return result`. */
  #constant(value: Node): boolean {
    const declaration = value.getSymbol()?.getDeclarations().find(Node.isVariableDeclaration);
    const initializer = declaration?.getInitializer();
    const members = membersOf(bare(initializer));
    const type = declaration?.getTypeNode();
    const name = declaration?.getNameNode();
    if (initializer === undefined || members?.has("content") !== true || !Node.isIdentifier(name)) return false;
    if (members.has("isError") || this.#draft.uses(name).length !== 1) return false;
    if (this.#isScan) {
      this.#renderOf(members);
      return true;
    }
    if (type !== undefined && mentionsResult(this.#draft, type)) {
      this.#draft.edits.overwrite(name.getEnd(), type.getEnd(), "");
    }
    this.#literal(initializer, members, (text) => text, initializer);
    return true;
  }

  #literal(node: Node, members: ReadonlyMap<string, Node>, wrap: (text: string) => string, owner: Node): void {
    const error = members.get("isError");
    const isFailure = error?.getText() === "true";
    if (isFailure && textOfBlocks(members.get("content")) !== undefined) {
      return this.#failure(node, members.get("content"), owner);
    }
    // A failure has one text: that of several blocks.
    if (isFailure) this.#draft.todo(node, "result");
    if (isFailure || (error !== undefined && error.getText() !== "false")) return this.#unknown(node, owner);
    const text = wrap(this.#valueOf(node, members));
    const meta = members.get("_meta");
    if (meta === undefined) return this.#draft.replace(node, text);
    const statement = `${this.#context()}.meta(${this.#draft.render(meta)});`;
    if (isFn(owner)) return this.#draft.replace(node, `{ ${statement} return ${text}; }`);
    this.#draft.replace(node, text);
    if (!Node.isReturnStatement(owner)) return this.#draft.todo(node, "result");
    const { eol } = this.#draft;
    this.#draft.replace(owner, `${statement}${eol}${this.#draft.indentOf(owner)}${this.#draft.render(owner)}`);
  }

  /** Code of the value that the handler returns in place of a result with `content`. */
  #valueOf(node: Node, members: ReadonlyMap<string, Node>): string {
    const structured = members.get("structuredContent");
    const content = members.get("content");
    if (structured !== undefined) {
      const value = this.#draft.render(structured);
      if (!this.#keepsTexts || content === undefined) return asExpression(value, node);
      const text = this.#draft.render(textOfBlocks(content) ?? content);
      const [, keep] = this.#draft.helper(textKeeper);
      return `${keep}(${value}, ${text})`;
    }
    if (this.#hasOutput) {
      this.#draft.todo(node, "result");
      return asExpression(this.#draft.render(content ?? node), node);
    }
    return this.#draft.render(textOfBlocks(content) ?? content ?? node);
  }

  #failure(node: Node, content: Node | undefined, owner: Node): void {
    const text = textOfBlocks(content);
    const failure = this.#draft.imports.use("toolwire", "Failure");
    const message = text === undefined ? '"The tool failed"' : this.#draft.render(text);
    const thrown = `throw new ${failure}("failed", ${message});`;
    if (Node.isReturnStatement(owner)) {
      this.#draft.replace(owner, thrown);
      this.#passThrough(owner, failure);
    } else if (isFn(owner)) {
      const body = owner.getBody();
      if (body !== undefined) this.#draft.replace(body, `{ ${thrown} }`);
    } else this.#draft.replace(node, `(() => { ${thrown} })()`);
  }

  /** A failure is thrown on by the `catch` around it. */
  #passThrough(owner: Node, failure: string): void {
    let inner: Node = owner;
    for (const ancestor of owner.getAncestors()) {
      if (isFn(ancestor)) return;
      if (Node.isTryStatement(ancestor) && ancestor.getTryBlock() === inner) this.#rethrow(ancestor, failure);
      inner = ancestor;
    }
  }

  #rethrow(statement: TryStatement, failure: string): void {
    const clause = statement.getCatchClause();
    if (clause === undefined) return;
    const variable = clause.getVariableDeclaration();
    const open = clause.getBlock().getStart();
    const name = variable?.getName() ?? this.#draft.freeName("error");
    const { eol, unit } = this.#draft;
    if (variable === undefined) this.#draft.edits.insert(open, `(${name}) `);
    const line = `if (${name} instanceof ${failure}) throw ${name};`;
    this.#draft.edits.insert(open + 1, `${eol}${this.#draft.indentOf(statement)}${unit}${line}`);
  }

  /** What `.render()` has to be for the text beside a structured answer. */
  #renderOf(members: ReadonlyMap<string, Node>): void {
    const [structured, content] = [members.get("structuredContent"), members.get("content")];
    if (structured === undefined || content === undefined) return;
    const blocks = bare(content);
    const isEmpty = Node.isArrayLiteralExpression(blocks) && blocks.getElements().length === 0;
    const text = textOfBlocks(content);
    const isJson = isEmpty || (text !== undefined && isJsonOf(text, structured));
    this.#renders.add(isJson ? undefined : this.#derive(text ?? content, structured) ?? OTHER_TEXT);
  }

  /** `(output) => …`: a text of which each part is a member of the output. */
  #derive(text: Node, structured: Node): string | undefined {
    const [pretty] = jsonArguments(text, structured);
    if (pretty !== undefined) return `(output) => JSON.stringify(output, ${pretty})`;
    const sources = new Map<string, string>();
    const literal = membersOf(bare(Node.isIdentifier(structured) ? initializerOf(structured) : structured));
    for (const [name, value] of literal ?? []) sources.set(value.getText(), memberOf("output", name));
    sources.set(structured.getText(), "output");
    const start = text.getStart();
    let result = "";
    let at = start;
    const visit = (node: Node): boolean => {
      const source = sources.get(node.getText());
      const isName = isPropertyName(node);
      if (source !== undefined && !isName) {
        result += text.getSourceFile().getFullText().slice(at, node.getStart()) + source;
        at = node.getEnd();
        return true;
      }
      if (Node.isIdentifier(node) && !isName) return this.#isOutside(node);
      if (Node.isAwaitExpression(node)) return false;
      return node.forEachChildAsArray().every(visit);
    };
    if (!visit(text)) return undefined;
    result += text.getSourceFile().getFullText().slice(at, text.getEnd());
    return `(output) => ${result}`;
  }

  /** Whether a name means the same outside of the handler. */
  #isOutside(name: Node): boolean {
    const declarations = name.getSymbol()?.getDeclarations() ?? [];
    return declarations.every((one) => one !== this.#handler && !one.getAncestors().includes(this.#handler));
  }
}

/** The node of the text in an array with one block of text and nothing else; `undefined` for other arrays. */
export function textOfBlocks(content: Node | undefined): Node | undefined {
  const array = bare(content);
  if (!Node.isArrayLiteralExpression(array)) return undefined;
  const [block, ...others] = array.getElements();
  return others.length === 0 ? textOfBlock(block) : undefined;
}

/** The node of the text in a block `{ type: "text", text }`; `undefined` for other blocks. */
export function textOfBlock(block: Node | undefined): Node | undefined {
  const members = membersOf(bare(block));
  const type = bare(members?.get("type"));
  if (members?.size !== 2 || !Node.isStringLiteral(type) || type.getLiteralValue() !== "text") return undefined;
  return members.get("text");
}

function isJsonOf(text: Node, value: Node): boolean {
  return jsonArguments(text, value).length === 0 && isJsonCall(text, value);
}

function isJsonCall(text: Node, value: Node): boolean {
  if (!Node.isCallExpression(text) || text.getExpression().getText() !== "JSON.stringify") return false;
  const plain = (node: Node | undefined) => node?.getText().replace(/\s+/g, "");
  const [first] = text.getArguments();
  return plain(first) === plain(value) ||
    (Node.isIdentifier(value) && plain(first) === plain(initializerOf(value)));
}

/** Further arguments of `JSON.stringify(value, …)`, as one text. */
function jsonArguments(text: Node, value: Node): readonly string[] {
  if (!Node.isCallExpression(text) || !isJsonCall(text, value)) return [];
  const [, ...others] = text.getArguments().map((one) => one.getText());
  return others.length === 0 ? [] : [others.join(", ")];
}

function initializerOf(name: Node): Node | undefined {
  return name.getSymbol()?.getDeclarations().find(Node.isVariableDeclaration)?.getInitializer();
}

function memberOf(object: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`;
}

/** `b` of `a.b`, and of `{ b: 1 }`. */
function isPropertyName(node: Node): boolean {
  const parent = node.getParent();
  if (!Node.isPropertyAccessExpression(parent) && !Node.isPropertyAssignment(parent)) return false;
  return parent.getNameNode() === node;
}

/** An object literal that is the body of an arrow function keeps its parentheses. */
function asExpression(text: string, replaced: Node): string {
  return text.startsWith("{") && Node.isParenthesizedExpression(replaced) ? `(${text})` : text;
}
