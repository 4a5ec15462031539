/** Progress tokens: progress may always be reported here, so conditions on a token are removed. */
import { type IfStatement, Node } from "ts-morph";
import type { Handler } from "./handler.ts";

/** Converts one use of the token: `ctx._meta?.progressToken`, or of a `const` with it. */
export function convertProgressToken(handler: Handler, node: Node): void {
  const { draft } = handler;
  const parent = node.getParent();
  if (Node.isVariableDeclaration(parent) && parent.getInitializer() === node) {
    const name = parent.getNameNode();
    if (!Node.isIdentifier(name)) return draft.todo(node, "progress-token");
    for (const use of draft.uses(name)) convertProgressToken(handler, use);
    return draft.remove(parent.getVariableStatementOrThrow());
  }
  // The parameters of a notification, which are replaced with it.
  if (isTokenProperty(parent)) return;
  const guard = guardOf(node);
  if (guard !== undefined) return draft.remove(guard);
  const condition = conditionOf(node);
  if (condition === undefined) draft.todo(node, "progress-token");
  else unwrapLater(handler, condition);
}

function isTokenProperty(parent: Node | undefined): boolean {
  return (Node.isPropertyAssignment(parent) || Node.isShorthandPropertyAssignment(parent)) &&
    parent.getName() === "progressToken";
}

/** The statement `if (token !== undefined)` without an `else`. */
function conditionOf(node: Node): IfStatement | undefined {
  const parent = node.getParent();
  const test = Node.isBinaryExpression(parent) ? parent : node;
  const statement = test.getParent();
  if (!Node.isIfStatement(statement) || statement.getExpression() !== test) return undefined;
  const isPresence = test === node || (Node.isBinaryExpression(test) && /!==?/.test(test.getOperatorToken().getText()));
  return isPresence && statement.getElseStatement() === undefined ? statement : undefined;
}

/** `if (token === undefined) return;` */
function guardOf(node: Node): IfStatement | undefined {
  const test = node.getParent();
  const isAbsence = (Node.isBinaryExpression(test) && /^===?$/.test(test.getOperatorToken().getText())) ||
    (Node.isPrefixUnaryExpression(test) && test.getText().startsWith("!"));
  const statement = test?.getParent();
  if (!isAbsence || !Node.isIfStatement(statement) || statement.getElseStatement() !== undefined) return undefined;
  return /^(\{\s*)?return;?(\s*\})?$/.test(statement.getThenStatement().getText()) ? statement : undefined;
}

/** The statements in it are converted first. */
function unwrapLater(handler: Handler, statement: IfStatement): void {
  handler.later(() => {
    const { draft } = handler;
    const body = statement.getThenStatement();
    const [from, to] = Node.isBlock(body) ? [body.getStart() + 1, body.getEnd() - 1] : [body.getStart(), body.getEnd()];
    const lines = draft.edits.renderRange(from, to).split("\n");
    const first = Node.isBlock(body) ? body.getStatements()[0] : undefined;
    const [indent, inner] = [draft.indentOf(statement), first === undefined ? "" : draft.indentOf(first)];
    draft.replace(statement, lines.map((line) => dedent(line, indent, inner)).join("\n").trim());
  });
}

function dedent(line: string, indent: string, inner: string): string {
  return line.startsWith(inner) && inner.startsWith(indent) ? indent + line.slice(inner.length) : line;
}
