/** Handlers as functions: where they are defined, their parameters, and the values that they return. */
import {
  type ArrowFunction,
  type FunctionDeclaration,
  type FunctionExpression,
  type MethodDeclaration,
  Node,
  type ParameterDeclaration,
  type ReturnStatement,
} from "ts-morph";
import type { Draft } from "./draft.ts";
import { definitionsOf } from "./registrations.ts";
import { DROPPED_TYPES, RESULT_TYPES } from "./tables.ts";

/** A function with a body. */
export type Fn = ArrowFunction | FunctionExpression | FunctionDeclaration | MethodDeclaration;

/** Whether a node is a function with a body. */
export function isFn(node: Node | undefined): node is Fn {
  return Node.isArrowFunction(node) || Node.isFunctionExpression(node) || Node.isFunctionDeclaration(node) ||
    Node.isMethodDeclaration(node);
}

/** The function that an expression is, or names, in this file. `undefined` for functions of other files and other expressions. */
export function resolveFn(draft: Draft, node: Node | undefined): Fn | undefined {
  if (node === undefined || isFn(node)) return node as Fn | undefined;
  if (!Node.isIdentifier(node)) return undefined;
  for (const definition of definitionsOf(node)) {
    if (definition.getSourceFile() !== draft.source) continue;
    const value = Node.isVariableDeclaration(definition) ? definition.getInitializer() : definition;
    if (isFn(value)) return value;
  }
  return undefined;
}

/** The `return` statements of a function, without those of functions in it. */
export function returnsOf(fn: Fn): readonly ReturnStatement[] {
  return fn.getDescendants().filter(Node.isReturnStatement).filter((one) => one.getFirstAncestor(isFn) === fn);
}

/** The expression that an arrow function without braces returns. `undefined` for other functions. */
export function expressionBody(fn: Fn): Node | undefined {
  const body = fn.getBody();
  return Node.isArrowFunction(fn) && body !== undefined && !Node.isBlock(body) ? body : undefined;
}

/** Whether a function uses `inputRequired()` of 2.x: it returns questions, and is called again with the answers. */
export function asksByRounds(draft: Draft, fn: Fn): boolean {
  return fn.getDescendants().some((one) => draft.imports.isAny(one, "inputRequired"));
}

/** Removes the return type of a function if it names a result of the converted library. */
export function dropReturnType(draft: Draft, fn: Fn): void {
  const type = fn.getReturnTypeNode();
  if (type === undefined || !mentionsResult(draft, type)) return;
  const text = draft.source.getFullText();
  const colon = text.lastIndexOf(":", type.getStart());
  draft.edits.overwrite(colon, type.getEnd(), "");
}

/** Whether a type names a result of the converted library, or another of its types that has no counterpart. */
export function mentionsResult(draft: Draft, type: Node): boolean {
  return [type, ...type.getDescendants()].some((one) => draft.imports.isAny(one, ...RESULT_TYPES, ...DROPPED_TYPES));
}

/** The text of a parameter. Its type is left out if it names something of the converted library. */
export function parameterText(draft: Draft, parameter: ParameterDeclaration): string {
  const type = parameter.getTypeNode();
  const isForeign = type !== undefined &&
    [type, ...type.getDescendants()].some((one) => draft.imports.known(one) !== undefined);
  const name = draft.render(parameter.getNameNode());
  const initializer = parameter.getInitializer();
  const value = initializer === undefined ? "" : ` = ${draft.render(initializer)}`;
  return `${name}${type === undefined || isForeign ? "" : `: ${draft.render(type)}`}${value}`;
}

/** Replaces all parameters of a function by these texts. An arrow function without parentheses gets them. */
export function replaceParameters(draft: Draft, fn: Fn, parameters: readonly string[]): void {
  const all = fn.getParameters();
  const text = draft.source.getFullText();
  const [first] = all;
  const last = all.at(-1);
  if (first === undefined || last === undefined) {
    const open = text.indexOf("(", fn.getStart());
    draft.edits.overwrite(open + 1, text.indexOf(")", open), parameters.join(", "));
    return;
  }
  const isBare = Node.isArrowFunction(fn) && text[lastBefore(text, first.getStart())] !== "(";
  draft.edits.overwrite(first.getStart(), last.getEnd(), isBare ? `(${parameters.join(", ")})` : parameters.join(", "));
}

function lastBefore(text: string, at: number): number {
  let index = at - 1;
  while (/\s/.test(text[index] ?? "")) index--;
  return index;
}

/** Converts `throw new Error(message)` of a handler, outside of `try`, to a `Failure`, so that callers still get the message. */
export function convertThrows(draft: Draft, fn: Fn): void {
  for (const statement of fn.getDescendants().filter(Node.isThrowStatement)) {
    const thrown = statement.getExpression();
    if (!Node.isNewExpression(thrown) || thrown.getExpression().getText() !== "Error") continue;
    const [message, ...others] = thrown.getArguments();
    const isCaught = statement.getAncestors().some((one) =>
      Node.isTryStatement(one) && one.getAncestors().includes(fn)
    );
    if (message === undefined || others.length > 0 || isCaught || statement.getFirstAncestor(isFn) !== fn) continue;
    const failure = draft.imports.use("toolwire", "Failure");
    draft.replace(statement, `throw new ${failure}("failed", ${draft.render(message)});`);
  }
}
