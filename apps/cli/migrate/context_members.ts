/** Uses of a context, in handlers and in functions beside them: the longest path of members that the table knows is converted. */
import { type CallExpression, type Identifier, Node, type ParameterDeclaration } from "ts-morph";
import type { Draft } from "./draft.ts";
import { convertAuthInfo } from "./auth_info.ts";
import { convertSessionParameter, convertSessionUse } from "./fastmcp_sessions.ts";
import { type Fn, isFn } from "./functions.ts";
import { Handler } from "./handler.ts";
import { convertLevel, convertLog, convertNotify, convertProgressToken, convertReport } from "./notifications.ts";
import { convertElicit, convertRequest, convertRoots, convertSample } from "./questions.ts";
import { definitionsOf } from "./registrations.ts";
import { REGISTERING } from "../../../src/core/tool/spellings.ts";
import { CONTEXT, CONTEXT_TYPES, type ContextRule, type Library, type TodoCode } from "./tables.ts";

/** Converts all uses of a handler's context by the table `CONTEXT`. Members that it does not have are marked for a person. */
export function convertContext(handler: Handler): void {
  const { draft, contextNode: name } = handler;
  const uses = Node.isIdentifier(name) ? draft.uses(name).map((use) => ({ use, path: [] as readonly string[] })) : [];
  for (const element of Node.isObjectBindingPattern(name) ? name.getElements() : []) {
    const local = element.getNameNode();
    const path = [(element.getPropertyNameNode() ?? local).getText()];
    if (handler.library === "fastmcp" && path[0] === "session") convertSessionParameter(handler, local);
    else if (!Node.isIdentifier(local)) draft.todo(element, "context");
    else uses.push(...draft.uses(local).map((use) => ({ use, path })));
  }
  for (const { use } of uses.slice()) {
    const taken = takenLater(draft, use);
    if (taken === undefined) continue;
    uses.splice(uses.findIndex((one) => one.use === use), 1, ...taken);
  }
  // Those within the arguments of another come first: the other renders them.
  const ordered = uses.toSorted((one, other) => callEnd(one.use) - callEnd(other.use));
  for (const { use, path } of ordered) convertMember(handler, use, path);
}

/** Uses of what `const { a, b } = ctx` takes out of a context. The statement is removed. `undefined` if a use is not such a one. */
function takenLater(
  draft: Draft,
  use: Node,
): readonly { readonly use: Identifier; readonly path: readonly string[] }[] | undefined {
  const declaration = use.getParent();
  const pattern = Node.isVariableDeclaration(declaration) ? declaration.getNameNode() : undefined;
  if (!Node.isVariableDeclaration(declaration) || !Node.isObjectBindingPattern(pattern)) return undefined;
  const statement = declaration.getVariableStatement();
  const elements = pattern.getElements().map((one) => [one.getNameNode(), one] as const);
  const isPlain = statement?.getDeclarations().length === 1 &&
    elements.every(([name, one]) =>
      Node.isIdentifier(name) && one.getInitializer() === undefined && !one.getDotDotDotToken()
    );
  if (statement === undefined || !isPlain) return undefined;
  draft.remove(statement);
  return elements.flatMap(([name, one]) => {
    const path = [(one.getPropertyNameNode() ?? name).getText()];
    return Node.isIdentifier(name) ? draft.uses(name).map((local) => ({ use: local, path })) : [];
  });
}

/** Offset of the end of a chain such as `use.a.b(…)`. */
function callEnd(use: Node): number {
  const parent = use.getParent();
  const isPart = Node.isPropertyAccessExpression(parent) || Node.isElementAccessExpression(parent) ||
    Node.isCallExpression(parent) || Node.isNonNullExpression(parent);
  return isPart && parent.getExpression() === use ? callEnd(parent) : use.getEnd();
}

/** Converts one use of the context, or of a part of it that a pattern took out. */
function convertMember(handler: Handler, use: Node, path: readonly string[]): void {
  const steps = accessesOf(use, path);
  for (const { node, path: names } of steps.toReversed()) {
    const rule = CONTEXT[handler.library][names.join(".")];
    if (rule !== undefined && "todo" in rule) return leave(handler, use, path, rule.todo);
    if (rule !== undefined) return applyRule(handler, node, rule);
  }
  if (path.length === 0 && isPassedOn(use)) return;
  leave(handler, use, path, "context");
}

/** Marks a member for a person. What a pattern took out of the context is read from it, as the pattern is replaced. */
function leave(handler: Handler, use: Node, path: readonly string[], code: TodoCode): void {
  const { draft } = handler;
  draft.todo(use, code);
  if (path.length === 0) return;
  const isShorthand = Node.isShorthandPropertyAssignment(use.getParent());
  draft.replace(use, `${isShorthand ? `${use.getText()}: ` : ""}${handler.context}.${path.join(".")}`);
}

