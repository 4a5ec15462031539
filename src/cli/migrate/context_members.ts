/** Uses of a handler's context: the longest path of members that the table knows is converted. */
import { type CallExpression, Node } from "ts-morph";
import type { Handler } from "./handler.ts";
import { convertLog, convertNotify, convertReport } from "./notifications.ts";
import { convertProgressToken } from "./progress_token.ts";
import { convertElicit, convertRequest, convertRoots, convertSample } from "./questions.ts";
import { CONTEXT, type ContextRule } from "./tables.ts";

/** Converts all uses of the context of a handler. */
export function convertContext(handler: Handler): void {
  const { draft, contextNode: name } = handler;
  if (Node.isIdentifier(name)) { for (const use of draft.uses(name)) convertMember(handler, use, []); }
  if (!Node.isObjectBindingPattern(name)) return;
  for (const element of name.getElements()) {
    const local = element.getNameNode();
    const path = [(element.getPropertyNameNode() ?? local).getText()];
    if (!Node.isIdentifier(local)) draft.todo(element, "context");
    else for (const use of draft.uses(local)) convertMember(handler, use, path);
  }
}

/** Converts one use of the context, or of a part of it that a pattern took out. */
function convertMember(handler: Handler, use: Node, path: readonly string[]): void {
  const steps = accessesOf(use, path);
  for (const { node, path } of steps.toReversed()) {
    const rule = CONTEXT[handler.library][path.join(".")];
    if (rule !== undefined) return applyRule(handler, node, rule);
  }
  handler.draft.todo(use, "context");
}

/** The node and the paths of `use`, `use.a`, `use.a.b`, with `?.` and `["a"]` alike. */
function accessesOf(
  use: Node,
  path: readonly string[],
): readonly { readonly node: Node; readonly path: readonly string[] }[] {
  const steps = [{ node: use, path }];
  let node = use;
  let names = path;
  for (;;) {
    const parent = node.getParent();
    if (Node.isNonNullExpression(parent)) {
      node = parent;
      continue;
    }
    const isAccess = Node.isPropertyAccessExpression(parent) || Node.isElementAccessExpression(parent);
    if (!isAccess || parent.getExpression() !== node) return steps;
    const name = Node.isPropertyAccessExpression(parent) ? parent.getName() : literalOf(parent.getArgumentExpression());
    if (name === undefined) return steps;
    node = parent;
    names = [...names, name];
    steps.push({ node, path: names });
  }
}

function literalOf(node: Node | undefined): string | undefined {
  return Node.isStringLiteral(node) ? node.getLiteralValue() : undefined;
}

function applyRule(handler: Handler, node: Node, rule: ContextRule): void {
  const { draft } = handler;
  if ("todo" in rule) return draft.todo(node, rule.todo);
  if ("to" in rule) {
    if (rule.note !== undefined) draft.note(node, rule.note);
    const isShorthand = Node.isShorthandPropertyAssignment(node.getParent());
    return draft.replace(node, `${isShorthand ? `${node.getText()}: ` : ""}${handler.context}.${rule.to}`);
  }
  if (rule.by === "progressToken") return convertProgressToken(handler, node);
  const call = callOf(node);
  if (call === undefined) return draft.todo(node, "context");
  CONVERTERS[rule.by](handler, call);
}

const CONVERTERS = {
  notify: convertNotify,
  request: convertRequest,
  log: convertLog,
  report: convertReport,
  elicit: convertElicit,
  sample: convertSample,
  roots: convertRoots,
};

/** The call of a method. */
function callOf(node: Node): CallExpression | undefined {
  const parent = node.getParent();
  return Node.isCallExpression(parent) && parent.getExpression() === node ? parent : undefined;
}
