/** Notifications of a handler: progress and log lines. */
import { type CallExpression, Node } from "ts-morph";
import type { Handler } from "./handler.ts";
import { definitionsOf, membersOf, resolveConst } from "./registrations.ts";
import { bare } from "./schemas.ts";
import { RENAMED_LEVELS } from "./tables.ts";

/** `sendNotification({ method, params })`. */
export function convertNotify(handler: Handler, call: CallExpression): void {
  const members = membersOf(bare(resolveConst(call.getArguments()[0])));
  const method = bare(members?.get("method"));
  const parameters = bare(resolveConst(bare(members?.get("params"))));
  const name = Node.isStringLiteral(method) ? method.getLiteralValue() : "";
  const values = membersOf(parameters);
  if (values === undefined) return handler.draft.todo(call, "context");
  removeUnused(handler, bare(members?.get("params")));
  if (name === "notifications/progress") report(handler, call, values);
  else if (name === "notifications/message") logLine(handler, call, values.get("level"), values.get("data"));
  else handler.draft.todo(call, "context");
}

/** A `const` for the parameters of this notification alone. */
function removeUnused({ draft }: Handler, parameters: Node | undefined): void {
  const declaration = parameters === undefined ? undefined : definitionsOf(parameters).find(Node.isVariableDeclaration);
  const name = declaration?.getNameNode();
  if (declaration === undefined || !Node.isIdentifier(name) || draft.uses(name).length !== 1) return;
  draft.remove(declaration.getVariableStatementOrThrow());
}

/** `ctx.progress?.({ progress, total, message })` of mcp-lite. */
export function convertReport(handler: Handler, call: CallExpression): void {
  const values = membersOf(bare(resolveConst(call.getArguments()[0])));
  if (values === undefined) handler.draft.todo(call, "context");
  else report(handler, call, values);
}

/** `ctx.mcpReq.log(level, data, logger)`. */
export function convertLog(handler: Handler, call: CallExpression): void {
  const [level, data] = call.getArguments();
  logLine(handler, call, level, data);
}

/** `server.sendLoggingMessage({ level, data })`. */
export function convertLoggingMessage(handler: Handler, call: CallExpression): void {
  const values = membersOf(bare(call.getArguments()[0]));
  logLine(handler, call, values?.get("level"), values?.get("data"));
}

function report(handler: Handler, call: CallExpression, values: ReadonlyMap<string, Node>): void {
  const { draft } = handler;
  const [done, total, message] = ["progress", "total", "message"].map((name) => values.get(name));
  if (done === undefined) return draft.todo(call, "context");
  const texts = [done, total, message].map((node) => node === undefined ? "undefined" : draft.render(node));
  const count = message !== undefined ? 3 : total !== undefined ? 2 : 1;
  replaceAwaited(handler, call, `${handler.context}.progress(${texts.slice(0, count).join(", ")})`);
}

function logLine(handler: Handler, call: CallExpression, level: Node | undefined, data: Node | undefined): void {
  const { draft } = handler;
  if (level === undefined || data === undefined) return draft.todo(call, "context");
  const literal = bare(level);
  const name = Node.isStringLiteral(literal) ? literal.getLiteralValue() : undefined;
  if (name === undefined) draft.todo(call, "log-level");
  const levelText = name === undefined ? draft.render(level) : JSON.stringify(RENAMED_LEVELS[name] ?? name);
  const isObject = Node.isObjectLiteralExpression(bare(data));
  const isText = Node.isStringLiteral(data) || Node.isTemplateExpression(data) ||
    Node.isNoSubstitutionTemplateLiteral(data);
  const text = draft.render(data);
  const message = isText ? text : isObject ? `"data", ${text}` : `String(${text})`;
  replaceAwaited(handler, call, `${handler.context}.log(${levelText}, ${message})`);
}

/** Replaces a call, and the `await` before it, with one that returns nothing. */
export function replaceAwaited({ draft }: Handler, call: Node, text: string): void {
  const parent = call.getParent();
  draft.replace(Node.isAwaitExpression(parent) || Node.isVoidExpression(parent) ? parent : call, text);
}