/** Whether the context goes to a function that has it as a parameter, or to the codec of a state, which is removed. */
function isPassedOn(use: Node): boolean {
  const call = use.getParent();
  if (!Node.isCallExpression(call)) return false;
  const index = call.getArguments().indexOf(use);
  const callee = call.getExpression();
  if (Node.isPropertyAccessExpression(callee)) return callee.getName() === "mint";
  const fns = definitionsOf(callee).map((one) => Node.isVariableDeclaration(one) ? one.getInitializer() : one);
  return fns.filter(isFn).some((fn) => {
    const type = fn.getParameters()[index]?.getTypeNode();
    return Node.isTypeReference(type) && CONTEXT_TYPES.includes(type.getTypeName().getText());
  });
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

function applyRule(handler: Handler, node: Node, rule: Exclude<ContextRule, { readonly todo: TodoCode }>): void {
  const { draft } = handler;
  if ("to" in rule) {
    const isShorthand = Node.isShorthandPropertyAssignment(node.getParent());
    return draft.replace(node, `${isShorthand ? `${node.getText()}: ` : ""}${handler.context}.${rule.to}`);
  }
  if ("round" in rule) return convertRound(handler, node, rule.round);
  const call = callOf(node);
  if ("log" in rule) {
    if (call === undefined) draft.todo(node, "context");
    else convertLevel(handler, call, rule.log);
  } else if (rule.by === "session") convertSessionUse(handler, node, false);
  else if (rule.by === "authInfo") convertAuthInfo(handler, node);
  else if (rule.by === "progressToken") convertProgressToken(handler, node);
  else if (rule.by === "headers") convertHeaders(handler, node);
  else if (call === undefined) draft.todo(node, "context");
  else CONVERTERS[rule.by](handler, call);
}

/** One of `extra.requestInfo.headers`. There a header that is missing is `undefined`. */
function convertHeaders({ draft, context }: Handler, node: Node): void {
  const access = node.getParent();
  const name = Node.isPropertyAccessExpression(access)
    ? JSON.stringify(access.getName())
    : Node.isElementAccessExpression(access) && access.getArgumentExpression() !== undefined
    ? draft.render(access.getArgumentExpressionOrThrow())
    : undefined;
  if (access === undefined || name === undefined) return draft.todo(node, "request-info");
  const text = `${context}.metadata.get(${name})`;
  const parent = access.getParent();
  const hasDefault = Node.isBinaryExpression(parent) && parent.getLeft() === access &&
    /^(\?\?|\|\|)$/.test(parent.getOperatorToken().getText());
  if (hasDefault) draft.replace(access, text);
  else draft.replace(access, Node.isVariableDeclaration(parent) ? `${text} ?? undefined` : `(${text} ?? undefined)`);
}

/** `ctx.mcpReq.inputResponses`, `ctx.mcpReq.requestState<State>()`. */
function convertRound({ draft, round }: Handler, node: Node, member: "inputResponses" | "requestState"): void {
  const call = member === "requestState" ? callOf(node) : undefined;
  if (round === undefined || (member === "requestState" && call === undefined)) {
    return draft.todo(node, "input-required");
  }
  const [type] = call?.getTypeArguments() ?? [];
  const text = `${round}.${member}`;
  draft.replace(call ?? node, type === undefined ? text : `(${text} as ${draft.render(type)} | undefined)`);
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

/** The call of a member, if the node is what is called. */
function callOf(node: Node): CallExpression | undefined {
  const parent = node.getParent();
  return Node.isCallExpression(parent) && parent.getExpression() === node ? parent : undefined;
}

/** Converts functions that are not handlers but have a parameter of a context type: its uses, and its type to `Ctx`. */
export function convertContextHelpers(draft: Draft): void {
  for (const fn of draft.source.getDescendants().filter(isFn)) {
    if (isRegistered(draft, fn)) continue;
    for (const [index, parameter] of fn.getParameters().entries()) {
      const library = contextLibrary(draft, parameter);
      if (library !== undefined) convertHelper(draft, fn, library, index);
    }
  }
}

/** The library that a parameter's type comes from, if it is the context of its handlers. */
function contextLibrary(draft: Draft, parameter: ParameterDeclaration): Library | undefined {
  const type = parameter.getTypeNode();
  const known = Node.isTypeReference(type) ? draft.imports.known(type.getTypeName()) : undefined;
  return known !== undefined && CONTEXT_TYPES.includes(known.name) ? known.library : undefined;
}

function convertHelper(draft: Draft, fn: Fn, library: Library, index: number): void {
  const handler = new Handler(draft, fn, library, "helper", { args: undefined, context: index, uri: undefined });
  convertContext(handler);
  handler.finish();
  const type = fn.getParameters()[index]?.getTypeNode();
  if (type !== undefined) draft.replace(type, draft.imports.use("toolwire", "Ctx", { isType: true }));
}

/** Members of definitions that are handlers. */
const HANDLERS: ReadonlySet<string> = new Set(["handler", "execute", "load"]);

/** Whether a function is registered: then its parameters are converted with the registration. */
function isRegistered(draft: Draft, fn: Fn): boolean {
  if (Node.isMethodDeclaration(fn)) return HANDLERS.has(fn.getName());
  const parent = fn.getParent();
  const name = Node.isFunctionDeclaration(fn)
    ? fn.getNameNode()
    : Node.isVariableDeclaration(parent)
    ? parent.getNameNode()
    : undefined;
  const uses = Node.isIdentifier(name) ? draft.uses(name) : [fn];
  return uses.some((use) => {
    const call = use.getParent();
    if (Node.isPropertyAssignment(call) || Node.isShorthandPropertyAssignment(call)) {
      return HANDLERS.has(call.getName());
    }
    const callee = Node.isCallExpression(call) && call.getExpression() !== use ? call.getExpression() : undefined;
    return Node.isPropertyAccessExpression(callee) && callee.getName() in REGISTERING;
  });
}
