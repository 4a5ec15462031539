/** Functions that create a server, or register with one: how often they run, and what they keep. */
import { type Block, type Identifier, Node, type SourceFile } from "ts-morph";
import { bare } from "./registrations.ts";
import type { Draft } from "./draft.ts";
import { isFn } from "./functions.ts";

/** Whether a function that registers is called in another function: then the server may exist already. */
export function isUsedLater(draft: Draft, owner: Node): boolean {
  const name = nameOfFn(owner);
  if (name === undefined) return !Node.isFunctionDeclaration(owner) && !isIteration(owner);
  const scope = owner.getFirstAncestor(isFn);
  return draft.uses(name).some((use) => use.getFirstAncestor(isFn) !== scope);
}

/** Whether the function that creates a server is called in a function, or passed on: then it ran for each session or request. */
export function isRunOften(draft: Draft, block: Block | SourceFile): boolean {
  const factory = block.getParent();
  if (!isFn(factory)) return false;
  const name = nameOfFn(factory);
  return name === undefined || draft.uses(name).some((use) => {
    const call = use.getParent();
    const isCalled = Node.isCallExpression(call) && call.getExpression() === use;
    return !isCalled || use.getFirstAncestor(isFn) !== undefined;
  });
}

/** Marks what a function keeps for its handlers: variables that change, and collections. */
export function markState(draft: Draft, block: Block | SourceFile): void {
  for (const statement of block.getStatements().filter(Node.isVariableStatement)) {
    const isVariable = statement.getDeclarationKind() === "let";
    const values = statement.getDeclarations().map((one) => bare(one.getInitializer()));
    const isCollection = values.some((value) =>
      (Node.isNewExpression(value) && /^(Map|Set|WeakMap|WeakSet|Array)$/.test(value.getExpression().getText())) ||
      (Node.isArrayLiteralExpression(value) && value.getElements().length === 0) ||
      (Node.isObjectLiteralExpression(value) && value.getProperties().length === 0)
    );
    if (isVariable || isCollection) draft.todo(statement, "factory-state");
  }
}

/** Uses, in a block itself, of the function in it that registers. */
export function callsOfOwner(draft: Draft, use: Node, block: Block | SourceFile): readonly Identifier[] {
  const owner = use.getAncestors().findLast((one) => isFn(one) && one.getAncestors().includes(block));
  const name = owner === undefined ? undefined : nameOfFn(owner);
  const scope = isFn(block.getParent()) ? block.getParent() : undefined;
  return name === undefined ? [] : draft.uses(name).filter((one) => one.getFirstAncestor(isFn) === scope);
}

/** The name of a declared function, or of the `const` that it is the value of. */
function nameOfFn(fn: Node): Identifier | undefined {
  const parent = fn.getParent();
  if (Node.isFunctionDeclaration(fn)) return fn.getNameNode();
  const name = Node.isVariableDeclaration(parent) ? parent.getNameNode() : undefined;
  return Node.isIdentifier(name) ? name : undefined;
}

/** A callback of `forEach` and the like runs at once. */
function isIteration(fn: Node): boolean {
  const call = fn.getParent();
  const access = Node.isCallExpression(call) ? call.getExpression() : undefined;
  return Node.isPropertyAccessExpression(access) && ["forEach", "map"].includes(access.getName());
}
