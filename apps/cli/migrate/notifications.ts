/** Notifications of a handler: progress and log lines. Progress may always be reported, so conditions on a token are removed. */
import { type CallExpression, type IfStatement, Node } from "ts-morph";
import type { Handler } from "./handler.ts";
import { bare, definitionsOf, membersOf, resolveConst } from "./registrations.ts";

/** Converts `sendNotification({ method, params })` to `ctx.progress()` or `ctx.log()`. Other methods are marked for a person. */
export function convertNotify(handler: Handler, call: CallExpression): void {
  const members = membersOf(bare(resolveConst(call.getArguments()[0])));
  const method = bare(members?.get("method"));
  const parameters = bare(resolveConst(bare(members?.get("params"))));
  const name = Node.isStringLiteral(method) ? method.getLiteralValue() : "";
  const values = membersOf(parameters);
  if (values === undefined) return handler.draft.todo(call, "context");
  removeUnused(handler, bare(members?.get("params")));
  if (name === "notifications/progress") report(handler, call, values);
  else if (name === "notifications/message") logLine(handler, call, values);
  else handler.draft.todo(call, "context");
}

/** A `const` for the parameters of this notification alone. */
function removeUnused({ draft }: Handler, parameters: Node | undefined): void {
  const declaration = parameters === undefined ? undefined : definitionsOf(parameters).find(Node.isVariableDeclaration);
  const name = declaration?.getNameNode();
  if (declaration === undefined || !Node.isIdentifier(name) || draft.uses(name).length !== 1) return;
  draft.remove(declaration.getVariableStatementOrThrow());
}

/** Converts `ctx.progress?.({ progress, total, message })` of mcp-lite to `ctx.progress(progress, total, message)`. */
export function convertReport(handler: Handler, call: CallExpression): void {
  const values = membersOf(bare(resolveConst(call.getArguments()[0])));
  if (values === undefined) handler.draft.todo(call, "context");
  else report(handler, call, values);
}

/** Converts `ctx.mcpReq.log(level, data, logger)` of 2.x to `ctx.log(level, data, { logger })`. */
export function convertLog(handler: Handler, call: CallExpression): void {
  const names = ["level", "data", "logger"];
  logLine(handler, call, new Map(call.getArguments().map((value, index) => [names[index] ?? "", value])));
}

/** Converts `log.info(message, data)` of FastMCP to `ctx.log("info", message, data)`. */
export function convertLevel(handler: Handler, call: CallExpression, level: string): void {
  const { draft } = handler;
  const [message, data] = call.getArguments();
  if (message === undefined) return draft.todo(call, "context");
  const text = data === undefined ? undefined : draft.render(data);
  const isObject = Node.isObjectLiteralExpression(bare(data));
  const fields = text === undefined ? "" : `, ${isObject ? text : `{ data: ${text} }`}`;
  replaceAwaited(handler, call, `${handler.context}.log("${level}", ${draft.render(message)}${fields})`);
}

/** Converts `server.sendLoggingMessage({ level, data, logger })` in a handler to `ctx.log(level, data, { logger })`. */
export function convertLoggingMessage(handler: Handler, call: CallExpression): void {
  logLine(handler, call, membersOf(bare(call.getArguments()[0])) ?? new Map());
}

function report(handler: Handler, call: CallExpression, values: ReadonlyMap<string, Node>): void {
  const { draft } = handler;
  const [done, total, message] = ["progress", "total", "message"].map((name) => values.get(name));
  if (done === undefined) return draft.todo(call, "context");
  const texts = [done, total, message].map((node) => node === undefined ? "undefined" : draft.render(node));
  const count = message !== undefined ? 3 : total !== undefined ? 2 : 1;
  replaceAwaited(handler, call, `${handler.context}.progress(${texts.slice(0, count).join(", ")})`);
}

function logLine(handler: Handler, call: CallExpression, values: ReadonlyMap<string, Node>): void {
  const { draft } = handler;
  const [level, data, logger] = ["level", "data", "logger"].map((name) => values.get(name));
  if (level === undefined || data === undefined) return draft.todo(call, "context");
  const literal = bare(level);
  const name = Node.isStringLiteral(literal) ? literal.getLiteralValue() : undefined;
  const levelText = name === undefined ? draft.render(level) : JSON.stringify(name);
  const fields = logger === undefined ? "" : `, { ${memberText("logger", draft.render(logger))} }`;
  replaceAwaited(handler, call, `${handler.context}.log(${levelText}, ${draft.render(data)}${fields})`);
}

function memberText(name: string, text: string): string {
  return name === text ? name : `${name}: ${text}`;
}

/** Replaces a call by a text, together with the `await` or `void` before it: the new call returns nothing. */
function replaceAwaited({ draft }: Handler, call: Node, text: string): void {
  const parent = call.getParent();
  draft.replace(Node.isAwaitExpression(parent) || Node.isVoidExpression(parent) ? parent : call, text);
}

/** Removes a use of the progress token, `ctx._meta?.progressToken` or a `const` with it. What a condition on it guards stays. */
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

/** Replaces an `if` by its statements, after these were converted. */
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
